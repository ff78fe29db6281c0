"""Clips and pictures of random labels, found by the generator's rooms and by the check's loops."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transforms.checks.queries import continuations as veo
from transforms.checks.queries.actions import asked_of, next_action, plan, slots_of
from transforms.checks.queries.base import Query
from transforms.checks.queries.clips import Limits
from transforms.checks.queries.clips import derived_clips as looped
from transforms.checks.queries.stages import Rate, Start, seen_of, stages_of, start_of
from transforms.checks.queries.units import NotThePicture
from transforms.checks.rules.base import Undecided

from transforms.checks.evidence import VideoView
from transforms.exports.surgveo.continuations import (
    action_onsets,
    cut_continuations,
    hidden_intervals,
    stage_intervals,
    without,
)
from transforms.exports.surgveo.which_clip import frame_order, next_stage, stage_now
from transforms.readers.cholect50.reader import Reader
from transforms.timeline import build_timeline
from transforms.windows.action_clips import (
    ActionLimits,
    Clip,
    VideoClips,
    answer_value,
    derived_clips,
    samples_of,
    slots,
    with_phases,
)

from .drawn import LAP, S, cut_by_people, operations, stages_in_time, time, view_from


def query_at(view: VideoView, at_us: int, told: dict, **value) -> Query:
    row = {"query_us": at_us, "start_us": at_us, "end_us": at_us, "checks": [], "evidence": [],
           "temporal_mode": "future", "options": []}  # fmt: skip
    return Query(row, told, view, value=value)


# action clips

shares = st.sampled_from([0.0, 0.0, 0.0, 0.5, 0.8])
TALLY = {"clips": 0, "samples": 0}


def test_derived_clips():
    both_derive()
    assert TALLY["clips"] > 300 and TALLY["samples"] > 100, TALLY


@settings(deadline=None, max_examples=300)
@given(operations(), st.integers(1, 8), st.integers(1, 4), shares, shares)
def both_derive(evidence, shortest, reach, purity, centrality):
    limits = Limits(shortest, reach, purity, centrality)
    made = derived_clips(build_timeline(evidence), ActionLimits(
        shortest=shortest, reach=reach, purity=purity, centrality=centrality,
        strict=purity > 0 or centrality > 0,
    ))  # fmt: skip
    view = view_from(evidence)
    found = looped(view, limits)
    assert [(c.first, c.last, c.action, c.purity, c.centrality, c.phase) for c in found] == [
        (c.start, c.end, c.action, c.purity, c.centrality, c.phases[1]) for c in made.clips.clips
    ]
    TALLY["clips"] += len(found)
    samples = {one.frame: one for one in samples_of(made.clips)}
    told = {"source": "derived", **limits._asdict()}
    for clip in found[1:]:
        query = query_at(view, (clip.first - 1) * S, {}, derivation=told)
        if clip.first - 1 not in samples:
            with pytest.raises(NotThePicture):
                asked_of(query)
        else:
            same_sample(query, samples.pop(clip.first - 1), told)
    assert not samples


def same_sample(query: Query, sample, told) -> None:
    """Slots, the answer and every plan of a sample."""
    assert slots_of(asked_of(query)) == slots(sample)
    value = answer_value(sample)
    derivation = {**value["derivation"], **told}
    query.slots = {"about": {"kind": "next_action"}}
    assert next_action(query) == {"kind": "next_action", **value, "derivation": derivation}
    for horizon in range(1, len(sample.plan) + 2):
        query.slots = {"about": {"kind": "next_action"}, "horizon": horizon}
        if horizon > len(sample.plan):
            with pytest.raises(Undecided):
                plan(query)
        else:
            assert tuple(plan(query)["plan"]) == sample.planned(horizon)
    TALLY["samples"] += 1


@settings(deadline=None, max_examples=200)
@given(cut_by_people())
def test_clips_that_people_cut(evidence):
    clips = [Clip(one.start_us // S, one.end_us // S - 1, one.label)
             for one in evidence.spans if one.kind == "next_action"]  # fmt: skip
    samples = samples_of(with_phases(VideoClips("v", tuple(clips)), evidence.spans))
    assert len(samples) == len(clips) - 1
    for sample in samples:
        same_sample(
            query_at(view_from(evidence), sample.frame * S, {}), sample, {"source": "imported"}
        )


@pytest.mark.parametrize("name", ["VID68", "VID73", "VID74"])
@pytest.mark.parametrize("shortest", [1, 5, 12])
def test_real_clips(real_dataset, name, shortest):
    evidence = Reader(real_dataset("cholect50-challenge-val")).read(name)
    view = view_from(evidence)
    for reach in (1, 30):
        made = derived_clips(build_timeline(evidence), ActionLimits(shortest=shortest, reach=reach))
        found = looped(view, Limits(shortest, reach, 0, 0))
        assert len(found) > 5
        assert [(c.first, c.last, c.action, c.purity, c.centrality, c.phase) for c in found] == [
            (c.start, c.end, c.action, c.purity, c.centrality, c.phases[1])
            for c in made.clips.clips
        ]


# eight seconds

RATES = [Fraction(25), Fraction(24), Fraction(1), Fraction(30000, 1001), Fraction(7, 3)]
FOUND = {"samples": 0, "onset": 0, "next": 0, "now": 0}


def test_pictures_of_stages():
    both_find()
    assert min(FOUND.values()) > 30, FOUND


@settings(deadline=None, max_examples=400)
@given(stages_in_time(), st.sampled_from(RATES))
def both_find(evidence, fps):
    view, spans = view_from(evidence), evidence.spans
    rate = Rate(fps.numerator, fps.denominator)
    assert stages_of(view, LAP) == stage_intervals(LAP, spans)
    cut = cut_continuations(LAP, evidence.video, spans, fps, action_onsets(evidence.moments),
                            hidden_intervals(spans))  # fmt: skip
    by_stage = {one.stage: one for one in cut.samples}
    for name, intervals in stages_of(view, LAP).items():
        sample, found = by_stage.get(name), start_of(view, intervals, rate)
        assert found == (sample and Start(sample.frame, sample.found_by, sample.interval))
        if sample is not None:
            assert rate.begins(sample.frame) == sample.start_us
            assert rate.begins(sample.frame + rate.frames(8 * S)) == sample.end_us
            assert rate.frames(8 * S) == sample.frames
            same_items(view, sample, spans)
            FOUND["samples"] += 1
            FOUND["onset"] += sample.found_by == "onset"


def same_items(view: VideoView, sample, spans) -> None:
    """What is asked about a picture beside what follows it."""
    told = {
        "about": {"kind": "phase"}, "track": LAP.name, "sample_id": sample.sample_id,
        "frame": sample.frame, "frames": sample.frames, "fps": str(sample.fps),
        "found_by": sample.found_by, "interval": list(sample.interval), "stage": sample.stage,
    }  # fmt: skip
    query = query_at(view, sample.start_us, told)
    assert veo.continuation(query) == {
        "kind": "phase", "stage": sample.stage, "start_us": sample.start_us,
        "end_us": sample.end_us, "frame": sample.frame, "frames": sample.frames,
    }  # fmt: skip
    item = next_stage(sample, LAP, spans)
    if item is None:
        with pytest.raises(Undecided):
            veo.next_stage(query)
    else:
        right = next(one.value for one in item.choices if one.key == item.answer)
        assert veo.next_stage(query)["label"] == right
        FOUND["next"] += 1
    same_now(query_at(view, sample.start_us, told), stage_now(sample, LAP, spans), sample)
    order = frame_order(sample)
    times = [one.start_us for one in order.shown]
    late = query_at(view, max(times), {**told, "shown_us": times})
    late.row["start_us"] = min(times)
    right = next(one.value for one in order.choices if one.key == order.answer)
    assert "".join(veo.frame_order(late)["order"]) == right
    codes = {code for code, _ in late.problems + query.problems}
    assert codes <= {"measure_differs"}  # these rows measure nothing


def same_now(query: Query, item, sample) -> None:
    """The check may ask for more, that the label has held for a second, but never less."""
    try:
        label = veo.stage_now(query)["label"]
    except Undecided:
        return
    assert label == sample.stage
    assert ("not_unique" in {code for code, _ in query.problems}) == (item is None)
    FOUND["now"] += item is not None


@settings(deadline=None, max_examples=200)
@given(st.tuples(time, time).map(sorted), st.lists(st.tuples(time, time).map(sorted), max_size=5))
def test_what_is_seen_of_an_interval(interval, hidden):
    start, end = interval
    dark = [(a, b) for a, b in hidden if a < b]
    if start < end:
        wanted = sorted(without((start, end), dark), key=lambda one: (one[0] - one[1], one[0]))
        assert seen_of((start, end), dark) == wanted
