"""Templates, stages and settings; what is told by each; rows put aside by template."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from surgqa.transforms.blind import (
    COLUMNS,
    Blind,
    Shelves,
    guess,
    guesses,
    marks_of,
    outstanding,
    replies_of,
    report,
    summed,
    table_of,
)
from surgqa.transforms.blind.guess import LETTERS
from surgqa.transforms.blind.items import asks_of
from surgqa.transforms.blind.shelves import SCHEMA, some_surgeries
from tests.own_rows import own
from tests.transforms.blind.worlds import Draws, labels, second_smallest, world

S = 1_000_000


def row_of(ask, template="t", **more):
    """A row that puts a made-up question."""
    options = [{"key": LETTERS[k], "text": text, "value": None, "is_answer": k == ask.right,
                "kind": ""} for k, text in enumerate(ask.options)]  # fmt: skip
    return own("x", "clip", {}, {}, template_id=template, item_id=ask.item_id, options=options,
               split_group=ask.group, video_id=ask.video, question=ask.question,
               start_us=ask.at * S, answer=ask.answer) | more  # fmt: skip


def shelved(folder, rows):
    shelves = Shelves(folder)
    for at in range(0, len(rows), 90):
        shelves.add(pa.RecordBatch.from_pylist(rows[at : at + 90], schema=SCHEMA))
    return shelves


def chain(draws: Draws, number: int) -> list[dict]:
    """A main question and two stages: the clue of the second names the right answer."""
    rows = []
    for stage, name in enumerate(("main", "q1", "q2")):
        ask = replace(labels(draws, 0), item_id=f"{number:08d}{stage:024d}",
                      group=f"s{number % 8}", video=f"s{number % 8}", at=number)  # fmt: skip
        clue = f"Watch the {ask.answer}." if stage == 2 else "Watch closely." if stage else None
        rows.append(row_of(
            ask, "c", unit="chain", chain_id=f"{number}", stage=stage, task=f"chain/{name}",
            clue=clue, knowledge="Tissue is soft." if stage else None,
            context="It was seen." if stage == 2 else None,
        ))  # fmt: skip
    return rows


def test_templates_are_guessed_one_by_one(tmp_path):
    plain, known = world(labels), world(second_smallest)
    rows = [row_of(one, "a") for one in plain] + [row_of(one, "b") for one in known]
    first, second = guesses(shelved(tmp_path, rows))
    assert (first.name, second.name) == ("a", "b")
    assert not first.guess.sure
    assert second.guess.sure and second.guess.best > 0.95
    assert dict(second.guess.rules)["rank of the first number"] == 1.0
    total = summed([first, second])
    assert total["best"] == pytest.approx((first.guess.best + second.guess.best) / 2, abs=1e-4)
    assert table_of([second])[1][0] == "b" and table_of([second])[1][7].endswith("!")
    assert set(marks_of([first, second])) >= {one.item_id for one in known}
    assert second.line().startswith("b: ")


def test_the_order_of_rows_changes_nothing(tmp_path):
    rows = [row_of(one) for one in world(second_smallest)]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert list(guesses(shelved(tmp_path / "a", rows))) == list(
        guesses(shelved(tmp_path / "b", rows[::-1]))
    )


def test_chains_are_guessed_in_each_setting(tmp_path):
    draws = Draws("chains")
    rows = [row for number in range(120) for row in chain(draws, number)]
    found = {one.name: one for one in guesses(shelved(tmp_path, rows))}
    assert list(found) == [f"c/{stage} ({setting})" for stage in ("main", "q1", "q2")
                           for setting in ("BL", "KE", "FC")]  # fmt: skip
    assert found["c/q2 (FC)"].guess.sure
    assert found["c/q2 (FC)"].guess.structural_rule == "named in what is told"
    # The clues of all stages are told with the main question, which has other options.
    assert not any(one.guess.sure for name, one in found.items() if name != "c/q2 (FC)")
    assert replies_of(found.values()).keys() == {(row["item_id"], None) for row in rows}
    marks = marks_of(found.values())
    assert all(rule.startswith("FC: ") for rules in marks.values() for rule in rules)


def test_rounds_are_questions_of_their_own():
    rounds = [{"round_index": k, "current_us": k * S, "expected_output": said}
              for k, said in enumerate(("no_alert", "no_alert", "alert: bleeding"))]  # fmt: skip
    rows = [row_of(replace(one, options=()), rounds=rounds, unit="stream") for one in world(labels)]
    asks = asks_of(rows)
    assert [one.place for one in asks[:3]] == ["0/3", "1/3", "2/3"]
    assert [one.said for one in asks[:3]] == ["", "no_alert", "no_alert"]
    found = guess(asks)
    assert (found.items, found.chance, found.best) == (3 * len(rows), None, 1.0)
    assert found.answers[rows[0]["item_id"], 2] == "alert: bleeding"


def test_answers_are_those_of_a_model():
    asks = world(second_smallest)
    found = guess(asks)
    right = {(one.item_id, None): f"{LETTERS[one.right]}) {one.answer}" for one in asks}
    assert found.answers == right


def test_one_surgery_is_not_guessed():
    asks = world(second_smallest, surgeries=1)
    found = guess(asks)
    assert (found.best, found.structural, found.sure, found.marks) == (None, None, False, {})
    assert found.chance == 0.25


def test_a_few_items_give_no_finding():
    found = guess(world(second_smallest, items=30))
    assert not found.sure and not found.judged and not found.marks


def test_of_too_many_items_whole_surgeries_are_taken():
    groups = np.repeat([f"s{k}" for k in range(10)], 30)
    table = pa.table({"split_group": groups, "n": range(300)})
    kept = some_surgeries(table, 100)
    assert len(kept) == 90
    assert all(kept["split_group"].to_pylist().count(one) == 30
               for one in set(kept["split_group"].to_pylist()))  # fmt: skip
    assert some_surgeries(table, 300) is table
    assert len(some_surgeries(table, 1)) == 30


def test_columns_are_those_of_a_row():
    assert set(COLUMNS) <= set(own("x", "clip", {}, {}))


def test_what_stands_out_is_warned_of_or_guessed_best(monkeypatch):
    monkeypatch.setattr(report, "MOST", 1)
    fair = guess(world(labels))
    easy, few = guess(world(second_smallest)), guess(world(second_smallest)[:30])
    assert easy.sure and not fair.sure and not few.judged
    made = [Blind(name, "", "", one) for name, one in
            (("a", fair), ("b", easy), ("c", few), ("d", easy), ("e", fair))]  # fmt: skip
    assert [one.template for one in outstanding(made)] == ["b", "d"]
    assert [one.template for one in outstanding([made[0], made[4], made[2]])] == ["a"]
    assert outstanding([made[2]]) == []
