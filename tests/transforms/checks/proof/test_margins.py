"""Margins, levels and pairs are computed again: what was changed is found."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from surgqa.ontology.keys import digest
from surgqa.ontology.levels import BOUNDS
from surgqa.transforms.algebra.margins import level
from surgqa.transforms.checks.proof.margins import (
    distance,
    level_of,
    margin_problems,
    pair_problems,
)
from surgqa.transforms.checks.proof.rows import ProofRow, read_row
from tests.each import cases
from tests.transforms.algebra.test_margins import CASES
from tests.transforms.checks.proof.made import CLIP, option, program, row

YES_NO = program("there", """
unit: {now: any, see: 20 s, every: 60 s}
let:
  there: {exists: phase, at: now}
answer: there
say: "{{ there | yes }}"
ask:
  - Is it so at the end of the clip?
  - At the end of the clip, is it so?
  - Is it so when the clip ends?
  - When the clip ends, is it so?
""")  # fmt: skip


def asked(of: Any, **columns: Any) -> ProofRow:
    found = read_row(of, row(of, None, 0, 20_000_000, **columns) | {"item_id": columns["item_id"]})
    assert isinstance(found, ProofRow), found
    return found


def classes(**columns: Any) -> ProofRow:
    """Which instruments are in view, with three wrong sets."""
    values = [["grasper", "hook"], ["grasper"], ["bipolar", "hook"], ["scissors"]]
    options = [option("ABCD"[k], str(one), "answer" if not k else "change", one)
               for k, one in enumerate(values)]  # fmt: skip
    slots = {"moment": 5_000_000, "tool": {"label": "hook"}, "seen": ["grasper", "hook"]}
    return asked(CLIP, item_id="a", options=options, answer_value={"seen": ["grasper", "hook"]},
                 slots=slots, **columns)  # fmt: skip


def codes(one: ProofRow) -> list[str]:
    return [code for code, _ in margin_problems(one)]


@cases(("of", "answer", "value", "far"), CASES)
def test_distances_by_another_way(of, answer, value, far):
    assert distance(of, answer, value) == pytest.approx(far)


@cases(("of", "far"), [*product(("instant", "number", "box"), (0.05, 1.0, 2.0, 3.0, 9.99, 10.0))])
def test_levels_by_another_way(of, far):
    assert level_of(of, [far, 50.0]) == level(of, [far, 50.0])


def test_what_was_changed_is_found():
    good = classes()
    assert [one["margin"] for one in good.row["options"]] == [0.0, 1.0, 2.0, 3.0]
    assert good.row["level"] == 3 and codes(good) == []
    good.row["options"][2]["margin"] = 1.0
    assert codes(good) == ["margin_differs"]
    for other in (1, None):
        forged = classes()
        forged.row["level"] = other
        assert codes(forged) == ["margin_differs"]
    lacking = classes()
    lacking.row["options"][1]["margin"] = None
    assert codes(lacking) == ["margin_differs"]


def truth(item: str, yes: bool, **columns: Any) -> ProofRow:
    name = "Yes" if yes else "No"
    options = [option("A", "Yes", "answer" if yes else "opposite", True),
               option("B", "No", "opposite" if yes else "answer", False)]  # fmt: skip
    key = "A" if yes else "B"
    return asked(YES_NO, item_id=item, options=options, answer=f"{key}) {name}", answer_key=key,
                 answer_value={"there": yes}, slots={"there": yes},
                 **{"pair": PAIR, "question": "Is it so at 3.00 s?"} | columns)  # fmt: skip


PAIR = digest("pair", YES_NO.id, "a", "b")


@cases(("other", "wrong"), [
    ({}, False), ({"question": "Is it so at 12.50 s?"}, False), ({"video_id": "w"}, True),
    ({"question": "Is it there at 3.00 s?"}, True), ({"pair": None}, False),
    ({"yes": True}, True), ({"item": "c"}, True),
])  # fmt: skip
def test_a_pair_is_one_question_with_two_answers(other, wrong):
    more = {"item": "b", "yes": False} | other
    found = list(
        pair_problems([truth("a", True), truth(more.pop("item"), more.pop("yes"), **more)])
    )
    assert [code for _, code, _ in found] == (["pair_differs"] if wrong else [])


def test_three_are_no_pair():
    rows = [truth("a", True), truth("b", False), truth("c", False)]
    assert [code for _, code, _ in pair_problems(rows)] == ["pair_differs"]


@cases(("other", "left_out", "found"), [
    ({}, [], []),
    ({"pair": "f" * 32}, ["b"], ["a", "b"]),  # its partner is here
    ({"pair": None}, [], ["a"]),
    ({"pair": "f" * 32, "question": "Is it there at 3.00 s?"}, [], ["a", "b"]),
])  # fmt: skip
def test_an_item_without_its_partner(other, left_out, found):
    rows = [truth("a", True), truth("b", False, **other)]
    assert [one for one, _, _ in pair_problems(rows)] == left_out
    assert [one for one, _, _ in pair_problems(rows, complete=True)] == found
    assert not list(pair_problems(rows[:1]))


BORDERS = (0.01, 0.049, 0.05, 0.051, 0.1, 0.2, 0.5, 0.999999, 1.0, 1.5, 2.0, 2.5, 3.0,
           4.0, 5.0, 10.0, 20.0, 30.0, 60.0)  # fmt: skip


@cases("of", sorted(BOUNDS))
@cases("far", BORDERS)
def test_levels_of_every_type_at_each_bound(of: str, far: float):
    assert level_of(of, [far]) == level(of, [far])
    assert level_of(of, [99.0, far]) == level(of, [99.0, far])
    for bound in BOUNDS[of]:
        for near in (bound, bound - 1e-4, bound + 1e-4):
            assert level_of(of, [near]) == level(of, [near])
        if of != "number":  # margins have six decimals
            assert level_of(of, [bound - 1e-7]) == level(of, [bound])
    assert level_of(of, []) is None


@cases(
    ("of", "a", "b", "far"),
    [
        ("instant", 3_000_000, {"time_us": 1_500_000}, 1.5),
        ("instant", None, 1, None),
        ("instant", 1, None, None),
        ("label", "a", "b", None),
        ("stretch", {"start": 0, "end": 9_000_000}, {"start": 1_000_000, "end": 5_000_000}, 4.0),
        ("stretch", {"start": 0, "end": 9_000_000}, {"start": 6_000_000, "end": 8_000_000}, 6.0),
        ("stretch", {"start": 5_000_000, "end": 6_000_000}, {"start": 0, "end": 9_000_000}, 5.0),
        ("number", 7, {"value": 4}, 3.0),
        ("number", 4, 7, 3.0),
        ("duration", {"value": 7_000_000}, 4_500_000, 2.5),
        ("box", [0.0, 0.0, 0.2, 0.4], [0.3, 0.4, 0.5, 0.8], 0.5),
        ("box", [0.0, 0.0, 0.2, 0.4], [0.1, 0.1, 0.1, 0.3], 0.0),
        ("box", [0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.5, 0.7], 0.1),
        ("box", [0.0, 0.0, 0.5, 0.5], [0.2, 0.0, 0.7, 0.5], 0.2),
        ("set", ["a", "b"], ["b", "c", "d"], 3.0),
        ("set", ["a", "a"], ["a"], 0.0),
        ("sequence", ["a", "b", "c"], ["a", "c", "b"], 2.0),
        ("sequence", ["a", "b"], ["a", "b", "c", "d"], 2.0),
        ("sequence", ["a", "b", "c"], ["a"], 2.0),
        ("sequence", ["a", "b"], ["b"], 2.0),
    ],
)
def test_distances_by_hand(of: str, a: Any, b: Any, far: float | None):
    assert distance(of, a, b) == (None if far is None else pytest.approx(far))


def test_a_margin_may_be_rounded_and_no_more():
    for off, wrong in ((0.9e-5, []), (1.1e-5, ["margin_differs"]), (-1.1e-5, ["margin_differs"])):
        one = classes()
        one.row["options"][1]["margin"] += off
        assert codes(one) == wrong
    spoilt = classes()
    spoilt.row["options"][0]["margin"] = None
    assert codes(spoilt) == ["margin_differs"]


def test_pairs_of_other_recordings_and_datasets():
    for name in ("dataset", "video_id"):
        rows = [truth("a", True), truth("b", False, **{name: "w"})]
        assert [code for _, code, _ in pair_problems(rows)] == ["pair_differs"]


def test_each_of_three_without_a_partner_is_told():
    rows = [truth(name, name == "a", pair=name * 32) for name in "abc"]
    assert not list(pair_problems(rows))
    assert sorted(item for item, _, _ in pair_problems(rows, complete=True)) == ["a", "b", "c"]


def test_right_answers_are_compared_without_letter_and_case():
    rows = [truth("a", True), truth("b", False)]
    rows[1].row["answer"] = "B) YES"
    assert [code for _, code, _ in pair_problems(rows)] == ["pair_differs"]
