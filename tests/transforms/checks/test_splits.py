"""Leaks between splits: of one surgery, under two names, and of what is held out."""

from __future__ import annotations

from surgqa.transforms.checks.splits import Splits
from tests.each import cases


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


@cases(
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


def test_a_leak_names_the_item_and_both_sides():
    splits = Splits()
    for one in (row("a", "test", number=1), row("a", "train"), row("a", "train", number=2)):
        splits.add(one)
    assert list(splits.problems()) == [
        ("split_leak", "a-train-0", "group a is in the splits ['test', 'train']")
    ]


@cases(
    ("videos", "leaks"),
    [
        ((("cholec80", "video07"), ("cholect50", "VID07")), 1),
        ((("cholec80", "video07"), ("cholect50", "VID08")), 0),
        ((("psi_ava", "CASE014"), ("prostatd", "psiv14")), 1),
        ((("psi_ava", "CASE014"), ("prostatd", "esadv14")), 0),
        ((("cholec80", "video"), ("cholect50", "VID")), 0),
        ((("mine", "7"), ("other", "7")), 0),
        ((("Cholec80-CVS", "7"), ("cholect45", "VID07")), 1),
    ],
)
def test_one_surgery_under_two_names_and_in_two_groups(videos, leaks):
    splits = Splits()
    for dataset, video in videos:
        splits.add(row(f"{dataset}/{video}", "train", dataset=dataset) | {"video_id": video})
    assert [code for code, *_ in splits.problems()] == ["alias_leak"] * leaks
    same = Splits()
    for dataset, video in videos:
        same.add(row("g", "train", dataset=dataset) | {"video_id": video})
    assert list(same.problems()) == []


def test_a_leak_of_two_names_tells_the_item_of_the_last_group():
    splits = Splits()
    for dataset, video in (("cholec80", "video07"), ("cholect50", "VID07")):
        splits.add(row(dataset, "train", dataset=dataset) | {"video_id": video})
    assert list(splits.problems()) == [
        ("alias_leak", "cholect50-train-0",
         "cholec80/7 is in the split groups ['cholec80', 'cholect50']")
    ]  # fmt: skip
