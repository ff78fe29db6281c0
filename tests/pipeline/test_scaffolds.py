"""Templates as ``surgqa new`` writes them, unedited: linted, built, checked, scored, exported."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from pipeline.cli.app import run as surgqa
from pipeline.config import load_run
from pipeline.run import build
from tests.pipeline.own_builds import errors_of_check
from transforms.store import OutputFolder

KINDS = {"template": 5, "query": 4, "chain": 8}
"""Kind of template -> items that the sample gives at least."""

EXPORTED = {"medstream": "medstreambench", "surgcot": "surgcot"}
"""Benchmark -> the format that items of a new template are exported in."""

SAMPLES_ONLY = ("sapbench", "surgveo")
"""Formats that hold one kind of question; a phase that is under way is none of them."""


def built(root: Path, folder: Path, benchmark: str, only: str) -> Path:
    """Items of one template of a folder."""
    out = folder.parent / "out"
    settings = {"datasets": [{"name": "cholect50", "root": str(root)}], "benchmarks": [benchmark],
                "templates": str(folder), "only": [only], "out": out}  # fmt: skip
    build(load_run(None, settings))
    return out


def whole_way(root: Path, tmp_path: Path, kind: str, name: str) -> Path:
    """Make a template, build, check and score the gold answers."""
    folder = tmp_path / "templates"
    assert surgqa(["new", kind, name, "--templates", str(folder)]) == 0
    assert surgqa(["lint", str(folder)]) == 0
    out = built(root, folder, name.partition(".")[0], name)
    assert errors_of_check(out) == {}
    gold, scores = tmp_path / "gold.jsonl", tmp_path / "scores.json"
    rows = list(OutputFolder(out).rows())
    lines = ({"item_id": row["item_id"], "response": row["answer"]} for row in rows)
    gold.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    assert surgqa(["score", str(out), str(gold), "--json", str(scores)]) == 0
    assert not orjson.loads(scores.read_bytes())["unscored"]
    jobs = tmp_path / "jobs.jsonl"
    assert surgqa(["jobs", str(out), "--to", str(jobs)]) == 0
    asked = {
        job["item_id"]: job["user"] for job in map(orjson.loads, jobs.read_bytes().splitlines())
    }
    assert all(row["question"] in asked[row["item_id"]] for row in rows)
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_under_a_name_of_one_s_own(sample_root: Path, tmp_path: Path, kind: str) -> None:
    out = whole_way(sample_root, tmp_path, kind, f"mine.a_{kind}")
    items = len(list(OutputFolder(out).rows()))
    assert items >= KINDS[kind]
    told = orjson.loads((tmp_path / "out.report.json").read_bytes())
    assert told["checked"] == items
    if kind != "template":  # rules of clips are known by the tasks of surgstu
        assert sum(told["recomputed"].values()) == items


@pytest.mark.parametrize("benchmark", ["surgstu", *EXPORTED, *SAMPLES_ONLY])
def test_under_the_name_of_a_shipped_benchmark(
    sample_root: Path, tmp_path: Path, benchmark: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command knows in which language the templates of a benchmark are written."""
    out = whole_way(sample_root, tmp_path, "template", f"{benchmark}.one_more")
    to = str(tmp_path / "exported")
    if benchmark in EXPORTED:
        assert surgqa(["export", str(out), "--as", EXPORTED[benchmark], "--to", to]) == 0
    if benchmark in SAMPLES_ONLY:
        assert surgqa(["export", str(out), "--as", benchmark, "--to", to]) == 2
        assert "has no samples" in capsys.readouterr().err
