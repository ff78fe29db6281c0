"""Fusing, suppression, joining and dividing of segments; their quality."""

from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.evidence.derive.hierarchy import (
    Boundary,
    BoundaryCue,
    Phrase,
    boundaries,
    candidates,
    fused,
    phase_of,
    phrases,
    segments,
    suppressed,
)
from surgqa.transforms.evidence.derive.rows import Happening
from surgqa.transforms.evidence.derive.settings import HierarchyLimits

LIMITS = HierarchyLimits()
S = 1_000_000

cues = st.lists(
    st.builds(
        BoundaryCue, st.integers(-5 * S, 200 * S), st.sampled_from(["scene", "tool", "speech"]),
        st.booleans(),
    ),
    max_size=60,
)  # fmt: skip
speech = st.lists(
    st.builds(
        Phrase, st.integers(0, 150 * S), st.integers(0, 150 * S),
        st.sampled_from(["dissection", "clipping", None]), st.none(),
    ),
    max_size=8,
)  # fmt: skip


def at(*seconds, source="scene"):
    return [BoundaryCue(round(t * S), source) for t in seconds]


def test_near_candidates_are_one_at_their_median():
    assert [b.time_us for b in fused(at(1.0, 1.2, 1.9), S)] == [1_200_000]
    assert [b.time_us for b in fused(at(1.0, 2.0), S)] == [1_500_000]
    assert [b.time_us for b in fused(at(1.0, 2.000001), S)] == [1_000_000, 2_000_001]
    # A group reaches as far as from its first candidate, so a row of cues does not melt.
    assert [b.time_us for b in fused(at(1.0, 1.8, 2.6, 3.4), S)] == [1_400_000, 3_000_000]
    assert [b.time_us for b in fused([BoundaryCue(4, "tool"), BoundaryCue(5, "tool")], S)] == [5]


def test_score_counts_distinct_sources():
    both = fused([*at(1.0, 1.1), *at(1.2, source="speech")], S)[0]
    assert (both.score, both.sources) == (2, ("scene", "speech"))


def test_weak_ones_near_strong_ones_go():
    strong = Boundary(10 * S, ("scene", "speech"), True)
    weak = [Boundary(t * S, ("tool",), False) for t in (7, 13, 14)]
    assert [b.time_us for b in suppressed([strong, *weak], 3 * S)] == [10 * S, 14 * S]
    equal = [Boundary(t * S, ("tool",), False) for t in (3, 5, 7)]
    assert [b.time_us for b in suppressed(equal, 3 * S)] == [3 * S, 7 * S]


@given(found=cues)
def test_suppression_is_the_plain_rule(found):
    candidates_ = fused(found, S)
    kept: list[Boundary] = []
    for one in sorted(candidates_, key=lambda b: (-b.score, b.time_us)):
        if not any(abs(one.time_us - k.time_us) <= 3 * S for k in kept):
            kept.append(one)
    mine = suppressed(candidates_, 3 * S)
    assert mine == sorted(kept, key=lambda b: b.time_us)
    assert all(b.time_us - a.time_us > 3 * S for a, b in zip(mine[:-1], mine[1:], strict=True))


def inner(seconds, duration=60, spoken=()):
    return [b.time_us / S for b in boundaries(at(*seconds), spoken, duration * S, LIMITS)]


def test_short_segments_join_the_longer_neighbour():
    assert inner([20, 24, 50]) == [20, 50]  # 20-24 joins 24-50
    assert inner([26, 30, 50]) == [30, 50]  # 26-30 joins 0-26
    assert inner([4, 30]) == [30]
    assert inner([30, 56]) == [30]


def test_short_segments_join_their_own_phase():
    spoken = [
        Phrase(10 * S, 12 * S, "dissection", None), Phrase(21 * S, 22 * S, "dissection", None),
        Phrase(30 * S, 32 * S, "clipping", None),
    ]  # fmt: skip
    assert inner([20, 24, 50], spoken=spoken) == [24, 50]


def test_long_segments_are_divided_equally():
    assert inner([], duration=61) == [30.5]
    assert inner([10], duration=200) == [10, 57.5, 105, 152.5]
    assert inner([], duration=60) == []


@given(found=cues, spoken=speech, duration=st.integers(1, 220 * S))
def test_every_level_tiles_the_video(found, spoken, duration):
    rows = list(segments(found, spoken, duration, LIMITS))
    edges = []
    for level in range(3):
        part = [r for r in rows if r.level == level]
        assert part[0].start_us == 0
        assert part[-1].end_us == duration
        assert all(a.end_us == b.start_us for a, b in zip(part[:-1], part[1:], strict=True))
        assert all(r.start_us < r.end_us for r in part)
        edges.append({r.start_us for r in part})
    assert edges[0] <= edges[1] <= edges[2]
    lengths = [r.end_us - r.start_us for r in rows if r.level == 2]
    assert max(lengths) <= 60 * S
    assert len(lengths) == 1 or min(lengths) >= 5 * S


@given(found=cues, shift=st.integers(-(10**6), 10**9))
def test_boundaries_move_with_the_clock(found, shift):
    later = [BoundaryCue(c.time_us + shift, c.source, c.high) for c in found]
    assert [b.time_us + shift for b in suppressed(fused(found, S), 3 * S)] == [
        b.time_us for b in suppressed(fused(later, S), 3 * S)
    ]


def test_phrases_and_candidates(make):
    said = make.anchors(
        (0, 1 * S, "dissection", "dissect", False),
        (2 * S, 3 * S, "dissection", "dissect", False),  # goes on
        (6 * S, 7 * S, "dissection", "dissect", False),  # three seconds later: anew
        (8 * S, 9 * S, "clipping", None, False),
        (10 * S, 11 * S, None, None, True),  # says nothing of phase or action
    )
    spoken = phrases(said, LIMITS)
    assert [(p.start_us, p.end_us, p.phase) for p in spoken] == [
        (0, 3 * S, "dissection"), (6 * S, 7 * S, "dissection"), (8 * S, 9 * S, "clipping")
    ]  # fmt: skip
    happened = [
        Happening(5 * S, 5 * S, kind, None, "test")
        for kind in ("cut", "enters", "illumination", "contact_switch", "leaves", "onset")
    ]
    found = candidates(happened, spoken)
    assert [(c.source, c.high) for c in found] == [
        ("scene", True), ("tool", False), ("tool", False), ("tool", False),
        ("speech", True), ("speech", False), ("speech", True),
    ]  # fmt: skip


def test_phase_of_a_stretch():
    spoken = [Phrase(0, 4, "a", None), Phrase(4, 10, "b", None), Phrase(12, 12, "c", None)]
    assert phase_of(spoken, 0, 10) == "b"
    assert phase_of(spoken, 0, 8) == "a"
    assert phase_of(spoken, 11, 13) == "c"
    assert phase_of(spoken, 10, 12) is None
