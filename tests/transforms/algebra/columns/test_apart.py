"""Instances are told apart by what can be seen, or not at all."""

from __future__ import annotations

from surgqa.transforms.algebra.columns.apart import track_words
from tests.transforms.questions.made import relation, rows
from tests.transforms.timeline.videos import RETRACT, Seen, box_at


def told(*xs: float | None, **more) -> list[str]:
    """What tells graspers apart that stay at these places; '?' where nothing does."""
    seen = [Seen("grasper", None if x is None else box_at(x, 0.5), RETRACT, k)
            for k, x in enumerate(xs)]  # fmt: skip
    known = relation(dict.fromkeys(range(4), seen))
    (found,) = track_words(rows(known, (0, 0, 4)))
    tracks = sorted(known.codes.name(int(c)) for c in set(known.facts.track.tolist()))
    return [found.get(track, "?") for track in tracks]


def test_one_that_is_alone_needs_no_more_words():
    assert told(0.5) == [""]


def test_two_are_told_by_their_sides():
    assert told(0.2, 0.8) == [" on the left", " on the right"]


def test_two_that_are_close_are_not_told_apart():
    assert told(0.45, 0.5) == ["?", "?"]


def test_the_one_between_two_others_has_no_side():
    assert told(0.1, 0.5, 0.9) == [" on the left", "?", " on the right"]


def test_without_boxes_nothing_is_seen():
    assert set(told(None, None)) == {"?"}


def test_another_class_does_not_matter():
    seen = [Seen("grasper", box_at(0.45, 0.5), RETRACT), Seen("hook", box_at(0.5, 0.5), RETRACT)]
    (found,) = track_words(rows(relation({0: seen, 1: seen}), (0, 0, 2)))
    assert sorted(found.values()) == ["", ""]


def test_only_the_window_counts():
    left, right = (Seen("grasper", box_at(x, 0.5), RETRACT, k) for k, x in enumerate((0.2, 0.8)))
    known = relation({0: [left, right], 1: [left, right], 2: [left], 3: [left], 4: [left]})
    two, one = track_words(rows(known, (0, 0, 2), (0, 3, 5)))
    assert sorted(two.values()) == [" on the left", " on the right"]
    assert list(one.values()) == [""]
