"""Templates of no published benchmark, built for real: what comes after the build takes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from surgqa.pipeline.cli.app import run
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.language.load import templates_folder
from surgqa.transforms.store import OutputFolder
from tests.pipeline.conftest import BuiltOnce

ONLY = ["examples.last_seen_before", "examples.touch_while_in_view"]


@pytest.fixture(scope="module")
def out(sample_root: Path, built_once: BuiltOnce) -> Path:
    """Questions about clips and at times."""
    datasets = [{"name": "cholect50", "root": sample_root}]
    settings = {"datasets": datasets, "benchmarks": ["examples"], "only": ONLY}
    return built_once("any-benchmark", settings).out


@pytest.fixture(scope="module")
def units(out: Path) -> Counter:
    return Counter(row["unit"] for row in OutputFolder(out).rows())


def test_there_are_several_units(units: Counter) -> None:
    assert set(units) == {"clip", "now"}


def test_every_item_is_asked(out: Path, tmp_path: Path, units: Counter) -> None:
    assert run(["jobs", str(out), "--to", str(tmp_path / "jobs")]) == 0
    assert len((tmp_path / "jobs").read_bytes().splitlines()) == units.total()


def test_those_put_at_a_time_are_exported_and_pass_the_format_s_own_checks(
    out: Path, tmp_path: Path, units: Counter, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "rows"
    assert run(["export", str(out), "--as", "medstreambench", "--to", str(to)]) == 0
    assert f"no place for {units['clip']} of unit clip" in capsys.readouterr().err
    assert run(["check", str(to)]) == 0
    rows = (to / "annotations" / "cholect50.jsonl").read_bytes().splitlines()
    assert len(rows) == units.total() - units["clip"]
    assert all(orjson.loads(one)["evidence"] for one in rows)


def test_a_format_without_a_place_says_which_has(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", str(out), "--as", "surgcot", "--to", str(tmp_path / "x")]) == 2
    said = capsys.readouterr().err
    assert "of unit clip" in said and "--as medstreambench" in said


def test_it_is_explained_and_reviewed(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = next(one for one in OutputFolder(out).rows() if one["unit"] == "now")
    assert run(["explain", str(out), row["item_id"]]) == 0
    said = capsys.readouterr().out
    assert "unit      now" in said and "earlier.label: label of instrument" in said
    assert all(one["value"] in said for one in row["options"])
    assert run(["review", "sample", str(out), "--to", str(tmp_path / "s"), "--share", "1"]) == 0
    assert run(["diff", str(out), str(out)]) == 0
    assert '"unit":"now"' in (out / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def chains(sample: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published chain under another name: a user's own."""
    folder = tmp_path_factory.mktemp("chains")
    (folder / "templates" / "own").mkdir(parents=True)
    text = _shipped("affordance").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^(id: |benchmark: )\w+", r"\1own", text)
    (folder / "templates" / "own" / "affordance.yaml").write_text(text, encoding="utf-8")
    datasets = [{"name": "cholect50", "root": sample("cholect50")}]
    settings = {"datasets": datasets, "out": folder / "out", "benchmarks": ["own"]}
    build(load_run(None, settings | {"templates": folder / "templates"}))
    return folder / "out"


def _shipped(name: str) -> Path:
    found = sorted(templates_folder().rglob(f"{name}.yaml"))
    return next(one for one in found if "schema: question/v1" in one.read_text(encoding="utf-8"))


def test_a_chain_of_one_s_own_is_asked_and_exported_as_one(
    chains: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = list(OutputFolder(chains).rows())
    assert rows and len(rows) % 4 == 0 and {row["unit"] for row in rows} == {"chain"}
    for words in ([], ["--setting", "FC", "--context", "own"]):
        assert run(["jobs", str(chains), "--to", str(tmp_path / "jobs"), *words]) == 0
        assert len((tmp_path / "jobs").read_bytes().splitlines()) == len(rows)
    assert run(["export", str(chains), "--as", "surgcot", "--to", str(tmp_path / "c")]) == 0
    told = (tmp_path / "c" / "chains.jsonl").read_bytes().splitlines()
    assert len(told) == len(rows) // 4
    assert all(orjson.loads(one)["Q3"]["options"] for one in told)
    assert run(["explain", str(chains), rows[0]["item_id"]]) == 0
    assert "chain of 4 stages" in capsys.readouterr().out
    assert run(["export", str(chains), "--as", "medstreambench", "--to", str(tmp_path / "m")]) == 2
    assert "--as surgcot" in capsys.readouterr().err
