"""What people did is told apart, and every box on both sides has a fate."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.transforms.labelling.matching import Action, match
from surgqa.transforms.labelling.sheet import (
    BoxLabel,
    ChangeReason,
    Drawn,
    Returned,
    ReturnedBox,
    ReturnedFile,
    RoundSheet,
    SheetFrame,
)
from tests.each import cases

LABELS = (BoxLabel("grasper", "instrument", "grasper"), BoxLabel("hook", "instrument", "hook"))
OLD = Drawn("id1", "instrument", "grasper", (0.1, 0.1, 0.3, 0.3), 0.8, 5, "partial")
PLACE = OLD.box_xyxy


def sheet(*boxes: Drawn) -> RoundSheet:
    return RoundSheet(1, LABELS, (SheetFrame("a.png", "A", 7, 7, 100, 100, boxes, medium=""),))


def back(*marked: ReturnedBox, size=(100, 100), file="a.png") -> ReturnedFile:
    return ReturnedFile([Returned(file, size, True, marked, "place")])


def mark(place=PLACE, name="grasper", box_id="id1", note="") -> ReturnedBox:
    return ReturnedBox(name, place, box_id, "spot", note)


def only(found):
    (one,) = found.reviewed
    return one.corrections


def moved_by(by: float):
    return tuple(v + by for v in PLACE)


@pytest.mark.parametrize(
    ("marked", "action"),
    [
        pytest.param(mark(), Action.CONFIRMED, id="untouched"),
        pytest.param(mark(moved_by(5e-5)), Action.CONFIRMED, id="last-digit"),
        pytest.param(mark(moved_by(5e-4)), Action.MOVED, id="nudged"),
        pytest.param(mark(moved_by(0.6)), Action.MOVED, id="far-but-with-its-id"),
        pytest.param(mark(moved_by(0.02), box_id=None), Action.MOVED, id="near-without-id"),
        pytest.param(mark(name="hook"), Action.RELABELLED, id="other-label"),
        pytest.param(mark(name="hook", box_id=None), Action.RELABELLED, id="by-place"),
    ],
)
def test_one_box(marked, action):
    (correction,) = only(match(sheet(OLD), back(marked)))
    assert correction.action is action
    assert correction.box.box_id == "id1"
    assert correction.box.score == 1.0


@pytest.mark.parametrize("name", ["grasper", "hook"])
def test_another_place_without_the_id_is_another_box(name):
    marked = mark(moved_by(0.6), name, None)
    found = match(sheet(OLD), back(marked))
    assert sorted(c.action for c in only(found)) == ["added", "deleted"]


def test_what_stays_keeps_track_and_visibility_and_what_is_renamed_loses_its_track():
    (kept,) = only(match(sheet(OLD), back(mark(moved_by(0.01)))))
    assert (kept.box.track, kept.box.visibility) == (5, "partial")
    (renamed,) = only(match(sheet(OLD), back(mark(name="hook"))))
    assert (renamed.box.track, renamed.box.visibility) == (None, None)


def test_a_confirmed_box_is_the_exported_one_to_the_last_bit():
    (kept,) = only(match(sheet(OLD), back(mark(moved_by(4e-5)))))
    assert kept.box.box_xyxy == PLACE


def test_a_copied_box_is_a_new_one():
    found = match(sheet(OLD), back(mark(), mark(moved_by(0.4))))
    assert sorted(c.action for c in only(found)) == ["added", "confirmed"]


def test_swapped_labels_of_two_boxes_without_ids_go_by_place():
    other = Drawn("id2", "instrument", "hook", (0.6, 0.6, 0.9, 0.9), 0.8)
    marked = [mark(name="hook", box_id=None), mark(other.box_xyxy, "grasper", None)]
    found = match(sheet(OLD, other), back(*marked))
    assert [c.action for c in only(found)] == [Action.RELABELLED, Action.RELABELLED]


def test_the_same_label_is_preferred_to_a_better_overlap():
    near = Drawn("id2", "instrument", "hook", (0.12, 0.12, 0.32, 0.32), 0.8)
    marked = mark((0.12, 0.12, 0.32, 0.32), "grasper", None)
    found = match(sheet(OLD, near), back(marked))
    assert {(c.action, c.box.box_id) for c in only(found)} == {
        (Action.MOVED, "id1"), (Action.DELETED, "id2"),
    }  # fmt: skip


def test_an_empty_picture_says_that_nothing_is_there():
    found = match(sheet(OLD), back())
    assert [c.action for c in only(found)] == [Action.DELETED]
    assert found.frames.imported == 1
    assert only(match(sheet(), back())) == ()


@pytest.mark.parametrize(
    ("marked", "code"),
    [
        pytest.param(mark(name="drill"), ChangeReason.UNKNOWN_LABEL, id="label"),
        pytest.param(mark((0.3, 0.1, 0.1, 0.3)), ChangeReason.BAD_BOX, id="backwards"),
        pytest.param(mark((0.1, 0.1, 0.1, 0.3)), ChangeReason.BAD_BOX, id="empty"),
        pytest.param(mark((0.1, float("nan"), 0.3, 0.3)), ChangeReason.BAD_BOX, id="nan"),
        pytest.param(mark((0.1, 0.1, float("inf"), 0.3)), ChangeReason.BAD_BOX, id="infinite"),
        pytest.param(mark((0.8, 0.8, 1.1, 0.9)), ChangeReason.OUTSIDE, id="over-the-edge"),
        pytest.param(mark((1.001, 0.1, 1.01, 0.3)), ChangeReason.OUTSIDE, id="beside"),
        pytest.param(mark(None, note="a polygon"), ChangeReason.BAD_SHAPE, id="polygon"),
    ],
)
def test_a_box_that_cannot_be_kept_leaves_its_frame_out(marked, code):
    good = mark((0.5, 0.5, 0.7, 0.7), box_id=None)
    found = match(sheet(OLD), back(good, marked))
    assert [(one.code, one.outcome, one.where) for one in found.rejects] == [
        (code, "frame", "spot")
    ]
    assert found.reviewed == []
    assert (found.frames.rejected, found.boxes.left_out, found.boxes.untouched) == (1, 2, 1)
    assert found.frames.balanced and found.boxes.balanced


def test_a_box_just_over_the_edge_is_clipped_and_said_so():
    found = match(sheet(), back(mark((0.8, -0.01, 1.015, 0.9), box_id=None)))
    assert [(one.code, one.outcome) for one in found.rejects] == [
        (ChangeReason.CLIPPED, "repaired")
    ]
    assert only(found)[0].box.box_xyxy == (0.8, 0.0, 1.0, 0.9)


def test_the_same_box_twice_counts_once():
    found = match(sheet(OLD), back(mark(), mark(box_id=None)))
    assert [(one.code, one.outcome) for one in found.rejects] == [
        (ChangeReason.DUPLICATE_BOX, "box")
    ]
    assert [c.action for c in only(found)] == [Action.CONFIRMED]
    assert found.boxes.left_out == 1 and found.boxes.balanced


def test_pictures_that_are_none_of_the_round_or_come_twice():
    reading = back(mark())
    reading.pictures += [*back(mark(), file="b.png").pictures, *back(file="a.png").pictures]
    found = match(sheet(OLD), reading)
    assert [one.code for one in found.rejects] == [
        ChangeReason.UNKNOWN_PICTURE, ChangeReason.DUPLICATE_PICTURE,
    ]  # fmt: skip
    assert found.boxes.confirmed == 1 and found.boxes.left_out == 1 and found.boxes.balanced


def test_a_picture_of_another_size_is_left_out():
    found = match(sheet(OLD), back(mark(), size=(50, 50)))
    assert [(one.code, one.outcome) for one in found.rejects] == [
        (ChangeReason.CHANGED_SIZE, "frame")
    ]
    assert found.frames.rejected == 1 and found.boxes.balanced


def test_a_picture_that_is_not_there_is_not_reviewed():
    found = match(sheet(OLD), ReturnedFile())
    assert found.not_reviewed == ["a.png"]
    assert found.frames.not_reviewed == 1 and found.boxes.untouched == 1


@cases("seed", range(40))
def test_books_balance_whatever_comes_back(seed):
    dice = np.random.Generator(np.random.PCG64(seed))

    def some(count):
        for n in range(count):
            x, y = dice.uniform(-0.1, 0.8, 2)
            w, h = dice.uniform(-0.05, 0.5, 2)
            name = ("grasper", "hook", "drill")[int(dice.integers(0, 3)) if n % 4 == 0 else n % 2]
            place = (float(x), float(y), float(x + w), float(y + h))
            yield name, place if dice.uniform() > 0.1 else None, int(dice.integers(0, 12))

    frames = tuple(
        SheetFrame(
            f"{n}.png", "A", n, n, 100, 100,
            tuple(
                Drawn(f"{n}-{k}", "instrument", "hook", place or PLACE, 0.5)
                for _, place, k in some(int(dice.integers(0, 5)))
            ),
            medium="",
        )
        for n in range(6)
    )  # fmt: skip
    reading = ReturnedFile([
        Returned(
            f"{int(dice.integers(0, 8))}.png", (100, 100), bool(dice.uniform() > 0.2),
            tuple(ReturnedBox(name, place, f"{n}-{k}", "s", "x")
                  for name, place, k in some(int(dice.integers(0, 5)))),
            "p",
        )
        for n in range(9)
    ])  # fmt: skip
    found = match(RoundSheet(1, LABELS, frames), reading)
    assert found.frames.balanced and found.boxes.balanced
    assert found.frames.exported == 6
    assert found.boxes.in_file == sum(len(one.boxes) for one in reading.pictures)
    named = [one.frame.file for one in found.reviewed] + found.not_reviewed
    named += list({one.file for one in found.rejects if one.outcome == "frame"})
    assert sorted(named) == [f"{n}.png" for n in range(6)]
