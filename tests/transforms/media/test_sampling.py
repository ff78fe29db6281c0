"""Samples and pieces: against the rule written out as a loop."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.ontology.errors import UserError
from surgqa.transforms.media import FrameTable, Samples
from surgqa.transforms.media.sampling import plan_pieces, sample
from tests.each import cases


def table(starts, end, restarts=(0,), period=None):
    ticks = np.array(starts, dtype=np.int64)
    return FrameTable(ticks, ticks, np.ones(len(ticks), bool), end, restarts=restarts,
                      period_us=period)  # fmt: skip


def by_hand(starts, end, rate, period):
    out, before, k = [], None, 0
    while k / rate * 1_000_000 < end:
        at = k / rate * 1_000_000
        shown = [n for n, s in enumerate(starts) if s <= at + Fraction(1, 2)]
        k += 1
        if not shown:
            continue
        rounded = int(at + Fraction(1, 2))
        if period is not None and rounded >= starts[shown[-1]] + period:
            continue
        fresh = shown[-1] != before
        out.append((starts[shown[-1]] if fresh else rounded, shown[-1]))
        before = shown[-1]
    return out


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 400_000), min_size=1, max_size=30),
    st.fractions(Fraction(1, 3), 60, max_denominator=1001),
    st.integers(0, 500_000),
    st.one_of(st.none(), st.integers(30_000, 200_000)),
)
def test_samples_follow_the_rule(steps, rate, first, period):
    starts = (first + np.cumsum([0, *steps[:-1]])).tolist()
    end = starts[-1] + steps[-1]
    found = sample(table(starts, end, period=period), rate)
    pairs = list(zip(found.times_us.tolist(), found.frames.tolist(), strict=True))
    assert pairs == by_hand(starts, end, rate, period)
    assert (np.diff(found.times_us) > 0).all()


def test_every_frame_and_no_rate():
    shown = table([0, 5, 9], 12)
    assert sample(shown, None).times_us.tolist() == [0, 5, 9]
    for rate in (Fraction(0), Fraction(-1)):
        with pytest.raises(UserError, match="above 0"):
            sample(shown, rate)


def test_pieces_are_about_as_long_as_asked_and_begin_close_to_entries():
    starts = np.arange(1000) * 100_000
    entries = tuple(range(0, 1000, 37))
    shown = table(starts, 100_000_000, entries)
    samples = sample(shown, None)
    pieces = plan_pieces(shown, samples, 10, 20_000_000)
    assert pieces[0][0] == 0 and pieces[-1][1] == 100 and len(pieces) == 5
    assert all(10 <= last - first <= 30 for first, last in pieces), "batches of a second"
    for first, _ in pieces[1:]:
        since = first * 10 - max(e for e in entries if e <= first * 10)
        assert since <= 10, "little is decoded in vain"


@cases("every", [10, 25, 33, 100])
def test_pieces_stay_near_the_length_whatever_the_distance_of_entries(every):
    shown = table(np.arange(6000) * 40_000, 240_000_000, tuple(range(0, 6000, every)))
    pieces = plan_pieces(shown, sample(shown, Fraction(5)), 8, 15_000_000)
    lengths = [1.6 * (last - first) for first, last in pieces]
    assert min(lengths) >= 7.5 and max(lengths) <= 24.1
    assert [first for first, _ in pieces[1:]] == [last for _, last in pieces[:-1]]


@cases(
    ("restarts", "piece", "count"),
    [((0,), 20_000_000, 1), (None, 20_000_000, 5), ((0, 500), 10_000_000, 2),
     ((0, 500), 90_000_000, 1)],
)  # fmt: skip
def test_what_cannot_be_sought_or_is_short_is_one_piece(restarts, piece, count):
    shown = table(np.arange(1000) * 100_000, 100_000_000, restarts)
    pieces = plan_pieces(shown, sample(shown, None), 10, piece)
    assert len(pieces) == count and pieces[-1][1] == 100


def test_nothing_to_look_at_is_no_piece():
    empty = Samples(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert plan_pieces(table([0], 1), empty, 8, 1000) == []
