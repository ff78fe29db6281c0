"""Instruments that come and go."""

import numpy as np

from surgqa.transforms.evidence.derive.presence import presences
from surgqa.transforms.evidence.derive.settings import PresenceLimits
from surgqa.transforms.evidence.derive.tracks import grid_of, tracks_of

LIMITS = PresenceLimits()
BOX = [0.4, 0.4, 0.5, 0.5]


def seen(make, looks, *spans):
    """(label, track, start, end) spans on the looks; end exclusive, in seconds."""
    parts = [
        make.box_rows(
            track, "instrument", label, looks[(looks >= a * 1e6) & (looks < b * 1e6)], BOX
        )
        for label, track, a, b in spans
    ]  # fmt: skip
    table = make.boxes(*parts)
    grid = grid_of({"frames": make.looks(looks), "boxes": table})
    rows = presences(tracks_of(table), grid, LIMITS)
    return sorted((r.kind, r.label, r.time_us / 1e6, r.resolution_us / 1e6) for r in rows)


def test_comes_and_goes(make):
    assert seen(make, make.ticks(20, 5), ("hook", 0, 3, 8), ("hook", 1, 12, 20)) == [
        ("enters", "hook", 3.0, 0.2), ("enters", "hook", 12.0, 0.2), ("leaves", "hook", 8.0, 0.2)
    ]  # fmt: skip


def test_in_view_from_first_to_last_look(make):
    assert seen(make, make.ticks(10, 5), ("hook", 0, 0, 10)) == []


def test_lost_and_found_by_the_linker(make):
    looks = make.ticks(20, 5)
    one = seen(make, looks, ("hook", 0, 3, 6), ("hook", 1, 8, 12), ("grasper", 2, 7, 9))
    assert one == [
        ("enters", "grasper", 7.0, 0.2), ("enters", "hook", 3.0, 0.2),
        ("leaves", "grasper", 9.0, 0.2), ("leaves", "hook", 12.0, 0.2),
    ]  # fmt: skip
    both = seen(make, looks, ("grasper", 0, 3, 9), ("grasper", 1, 8, 12))
    assert [r[0] for r in both] == ["enters", "enters", "leaves", "leaves"]


def test_flicker_neither_comes_nor_goes(make):
    assert seen(make, make.ticks(10, 5), ("hook", 0, 3, 3.2)) == []
    assert len(seen(make, make.ticks(10, 5), ("hook", 0, 3, 3.4))) == 2
    assert len(seen(make, make.ticks(10, 1), ("hook", 0, 3, 4))) == 2


def test_a_hole_without_looks_is_no_absence(make):
    looks = make.ticks(20, 5)
    looks = looks[(looks < 5e6) | (looks >= 12e6)]
    assert seen(make, looks, ("hook", 0, 2, 16)) == [
        ("enters", "hook", 2.0, 0.2), ("leaves", "hook", 16.0, 0.2)
    ]  # fmt: skip
    gone = seen(make, looks, ("hook", 0, 2, 5))
    assert gone == [("enters", "hook", 2.0, 0.2), ("leaves", "hook", 12.0, 7.2)]


def test_nothing_seen(make):
    table = make.boxes()
    assert tracks_of(table) == []
    grid = grid_of({"frames": make.looks(np.arange(3))})
    assert list(presences([], grid, LIMITS)) == []
