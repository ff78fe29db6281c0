"""Blocks by hand, as docs/answers.md defines them, and against plain loops."""

import numpy as np
import pytest

from ontology.records import Window
from tests.transforms.questions.tables import SEEDS, evaluator, plain
from tests.transforms.timeline.videos import (
    BOTH,
    DISSECT,
    GRASP,
    IDLE,
    LIFT,
    RETRACT,
    S,
    Seen,
    timeline,
)
from transforms.questions.facts import Facts
from transforms.windows import view_windows

GONE = "gone"


def blocks(does, *, period=S, step=None, start=0, end=None, verbs=False):
    """Blocks (first, last, start and end in seconds, value) of one hook.

    ``does`` lists pairs, None for not annotated, GONE for an instant without the hook.
    ``step`` is the distance of the instants, or their times.
    """
    step = step or period
    times = step if isinstance(step, list) else [k * step for k in range(len(does))]
    instants = {
        t: [] if pairs == GONE else [Seen("hook", pairs=pairs, track=1)]
        for t, pairs in zip(times, does, strict=True)
    }
    made = timeline(instants, period)
    window = Window("clip", "w", start, times[-1] + period if end is None else end)
    facts = Facts(view_windows(made, (window,)))
    found, names = (facts.verb_runs, made.verbs) if verbs else (facts.blocks, made.table.pair_sets)
    return [(b.first, b.last, b.start_us / S, b.end_us / S, names[b.code]) for b in found[0]]


def test_a_block_lasts_half_a_period_to_each_side_inside_the_clip():
    found = blocks([RETRACT, RETRACT, DISSECT, DISSECT, DISSECT])
    assert found == [(0, 1, 0.0, 1.5, RETRACT), (2, 4, 1.5, 4.5, DISSECT)]


def test_the_clips_border_cuts_a_block():
    found = blocks([RETRACT] * 4, start=S, end=int(3.2 * S))
    assert found == [(0, 2, 1.0, 3.2, RETRACT)]


def test_an_instant_without_the_track_ends_a_block():
    found = blocks([RETRACT, RETRACT, GONE, RETRACT])
    assert found == [(0, 1, 0.0, 1.5, RETRACT), (3, 3, 2.5, 3.5, RETRACT)]


def test_not_annotated_pairs_are_in_no_block_and_end_one():
    found = blocks([RETRACT, None, RETRACT, None, None])
    assert found == [(0, 0, 0.0, 0.5, RETRACT), (2, 2, 1.5, 2.5, RETRACT)]


def test_nothing_annotated_gives_no_block():
    assert blocks([None, None, GONE]) == []


@pytest.mark.parametrize(
    ("gap", "same"),
    [
        pytest.param(1_500_000, True, id="one-and-a-half-periods"),
        pytest.param(1_500_001, False, id="just-longer"),
    ],
)
def test_a_gap_in_the_annotation_ends_a_block(gap, same):
    found = blocks([RETRACT, RETRACT, RETRACT], step=[0, S, S + gap])
    assert len(found) == (1 if same else 2)


def test_a_block_of_dense_labels_ends_at_a_gap_that_presence_bridges():
    """25 labels a second: a hole of 0.5 s is no break of presence, but of a block."""
    period = S // 25
    times = [k * period for k in range(5)] + [4 * period + S // 2 + k * period for k in range(5)]
    found = blocks([RETRACT] * 10, period=period, step=times)
    assert [(first, last) for first, last, *_ in found] == [(0, 4), (5, 9)]


def test_another_target_ends_a_block_but_not_a_verb_run():
    does = [RETRACT, RETRACT, LIFT, LIFT, DISSECT]
    assert [b[4] for b in blocks(does)] == [RETRACT, LIFT, DISSECT]
    assert blocks(does, verbs=True) == [
        (0, 3, 0.0, 3.5, "retract"),
        (4, 4, 3.5, 4.5, "dissect"),
    ]


def test_several_pairs_make_a_block_but_no_verb_run():
    does = [RETRACT, BOTH, BOTH, RETRACT]
    assert [b[4] for b in blocks(does)] == [RETRACT, BOTH, RETRACT]
    assert [(first, last) for first, last, *_ in blocks(does, verbs=True)] == [(0, 0), (3, 3)]


def test_idling_is_a_block_like_any_other():
    assert [b[4] for b in blocks([IDLE, IDLE, GRASP])] == [IDLE, GRASP]


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_and_verb_runs_are_those_of_plain_loops(seed):
    facts = evaluator(seed).facts
    timeline_ = facts.view.timeline
    for p, (w, track) in enumerate(zip(facts.windows_of, facts.track_ids, strict=True)):
        times = facts.times[w]
        window = plain(seed)[w]
        found = [
            (facts.pair_sets[b.code], times[b.first], times[b.last], b.start_us, b.end_us)
            for b in facts.blocks[p]
        ]
        assert found == [
            (b.value, b.first_us, b.last_us, b.start_us, b.end_us) for b in window.blocks(track)
        ]
        for v, verb in enumerate(timeline_.verbs):
            lengths = [b.duration_us for b in facts.verb_runs[p] if b.code == v]
            assert lengths == [b.length_us for b in window.verb_runs(track, verb)]


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_totals_are_sums_of_blocks(seed):
    facts = evaluator(seed).facts
    for p, (w, track) in enumerate(zip(facts.windows_of, facts.track_ids, strict=True)):
        window = plain(seed)[w]
        mine = window.blocks(track)
        assert facts.idle_us[p] == sum(b.length_us for b in mine if b.value == IDLE)
        assert facts.visible_us[p] == window.visible_us(track)
        assert facts.targets(p) == window.targets(track)
    for w, window in enumerate(plain(seed)):
        assert facts.active_us[w] == {
            label: sum(
                b.length_us
                for track in window.of_class(label)
                for b in window.blocks(track)
                if b.value != IDLE
            )
            for label in sorted({window.label(track) for track in window.tracks})
        }


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_two_of_a_class_coexist_where_an_instant_shows_both(seed):
    facts = evaluator(seed).facts
    for p, (w, track) in enumerate(zip(facts.windows_of, facts.track_ids, strict=True)):
        window = plain(seed)[w]
        label = window.label(track)
        both = [
            sum(s.label == label for s in window.in_view(t).values()) > 1 for t in window.instants
        ]
        for first, last in np.ndindex(len(both), len(both)):
            if first <= last:
                assert facts.coexist(p, first, last) == any(both[first : last + 1])
