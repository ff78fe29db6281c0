"""Jobs and journals that somebody changed: told by line and field, before anything is paid for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken, UserError
from surgqa.transforms.inference.jobfile import checked, write_jobs
from surgqa.transforms.inference.journal import FORMAT, Journal, entries
from surgqa.transforms.inference.prompts import load_prompt
from surgqa.transforms.store import OutputFolder
from tests.transforms.inference.conftest import row


@pytest.fixture
def job(finished, tmp_path: Path) -> dict:
    path = tmp_path / "jobs.jsonl"
    write_jobs(OutputFolder(finished([row(1)])), path, load_prompt(None), 1_000_000)
    return json.loads(path.read_text())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"benchmark": ["surgstu"]}, "benchmark: ", id="a list for a name"),
        pytest.param({"benchmark": None}, "benchmark: ", id="nothing for a name"),
        pytest.param({"frames": 3}, "frames: ", id="a number for frames"),
        pytest.param({"frames": [1]}, "frames.0: ", id="a number for a frame"),
        pytest.param({"frames": [{"caption": None}]}, "no frames.0.time_us", id="no time"),
        pytest.param({"media": {}}, "no media.path", id="no path"),
        pytest.param({"media": {"path": []}}, "media.path: ", id="a list for a path"),
        pytest.param({"item_id": {}}, "item_id: ", id="an object for an id"),
        pytest.param({"round_index": [1]}, "round_index: ", id="a list for a round"),
        pytest.param({"start_us": 10**30}, "start_us: ", id="beyond 64 bits"),
        pytest.param({"after": [{"job_id": 3}]}, "after.0.job_id: ", id="a number after"),
        pytest.param({"after": 7}, "after: ", id="no list after"),
    ],
)
def test_a_job_of_another_form(job: dict, tmp_path: Path, changed: dict, said: str) -> None:
    path = tmp_path / "changed.jsonl"
    path.write_text(json.dumps(job | changed) + "\n")
    with pytest.raises(UserError) as raised:
        checked(path)
    assert raised.value.summary == "the line is not a job" and raised.value.where == f"{path}:1"
    assert said in raised.value.found


HEAD = {"journal": FORMAT, "asked": {"model": "m"}}


@pytest.mark.parametrize(
    "head",
    [
        pytest.param({"journal": FORMAT}, id="nothing asked"),
        pytest.param(HEAD | {"asked": []}, id="a list asked"),
        pytest.param(HEAD | {"journal": [FORMAT]}, id="a list of formats"),
        pytest.param([1], id="no object"),
    ],
)
def test_a_journal_that_begins_otherwise(tmp_path: Path, head: object) -> None:
    path = tmp_path / "p.journal"
    path.write_text(json.dumps(head) + "\n")
    with pytest.raises(SourceBroken, match="not a journal"):
        Journal(path, {"model": "m"})


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({}, id="no id"),
        pytest.param({"id": ["a"], "response": "x"}, id="a list for an id"),
        pytest.param({"id": "a", "response": 3}, id="a number for a response"),
        pytest.param({"id": "a", "response": "x", "usage": "much"}, id="a text for usage"),
        pytest.param({"id": "a", "response": "x", "odd": [[[]] * 200] * 2}, id="whole"),
    ],
)
def test_an_entry_of_another_form(tmp_path: Path, entry: dict) -> None:
    path = tmp_path / "p.journal"
    path.write_text(json.dumps(HEAD) + "\n" + json.dumps(entry) + "\n")
    if "odd" in entry:
        assert list(entries(path)) == [entry]
        return
    with pytest.raises(SourceBroken) as raised:
        list(entries(path))
    assert raised.value.where == f"{path}:2" and raised.value.fix
