"""Rounds that are asked anew every so often expect what the evidence gives at their time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.transforms.checks.proof.outputs import built, rows_of
from transforms.checks.proof.evidence import connect
from transforms.checks.proof.prove import problems, programs_of
from transforms.checks.proof.rows import Asked, read_row

Output = tuple[Any, Any, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Output:
    files = [Path("templates/examples/clips_so_far.yaml")]
    folder = built(tmp_path_factory.mktemp("built"), "cholect50", files)
    (program,) = programs_of(folder).values()
    return connect(folder, tmp_path_factory.mktemp("scratch")), program, rows_of(folder)


def found(output: Output, rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    con, program, _ = output
    asked = [read_row(program, row) for row in rows]
    assert all(isinstance(one, Asked) for one in asked)
    return [(code, detail) for _, code, detail in problems(con, program, asked)]  # type: ignore[arg-type]


def test_what_was_built_is_proved(output: Output):
    assert len(output[2]) > 1 and found(output, output[2]) == []


def test_each_round_by_itself(output: Output):
    row = output[2][0]
    rounds = row["rounds"]
    assert len(rounds) > 1
    for k, turn in enumerate(rounds):
        wrong = "7" if turn["expected_output"] != "7" else "8"
        changed = {**turn, "expected_output": wrong, "accepted_outputs": [wrong]}
        other = {**row, "rounds": [*rounds[:k], changed, *rounds[k + 1 :]]}
        differs = [detail for code, detail in found(output, [other]) if code == "round_differs"]
        wanted = f"expects {wrong!r}, the evidence gives {turn['expected_output']!r}"
        assert any(one == f"round {turn['round_index']} {wanted}" for one in differs)


def test_rows_without_rounds_are_asked_nothing(output: Output):
    bare = [{**row, "rounds": []} for row in output[2]]
    assert found(output, bare) != []
