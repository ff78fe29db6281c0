"""Clips from verbs and phases: the worked example, each rule, and tiling whatever comes."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.concepts import vocabulary
from ontology.errors import UserError
from ontology.next_actions import action_of_verbs
from ontology.records import Code
from transforms.windows.action_clips import (
    ActionLimits,
    Instants,
    calibrated,
    context_of,
    derive,
    figures,
    own_actions,
    raw_runs,
    samples_of,
    tiles,
)
from transforms.windows.action_clips.runs import merged, smoothed
from transforms.windows.action_clips.settings import PHASES

VERB = {"D": "dissect", "R": "retract", "C": "clip", "K": "coagulate", "A": "aspirate"}
ACTION = {
    "D": "dissection", "R": "tissue_retraction", "C": "vessel_clipping", "K": "coagulation",
    "A": "aspiration",
}  # fmt: skip


def instants(
    shown: str,
    phases: Sequence[str | None] | None = None,
    frames: Sequence[int] | None = None,
    centres: Sequence[tuple[tuple[float, float], ...]] | None = None,
) -> Instants:
    """One letter a second: an action, or '.' for idling."""
    n = len(shown)
    return Instants(
        np.array(range(n) if frames is None else frames, dtype=np.int64),
        [frozenset() if one == "." else frozenset({VERB[one]}) for one in shown],
        [PHASES[0]] * n if phases is None else phases,
        [()] * n if centres is None else centres,
    )


def clips(shown: str, **limits) -> list[tuple[int, int, str]]:
    made = derive("v", instants(shown), ActionLimits(**limits))
    return [(one.start, one.end, one.action) for one in made.clips.clips]


def test_worked_example():
    made = derive("v", instants("D" * 20 + "R" * 3 + "D" * 10 + "C" * 8 + "D" * 6))
    assert [(c.start, c.end, c.action) for c in made.clips.clips] == [
        (0, 32, "dissection"), (33, 40, "vessel_clipping"), (41, 46, "dissection"),
    ]  # fmt: skip
    assert [(s.frame, s.action, s.following) for s in samples_of(made.clips)] == [
        (32, "vessel_clipping", "dissection"), (40, "dissection", None),
    ]  # fmt: skip
    assert made.clips.clips[0].purity == 30 / 33
    assert made.clips.clips[0].centrality is None


@pytest.mark.parametrize(
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
    phases = [None] * 2 + [PHASES[0]] * 8 + ["cleaning_and_coagulation"] * 3 + [PHASES[1]] * 8
    given_ = instants("D" * 10 + "K" * 3 + "C" * 8, phases)
    assert context_of(given_) == [(2, 9), (13, 20)]
    made = derive("v", given_)
    assert made.clips.context == ((2, 9), (13, 20))
    assert [(c.start, c.end) for c in made.clips.clips] == [(2, 9), (13, 20)]
    assert samples_of(made.clips) == ()
    across = samples_of(replace(made.clips, derived=False))
    assert [(one.frame, one.hole) for one in across] == [(12, 3)]
    assert made.books.balanced and made.books.read == 16


def test_heichole_and_cholect50_phases_of_the_context_are_one_vocabulary():
    assert set(PHASES) <= set(vocabulary("phases"))


def test_time_that_nobody_looked_at_cuts_unless_it_is_within_reach():
    given_ = instants("DDDDDCCCCC", frames=[0, 1, 2, 3, 4, 8, 9, 10, 11, 12])
    assert derive("v", given_).clips.context == ((0, 4), (8, 12))
    made = derive("v", given_, ActionLimits(reach=4))
    assert [(c.start, c.end, c.action) for c in made.clips.clips] == [
        (0, 7, "dissection"), (8, 12, "vessel_clipping"),
    ]  # fmt: skip
    assert made.clips.clips[0].purity == 5 / 8


def test_a_stretch_without_any_action_is_rejected():
    made = derive("v", instants("....DDDDD", [PHASES[0]] * 3 + ["preparation"] + [PHASES[0]] * 5))
    assert [(r.code, r.count) for r in made.rejected] == [(Code.NO_EVIDENCE, 3)]
    assert made.books.balanced and made.books.kept == 5


def test_purity_and_centrality_are_measured_and_drop_only_in_strict_mode():
    middle, edge = ((0.5, 0.5),), ((0.2, 0.81),)
    centres = [edge] * 6 + [middle] * 4 + [()] * 5 + [((0.8, 0.2),)] * 5
    given_ = instants("D" * 7 + "." * 3 + "C" * 10, centres=centres)
    first, second = derive("v", given_).clips.clips
    assert (first.purity, first.centrality) == (0.7, 0.4)
    assert (second.purity, second.centrality) == (1.0, 1.0)
    strict = derive("v", given_, ActionLimits(strict=True))
    assert [c.action for c in strict.clips.clips] == ["vessel_clipping"]
    assert [(r.code, r.count) for r in strict.rejected] == [(Code.GATE, 10)]
    assert "purity 0.70" in strict.rejected[0].reason
    assert strict.books.balanced
    lenient = derive("v", given_, ActionLimits(strict=True, purity=0.7))
    assert "centrality 0.40" in lenient.rejected[0].reason


def test_near_frames_end_on_the_current_frame():
    sample = samples_of(derive("v", instants("D" * 23 + "C" * 6)).clips)[0]
    assert sample.near_frames == (0, 4, 8, 13, 17, 22)
    assert sample.near_frames[-1] == sample.frame == sample.asked.start - 1
    assert sample.elapsed == Fraction(23, 29)


def test_history_and_plan():
    made = derive("v", instants("D" * 5 + "C" * 5 + "K" * 5 + "A" * 5 + "R" * 5))
    second = samples_of(made.clips)[1]
    assert second.history == ("dissection", "vessel_clipping")
    assert second.planned(2) == ("coagulation", "aspiration")
    assert second.planned(9) == ("coagulation", "aspiration", "tissue_retraction")


def test_figures_count_what_is_asked_about():
    given_ = instants("D" * 8 + "K" * 3 + "C" * 8 + "D" * 8, ["preparation"] * 0 + [PHASES[0]] * 8
                      + ["cleaning_and_coagulation"] * 3 + [PHASES[1]] * 16)  # fmt: skip
    made = derive("v", given_).clips
    assert figures([made]).samples == 1 == len(samples_of(made))
    of_people = replace(made, derived=False)
    assert figures([of_people]).samples == 2 == len(samples_of(of_people))
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


phase = st.sampled_from([*PHASES, "preparation", None])


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
    limits = ActionLimits(shortest=shortest, reach=reach)
    made = derive("v", given_, limits)
    assert made.books.balanced
    empty = {int(r.where.split()[1]) for r in made.rejected}
    context = [one for one in context_of(given_, limits) if one[0] not in empty]
    by_part = [[c for c in made.clips.clips if a <= c.start and c.end <= b] for a, b in context]
    assert [c for part in by_part for c in part] == list(made.clips.clips)
    for part, stretch in zip(by_part, context, strict=True):
        assert tiles(part, [stretch])
        assert len(part) == 1 or all(c.frames >= shortest for c in part)
    samples = samples_of(made.clips)
    assert [s.asked for s in samples] == [c for part in by_part for c in part[1:]]
    for s in samples:
        assert s.frame == s.before.end == s.asked.start - 1
        assert max(s.near_frames) < s.asked.start


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 20)), max_size=40), st.integers(1, 20))
def test_smoothing_keeps_the_time_and_goes_on_where_a_lower_threshold_stopped(runs, shortest):
    runs = merged(runs)
    made = smoothed(runs, shortest)
    assert sum(n for _, n in made) == sum(n for _, n in runs)
    assert made == merged(made)
    assert made == smoothed(smoothed(runs, max(shortest - 1, 1)), shortest)


def test_raw_runs_are_what_derivation_smooths():
    given_ = instants("DDD..KKR")
    assert [n for _, n in raw_runs(given_)[0]] == [5, 2, 1]
    assert own_actions(given_).tolist() == [0, 0, 0, -1, -1, 3, 3, 2]


def test_instants_must_be_in_order_and_of_one_number():
    with pytest.raises(ValueError, match="ascending"):
        instants("DD", frames=[1, 1])
    with pytest.raises(ValueError, match="numbers"):
        Instants(np.array([1]), [], [None], [()])
