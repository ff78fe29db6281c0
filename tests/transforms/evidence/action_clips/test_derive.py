"""Clips from verbs and phases: the worked example, each rule, and tiling whatever comes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.action_clips import CONTEXT, Clip, VideoClips
from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.errors import UserError
from surgqa.ontology.next_actions import action_ids, action_of_verbs
from surgqa.ontology.records import Code
from surgqa.transforms.evidence.action_clips.derive import (
    ActionLimits,
    Derived,
    Seconds,
    derive,
    inherited,
)
from surgqa.transforms.evidence.action_clips.runs import calibrated, merged, smoothed
from surgqa.transforms.exports.sapbench.statistics import figures
from tests.each import cases

ORDER = action_ids()
ACTION = {
    "D": "dissection", "R": "tissue_retraction", "C": "vessel_clipping", "K": "coagulation",
    "A": "aspiration",
}  # fmt: skip


def instants(
    shown: str,
    phases: Sequence[str | None] | None = None,
    frames: Sequence[int] | None = None,
    central: Sequence[bool | None] | None = None,
) -> Seconds:
    """One letter a second: an action, or '.' for idling; ``central`` is None without a box."""
    n = len(shown)
    central = [None] * n if central is None else central
    return Seconds(
        np.array(range(n) if frames is None else frames, np.int64),
        np.array([ORDER.index(ACTION[one]) if one != "." else -1 for one in shown], np.int8),
        np.array([one in CONTEXT for one in phases] if phases else [True] * n, bool),
        np.array([one is not None for one in central], bool), np.array([*map(bool, central)], bool),
    )  # fmt: skip


def made_of(given_: Seconds, **limits) -> Derived:
    return derive("v", given_, ActionLimits(**limits))


def clips(shown: str, **limits) -> list[tuple[int, int, str]]:
    made = made_of(instants(shown), **limits)
    return [(one.start, one.end, one.action) for one in made.clips.clips]


def test_worked_example():
    made = made_of(instants("D" * 20 + "R" * 3 + "D" * 10 + "C" * 8 + "D" * 6))
    assert [(c.start, c.end, c.action) for c in made.clips.clips] == [
        (0, 32, "dissection"), (33, 40, "vessel_clipping"), (41, 46, "dissection"),
    ]  # fmt: skip
    assert made.clips.following == 2
    assert made.clips.clips[0].purity == 30 / 33
    assert made.clips.clips[0].centrality is None


@cases(
    ("verbs", "action"),
    [
        ({"clip", "coagulate", "aspirate", "dissect", "retract"}, "vessel_clipping"),
        ({"coagulate", "irrigate", "cut", "grasp"}, "coagulation"),
        ({"irrigate", "dissect", "retract"}, "aspiration"),
        ({"aspirate", "cut"}, "aspiration"),
        ({"cut", "retract"}, "dissection"),
        ({"dissect", "grasp"}, "dissection"),
        ({"grasp"}, "tissue_retraction"),
        ({"retract", "pack"}, "tissue_retraction"),
        ({"pack"}, None),
        (set(), None),
    ],
)
def test_priority_of_verbs(verbs, action):
    assert action_of_verbs(verbs) == action


def test_idle_frames_inherit_and_leading_ones_take_the_first():
    assert clips("...DDD..KKK.", shortest=1) == [(0, 7, "dissection"), (8, 11, "coagulation")]


def test_a_short_run_between_equal_neighbours_joins_the_earlier():
    assert clips("D" * 10 + "KK" + "R" * 10) == [
        (0, 11, "dissection"), (12, 21, "tissue_retraction"),
    ]  # fmt: skip


def test_the_shortest_goes_first_and_the_earliest_of_several():
    # K (2 s) goes first, to the longer A; then R (3 s), to A again.
    assert clips("D" * 9 + "RRR" + "KK" + "A" * 9) == [
        (0, 8, "dissection"), (9, 22, "aspiration"),
    ]  # fmt: skip
    assert smoothed([(0, 9), (1, 3), (2, 2), (1, 9)], 5) == [(0, 9), (1, 14)]
    assert smoothed([(0, 6), (1, 2), (2, 2), (3, 6)], 5) == [(0, 10), (3, 6)]


def test_ends_go_to_their_only_neighbour_and_a_single_run_stays():
    assert smoothed([(0, 2), (1, 9), (0, 4)], 5) == [(1, 15)]
    assert smoothed([(0, 2)], 5) == [(0, 2)]
    assert smoothed([], 5) == []


def test_other_phases_cut_the_context_and_give_no_sample_across():
    phases = [None] * 2 + [CONTEXT[0]] * 8 + ["cleaning_and_coagulation"] * 3 + [CONTEXT[1]] * 8
    given_ = instants("D" * 10 + "K" * 3 + "C" * 8, phases)
    made = made_of(given_)
    assert made.context == ((2, 9), (13, 20))
    assert made.clips.context == ((2, 9), (13, 20))
    assert [(c.start, c.end) for c in made.clips.clips] == [(2, 9), (13, 20)]
    assert made.clips.following == 0
    assert replace(made.clips, derived=False).following == 1
    assert made.books.balanced and made.books.read == 16


def test_heichole_and_cholect50_phases_of_the_context_are_one_vocabulary():
    assert set(CONTEXT) <= set(vocabulary("phases"))


def test_time_that_nobody_looked_at_cuts_unless_it_is_within_reach():
    given_ = instants("DDDDDCCCCC", frames=[0, 1, 2, 3, 4, 8, 9, 10, 11, 12])
    assert made_of(given_).clips.context == ((0, 4), (8, 12))
    made = made_of(given_, reach=4)
    assert [(c.start, c.end, c.action) for c in made.clips.clips] == [
        (0, 7, "dissection"), (8, 12, "vessel_clipping"),
    ]  # fmt: skip
    assert made.clips.clips[0].purity == 5 / 8


def test_a_stretch_without_any_action_is_rejected():
    made = made_of(instants("....DDDDD", [CONTEXT[0]] * 3 + ["preparation"] + [CONTEXT[0]] * 5))
    assert [(r.code, r.count) for r in made.rejected] == [(Code.NO_EVIDENCE, 3)]
    assert made.books.balanced and made.books.kept == 5


def test_purity_and_centrality_are_measured_and_drop_only_where_limits_are_set():
    central = [False] * 6 + [True] * 4 + [None] * 5 + [True] * 5
    given_ = instants("D" * 7 + "." * 3 + "C" * 10, central=central)
    first, second = made_of(given_).clips.clips
    assert (first.purity, first.centrality) == (0.7, 0.4)
    assert (second.purity, second.centrality) == (1.0, 1.0)
    strict = made_of(given_, purity=0.8, centrality=0.5)
    assert [c.action for c in strict.clips.clips] == ["vessel_clipping"]
    assert [(r.code, r.count) for r in strict.rejected] == [(Code.GATE, 10)]
    assert "purity 0.70" in strict.rejected[0].reason
    assert strict.books.balanced
    lenient = made_of(given_, purity=0.7, centrality=0.5)
    assert "centrality 0.40" in lenient.rejected[0].reason


def test_figures_count_what_is_asked_about():
    given_ = instants("D" * 8 + "K" * 3 + "C" * 8 + "D" * 8, ["preparation"] * 0 + [CONTEXT[0]] * 8
                      + ["cleaning_and_coagulation"] * 3 + [CONTEXT[1]] * 16)  # fmt: skip
    made = made_of(given_).clips
    assert figures([made]).samples == 1
    of_people = replace(made, derived=False)
    assert figures([of_people]).samples == 2
    assert figures([made]).to_dict()["holes"] == 1


def test_calibration_takes_the_smallest_threshold_within_five_percent():
    # 100 runs of 10 s; between them 1 s, 2 s and 3 s runs, 30 each.
    runs = [(k % 2, 10) for k in range(100)]
    stretches = [runs] + [[(0, 10), (1, n), (0, 10)] for n in (1, 2, 3) for _ in range(30)]
    made = calibrated(stretches, target=310)
    assert (made.threshold, made.clips) == (2, 310)
    assert made.tried == ((1, 370), (2, 310))
    assert calibrated(stretches, target=355).threshold == 1
    assert calibrated(stretches, target=250).threshold == 3
    for threshold, count in made.tried:
        assert sum(len(smoothed(one, threshold)) for one in stretches) == count


def test_calibration_that_cannot_succeed_says_what_is_nearest():
    with pytest.raises(UserError) as caught:
        calibrated([[(0, 70), (1, 70)]])
    assert "729" in caught.value.summary and "2 with 1 s" in caught.value.found


phase = st.sampled_from([*CONTEXT, "preparation", None])


@given(
    runs=st.lists(
        st.tuples(st.sampled_from("DRCKA."), st.integers(1, 12)), min_size=1, max_size=30
    ),
    phases=st.lists(st.tuples(phase, st.integers(1, 40)), min_size=1, max_size=12),
    holes=st.sets(st.integers(0, 359), max_size=30),
    shortest=st.integers(1, 12),
    reach=st.integers(1, 6),
)
def test_clips_always_tile_the_context(runs, phases, holes, shortest, reach):
    shown = "".join(letter * n for letter, n in runs)
    where = [name for name, n in phases for _ in range(n)]
    where += [where[-1]] * (len(shown) - len(where))
    kept = [k for k in range(len(shown)) if k not in holes]
    given_ = instants("".join(shown[k] for k in kept), [where[k] for k in kept], kept)
    made = made_of(given_, shortest=shortest, reach=reach)
    assert made.books.balanced
    empty = {int(r.where.split()[1]) for r in made.rejected}
    context = [one for one in made.context if one[0] not in empty]
    by_part = [[c for c in made.clips.clips if a <= c.start and c.end <= b] for a, b in context]
    assert [c for part in by_part for c in part] == list(made.clips.clips)
    for part, stretch in zip(by_part, context, strict=True):
        assert tiles(part, stretch)
        assert len(part) == 1 or all(c.frames >= shortest for c in part)
    assert made.clips.following == sum(len(part) - 1 for part in by_part)


def tiles(clips: Sequence[Clip], stretch: tuple[int, int]) -> bool:
    """Whether every frame of the stretch belongs to one clip, and neighbours differ."""
    video = VideoClips("", tuple(clips))
    return video.context == (stretch,) and not video.repeats


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 20)), max_size=40), st.integers(1, 20))
def test_smoothing_keeps_the_time_and_goes_on_where_a_lower_threshold_stopped(runs, shortest):
    runs = merged(runs)
    made = smoothed(runs, shortest)
    assert sum(n for _, n in made) == sum(n for _, n in runs)
    assert made == merged(made)
    assert made == smoothed(smoothed(runs, max(shortest - 1, 1)), shortest)


def test_runs_before_smoothing_are_told_for_calibration():
    given_ = instants("DDD..KKR")
    assert [n for _, n in made_of(given_).runs[0]] == [5, 2, 1]
    assert inherited(given_, slice(0, 8)).tolist() == [0, 0, 0, 0, 0, 3, 3, 2]
