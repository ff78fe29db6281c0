"""States of tissue: votes, changes, the tool."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.observed import MASKS
from surgqa.transforms.evidence.derive.motion import motion_of
from surgqa.transforms.evidence.derive.settings import MotionLimits, TissueLimits
from surgqa.transforms.evidence.derive.tissue import _changes, _seen_states, _voted, tissue_rows
from surgqa.transforms.evidence.derive.tracks import tracks_of

LIMITS = TissueLimits()


def changes(track):
    return _changes(track.time_us, _seen_states(track), LIMITS.vote_us)


def world(make, states, fps=5, tool_x=0.48, visibility=None):
    """A duct with its states, one look each, and two tools: one near it, one far."""
    time = make.ticks(len(states) / fps, fps)
    tracks = tracks_of(make.boxes(
        make.box_rows(7, "tissue", "cystic_duct", time, [0.5, 0.4, 0.7, 0.6],
                      state=list(states), visibility=visibility),
        make.box_rows(0, "instrument", "clipper", time, make.around(tool_x - 0.04, 0.5, 0.04)),
        make.box_rows(1, "instrument", "grasper", time, make.around(0.1, 0.9, 0.04)),
    ))  # fmt: skip
    duct = next(t for t in tracks if t.number == 7)
    tools = [t for t in tracks if t.number != 7]
    empty = MASKS.empty_table()
    motions = {t.number: motion_of(t, empty, 1_000_000 // fps, MotionLimits()) for t in tools}
    return duct, tools, motions, 1_000_000 // fps


def voted_states(track):
    return _voted(track.time_us, _seen_states(track), LIMITS.vote_us)[0]


def test_change_at_the_exact_sample(make):
    duct, tools, motions, period = world(make, ["intact"] * 15 + ["clipped"] * 15)
    rows = list(tissue_rows(duct, tools, motions, period, LIMITS))
    assert [(r.kind, r.label, r.time_us, r.end_us) for r in rows] == [
        ("tissue_state", "clipped", 3_000_000, 6_000_000)
    ]
    assert (rows[0].track, rows[0].other_track, rows[0].resolution_us) == (7, 0, 200_000)
    assert rows[0].value == pytest.approx(3 / 5)
    assert rows[0].source == "derive.tissue"


def test_flicker_is_outvoted(make):
    states = ["intact"] * 30
    states[10] = states[11] = "bleeding"
    states[20] = None
    duct, *_ = world(make, states)
    assert changes(duct) == []
    assert voted_states(duct) == ["intact"] * 30


def test_unknown_stays_unknown(make):
    duct, *_ = world(make, [None] * 20)
    assert set(voted_states(duct)) == {None}
    duct, *_ = world(make, ["intact"] * 5 + [None] * 10 + ["clipped"] * 5)
    voted = voted_states(duct)
    assert voted[:7] == ["intact"] * 7
    assert voted[8:12] == [None] * 4
    assert voted[-7:] == ["clipped"] * 7


def test_hidden_tissue_has_no_vote(make):
    states = ["intact"] * 10 + ["divided"] * 10 + ["intact"] * 10
    hidden = ["full"] * 10 + ["occluded"] * 10 + ["full"] * 10
    duct, tools, motions, period = world(make, states, visibility=hidden)
    assert changes(duct) == []
    rows = list(tissue_rows(duct, tools, motions, period, LIMITS))
    assert [(r.kind, r.label, r.time_us, r.other_track) for r in rows] == [
        ("tissue_visibility", "occluded", 2_000_000, None),
        ("tissue_visibility", "full", 4_000_000, None),
    ]


def test_a_tissue_that_heals_is_doubtful(make):
    duct, tools, motions, period = world(make, ["divided"] * 10 + ["intact"] * 10)
    rows = list(tissue_rows(duct, tools, motions, period, LIMITS))
    assert [r.source for r in rows] == ["derive.tissue.doubtful"]


def test_far_tools_are_not_put_down(make):
    duct, tools, motions, period = world(make, ["intact"] * 10 + ["clipped"] * 10, tool_x=0.3)
    assert [r.other_track for r in tissue_rows(duct, tools, motions, period, LIMITS)] == [None]


@given(st.lists(st.sampled_from(["intact", "clipped", "bleeding", None]), min_size=1, max_size=40))
def test_votes_as_counted_plainly(make, states):
    duct, *_ = world(make, states)
    time = duct.time_us
    last = None
    for n, voted in enumerate(voted_states(duct)):
        near = [
            s for s, t in zip(states, time, strict=True)
            if s is not None and abs(int(t) - int(time[n])) <= LIMITS.vote_us
        ]  # fmt: skip
        most = max((near.count(s) for s in near), default=0)
        best = sorted({s for s in near if near.count(s) == most})
        last = last if last in best else (best[0] if best else last)
        assert voted == (last if best else None)


@pytest.mark.parametrize("fps", [2, 5, 25])
def test_same_change_at_any_rate(make, fps):
    duct, *_ = world(make, ["intact"] * 4 * fps + ["divided"] * 4 * fps, fps)
    assert [int(duct.time_us[c.at]) for c in changes(duct)] == [4_000_000]
    assert np.unique(np.diff(duct.time_us)).tolist() == [1_000_000 // fps]
