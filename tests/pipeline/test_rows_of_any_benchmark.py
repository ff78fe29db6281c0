"""A published chain under a name of one's own: what comes after the build takes it.

Other templates of no published benchmark are in ``test_examples_whole.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from surgqa.pipeline.cli.app import run
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.language.load import templates_folder
from surgqa.transforms.store import OutputFolder


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
    books = OutputFolder(chains).manifest["books"]
    told = next(line for line in books if line["unit"] == "units x templates")
    assert told["kept"] * 4 == len(rows) and told["read"] == told["kept"] + told["rejected"]
    assert rows and {row["unit"] for row in rows} == {"chain"}
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
