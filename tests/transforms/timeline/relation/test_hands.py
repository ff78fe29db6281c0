"""A stated change of action joins two actions of one instrument."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.timeline.relation.hands import name_hands
from surgqa.transforms.timeline.relation.table import NONE, Codes
from tests.each import cases

S = 1_000_000
HALF = 40_000
CODES = Codes()


def row(verb: str, target: str, start: int, end: int, tool: str = "hook") -> dict[str, Any]:
    code = CODES.code
    return {"subject": code(tool), "verb": code(verb), "target": code(target), "track": NONE,
            "label": code(verb), "s": start * S, "s0": start * S - HALF, "s1": start * S + HALF,
            "e": end * S, "e0": end * S - HALF, "e1": end * S + HALF}  # fmt: skip


def change(label: str, at: int, tool: str = "hook") -> dict[str, Any]:
    return {**row("", "", at, at, tool), "label": CODES.code(label)}


CUT = row("dissect", "liver", 10, 20), row("coagulate", "liver", 20, 25)
TO_HEAT = "dissect,liver>coagulate,liver"


def tracks(changes: list, *actions: dict[str, Any]) -> list[str]:
    copies = [dict(one) for one in actions]
    name_hands(changes, copies, CODES)
    return [CODES.name(one["track"]) for one in copies]


def test_both_sides_of_a_change_are_of_one_instrument():
    first, second = tracks([change(TO_HEAT, 20)], *CUT)
    assert first == second != ""


def test_a_chain_of_changes_is_one_instrument_and_others_are_none():
    back = row("dissect", "liver", 25, 30)
    other = row("dissect", "liver", 12, 18, "grasper")
    found = tracks([change(TO_HEAT, 20), change("coagulate,liver>dissect,liver", 25)],
                   *CUT, back, other)  # fmt: skip
    assert found[0] == found[1] == found[2] != "" == found[3]


@cases(
    ("said", "actions"),
    [
        (change(TO_HEAT, 40), CUT),
        (change(TO_HEAT, 20, "grasper"), CUT),
        (change("dissect,liver>clip,liver", 20), CUT),
        (change(TO_HEAT, 20), (*CUT, row("dissect", "liver", 15, 20))),
        (change(TO_HEAT, 20), CUT[:1]),
    ],
    ids=["another time", "another instrument", "another action", "two could be meant", "no action"],
)
def test_a_change_that_fits_nothing_or_several_says_nothing(said, actions):
    assert set(tracks([said], *actions)) == {""}
