"""Rounds that are asked anew every so often expect what the evidence gives at their time."""

from __future__ import annotations

from tests.transforms.checks.proof.opened import Output

ASKED = ("examples/clips_so_far",)


def test_what_was_built_is_proved(output: Output):
    assert len(output.rows) > 1 and output.problems(output.rows) == []


def test_each_round_by_itself(output: Output):
    row = output.rows[0]
    rounds = row["rounds"]
    assert len(rounds) > 1
    for k, turn in enumerate(rounds):
        wrong = "7" if turn["expected_output"] != "7" else "8"
        changed = {**turn, "expected_output": wrong, "accepted_outputs": [wrong]}
        other = {**row, "rounds": [*rounds[:k], changed, *rounds[k + 1 :]]}
        wanted = f"expects {wrong!r}, the evidence gives {turn['expected_output']!r}"
        told = (row["item_id"], "round_differs", f"round {turn['round_index']} {wanted}")
        assert told in output.problems([other])


def test_rows_without_rounds_are_asked_nothing(output: Output):
    assert output.problems([{**row, "rounds": []} for row in output.rows]) != []
