"""Cutting: every length by the written rule, nothing lost without being counted."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.keys import digest
from surgqa.ontology.records import Code
from surgqa.transforms.windows import ClipLimits, cut_clips
from surgqa.transforms.windows.clips import clip_bounds
from tests.transforms.timeline.videos import S, video

LIMITS = ClipLimits()
IN_RANGE = range(20 * S, 30 * S + 1)


def expected_clips(seconds: int) -> list[tuple[int, int]]:
    """The rule for whole seconds: n = clamp(round(D / 25), ceil(D / 30), floor(D / 20))."""
    fewest, most = -(-seconds // 30), seconds // 20
    if seconds < 20:
        return []
    if fewest > most:
        return [(0, 30)]
    n = min(max(floor(Fraction(seconds, 25) + Fraction(1, 2)), fewest), most)
    marks = [floor(Fraction(i * seconds, n)) for i in range(n + 1)]
    return list(zip(marks, marks[1:], strict=False))


def test_every_whole_length_up_to_200_seconds():
    for seconds in range(201):
        bounds = clip_bounds(seconds * S, LIMITS)
        assert bounds == [(a * S, b * S) for a, b in expected_clips(seconds)], seconds
        assert all(b - a in IN_RANGE for a, b in bounds), seconds
        covered = sum(b - a for a, b in bounds)
        assert covered == (0 if seconds < 20 else 30 * S if 30 < seconds < 40 else seconds * S)


@pytest.mark.parametrize(
    ("seconds", "lengths"),
    [
        pytest.param(19, [], id="too-short"),
        pytest.param(20, [20], id="shortest"),
        pytest.param(30, [30], id="longest-single"),
        pytest.param(31, [30], id="first-30-of-31"),
        pytest.param(39, [30], id="first-30-of-39"),
        pytest.param(40, [20, 20], id="two-shortest"),
        pytest.param(59, [29, 30], id="rounded-down-at-the-mark"),
        pytest.param(61, [20, 20, 21], id="three"),
        pytest.param(62, [20, 21, 21], id="as-few-as-fit"),
        pytest.param(125, [25, 25, 25, 25, 25], id="the-aim"),
        pytest.param(1000, [25] * 40, id="many"),
    ],
)
def test_lengths(seconds, lengths):
    assert [(b - a) // S for a, b in clip_bounds(seconds * S, LIMITS)] == lengths


@given(st.integers(0, 200 * S))
def test_any_length_is_covered_in_order_and_in_range(duration):
    bounds = clip_bounds(duration, LIMITS)
    assert all(b - a in IN_RANGE for a, b in bounds)
    edges = [edge for bound in bounds for edge in bound]
    assert edges[1:-1:2] == edges[2::2], "each clip starts where the one before ends"
    if duration < 20 * S:
        assert bounds == []
    elif 30 * S < duration < 40 * S:
        assert bounds == [(0, 30 * S)]
    else:
        assert (edges[0], edges[-1]) == (0, duration)


def stretch(first: int, seconds: int) -> list[int]:
    """Instants once a second that make a stretch of ``seconds``."""
    return [(first + k) * S for k in range(seconds)]


def cut(instants, period=S):
    return cut_clips(video(period), np.array(instants, np.int64))


def test_five_runs_of_a_video_give_five_clips():
    starts, lengths = (0, 100, 200, 300, 400), (35, 34, 28, 26, 21)
    found = cut([t for a, d in zip(starts, lengths, strict=True) for t in stretch(a, d)])
    assert [(w.start_us // S, w.end_us // S) for w in found.windows] == [
        (0, 30), (100, 130), (200, 228), (300, 326), (400, 421),
    ]  # fmt: skip
    assert [(r.code, r.count, r.where) for r in found.rejected] == [
        (Code.LEFT_OVER, 5 * S, "0.00-35.00 s"),
        (Code.LEFT_OVER, 4 * S, "100.00-134.00 s"),
    ]
    assert (found.books.read, found.books.kept, found.books.rejected) == (144 * S, 135 * S, 9 * S)


def test_a_short_stretch_is_left_out_with_its_reason():
    found = cut(stretch(5, 19))
    assert found.windows == ()
    (left,) = found.rejected
    assert (left.code, left.count, left.where) == (Code.TOO_SHORT, 19 * S, "5.00-24.00 s")
    assert "shorter than 20 s" in left.reason


@pytest.mark.parametrize(
    ("gap", "together"),
    [
        pytest.param(1_500_000, True, id="one-and-a-half-periods-hold-together"),
        pytest.param(1_500_001, False, id="just-more-ends-the-stretch"),
    ],
)
def test_where_a_stretch_ends(gap, together):
    first = stretch(0, 22)
    second = [t + first[-1] + gap for t in stretch(0, 22)]
    found = cut([*first, *second])
    assert any(w.start_us < second[0] < w.end_us for w in found.windows) is together


@st.composite
def irregular(draw) -> tuple[int, list[int]]:
    """A label period, and instants that keep it, waver, or leave holes."""
    period = draw(st.sampled_from([S, S // 2, 35 * S]))
    steps = st.sampled_from([100, 100, 100, 100, 100, 99, 137, 150, 151, 900])
    counts = st.lists(st.tuples(steps, st.integers(1, 60)), max_size=8)
    now, out = draw(st.integers(0, 3 * S)), []
    for share, many in draw(counts):
        for _ in range(many):
            out.append(now)
            now += share * period // 100
    return period, out


@given(irregular())
def test_books_balance_and_no_clip_leaves_annotated_time(given_instants):
    period, instants = given_instants
    found = cut(instants, period)
    assert found.books.balanced
    assert found.books.kept == sum(w.duration_us for w in found.windows)
    assert found.books.rejected == sum(r.count for r in found.rejected)
    assert found.books.read == annotated_us(instants, period)
    for window in found.windows:
        assert window.duration_us in IN_RANGE
        assert holes_inside(window, instants, period) == []
    for a, b in zip(found.windows, found.windows[1:], strict=False):
        assert a.end_us <= b.start_us


def annotated_us(instants: list[int], period: int) -> int:
    """Each instant lasts to the next, or a period where the next is too far off."""
    steps = [b - a for a, b in zip(instants, instants[1:], strict=False)]
    following = sum(step if 2 * step <= 3 * period else period for step in steps)
    return following + (period if instants else 0)


def holes_inside(window, instants: list[int], period: int) -> list[tuple[int, int]]:
    """Gaps between instants, too long to be annotated, that reach into the window."""
    return [
        (a, b)
        for a, b in zip(instants, instants[1:], strict=False)
        if 2 * (b - a) > 3 * period and a + period < window.end_us and window.start_us < b
    ]


@given(irregular())
def test_cutting_again_gives_the_same_ids(given_instants):
    period, instants = given_instants
    for window in cut(instants, period).windows:
        parts = ("clip", "testset/v1", window.start_us, window.end_us)
        assert window.window_id == digest(*parts)


def test_a_stretch_has_its_clips_whatever_else_was_annotated():
    alone = cut(stretch(100, 55)).windows
    among = cut([*stretch(0, 47), *stretch(100, 55), *stretch(200, 20)]).windows
    assert [w for w in among if 100 * S <= w.start_us < 200 * S] == list(alone)


def test_a_video_without_an_instant_gives_nothing():
    found = cut([])
    assert (found.windows, found.rejected) == ((), ())
    assert found.books.balanced
