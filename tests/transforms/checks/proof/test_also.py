"""What a ranking may put first as well is told where it is certain, and only there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.transforms.checks.proof.outputs import built, rows_of, shipped
from transforms.checks.proof.evidence import connect
from transforms.checks.proof.prove import problems, programs_of
from transforms.checks.proof.rows import Asked, read_row
from transforms.scoring.sapbench.items import item_of


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory):
    files = [file for file in shipped("sapbench") if file.stem == "next_action"]
    folder = built(tmp_path_factory.mktemp("built"), "cholect50", files)
    scratch: Path = tmp_path_factory.mktemp("scratch")
    (program,) = programs_of(folder).values()
    return connect(folder, scratch), program, rows_of(folder)


def wrong(output, change) -> list[set[str]]:
    """Codes of what is wrong with each row after a change of its slot."""
    con, program, rows = output
    asked: list[Asked] = []
    for row in rows:
        slots = orjson.loads(row["slots"])
        told = {**slots, "also": change(slots["also"])}
        one = read_row(program, {**row, "slots": orjson.dumps(told).decode()})
        assert isinstance(one, Asked)
        asked.append(one)
    codes: dict[str, set[str]] = {one.id: set() for one in asked}
    for item, code, _ in problems(con, program, asked):
        codes[item].add(code)
    return [codes[one.id] for one in asked]


def test_some_are_told_and_some_are_open(output):
    told = [orjson.loads(row["slots"])["also"] for row in output[2]]
    assert any(told) and not all(told)
    assert [item_of(row).following for row in output[2]] == [
        one["label"] if one else None for one in told
    ]
    assert not any(wrong(output, lambda also: also))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda also: None if also else {"label": "cut_or_divide"}, id="swapped"),
        pytest.param(lambda also: {**(also or {}), "label": "unknown_action"}, id="another"),
    ],
)
def test_what_is_told_otherwise_is_found(output, change: Any):
    assert all("slot_differs" in one for one in wrong(output, change))
