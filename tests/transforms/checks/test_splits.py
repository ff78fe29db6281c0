"""Leaks between splits: of one surgery, under two names, and of what is held out."""

from __future__ import annotations

import pytest

from transforms.checks.splits import Splits


def row(group, split, specialty="general surgery", dataset="made", number=0):
    return {"item_id": f"{group}-{split}-{number}", "dataset": dataset, "video_id": group,
            "split_group": group, "split": split, "specialty": specialty,
            "procedure": "made"}  # fmt: skip


HELD = {"specialty": ["Ophthalmology"]}


def codes(rows, held=None):
    splits = Splits(held)
    for one in rows:
        splits.add(one)
    return [code for code, *_ in splits.problems()]


def test_a_sound_hold_out():
    rows = [row("a", "train"), row("b", "test"), row("c", "held_out", "ophthalmology")]
    assert codes(rows, HELD) == []


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([row("a", "train", "ophthalmology")], ["hold_out_leak"]),
        ([row("a", "held_out")], ["hold_out_leak"]),
        # One surgery of two datasets: of the other it is held out, too, or it leaks.
        ([row("a", "held_out", "ophthalmology"), row("a", "held_out", dataset="other")], []),
        ([row("a", "held_out", "ophthalmology"), row("a", "train", dataset="other")],
         ["split_leak"]),
    ],
)  # fmt: skip
def test_what_is_held_out_is_nowhere_else(rows, found):
    assert codes(rows, HELD) == found


def test_a_split_of_that_name_without_a_hold_out():
    assert codes([row("a", "held_out")]) == ["hold_out_leak"]
