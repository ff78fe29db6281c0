"""Samples of a frame and eight seconds: the rules of the choice, and how many there are."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.continuations import LAPAROSCOPIC, NEUROSURGICAL, TRACKS
from ontology.errors import UserError
from ontology.moments import Moment
from ontology.records import Clock, Code, Media, MediaKind, Span, Video
from ontology.times import SECOND_US, frame_to_us
from transforms.exports.surgveo.continuations import (
    action_onsets,
    chosen_videos,
    cut_continuations,
    frame_count,
    hidden_intervals,
    merged,
    spans_behind,
    without,
)
from transforms.exports.surgveo.which_clip import SHIFT_US, which_clip

LAP, NEURO = TRACKS[LAPAROSCOPIC], TRACKS[NEUROSURGICAL]
RATES = {LAPAROSCOPIC: Fraction(25), NEUROSURGICAL: Fraction(24)}
MISSING = {
    LAPAROSCOPIC: {("01", "washing"), ("02", "preparation"), ("02", "specimen_removal")},
    NEUROSURGICAL: {("01", "fat_graft_placement"), ("01", "septum_displacement"),
                    ("02", "fat_graft_placement"), ("03", "dural_sealant")},
}  # fmt: skip
S = SECOND_US


def video(video_id="01", duration_s=4000, **more):
    fields = dict(  # noqa: C408
        dataset="d", video_id=video_id, procedure="p", specialty="s", fps=Fraction(1),
        period_us=S, duration_us=duration_s * S, media=Media(MediaKind.VIDEO, f"{video_id}.mp4"),
        split=None, split_group=video_id, licence="l", label_source="manual", sources=(),
        vocabulary=(),
    )  # fmt: skip
    return Video(**fields | more)


def span(label, start_s, end_s, track=LAP):
    return Span(track.kind, label, round(start_s * S), round(end_s * S), "f", "p")


def operation(track, video_id):
    """All stages that the operation has, one after another, a little longer each time."""
    stages = [one for one in track.stages if (video_id, one) not in MISSING[track.name]]
    starts = [100 * k for k in range(len(stages) + 1)]
    return [span(stage, starts[k], starts[k] + 60 + 3 * k, track) for k, stage in enumerate(stages)]


def benchmark(track):
    """The samples of the three operations with the most stages, of four."""
    spans = {one: operation(track, one) for one in ("01", "02", "03")}
    spans["00"] = spans["03"][:2]
    chosen = chosen_videos({one: {s.label for s in found} for one, found in spans.items()})
    out = []
    for one in sorted(chosen):
        cut = cut_continuations(track, video(one), spans[one], RATES[track.name])
        assert cut.rejected == ()
        out += cut.samples
    return out


@pytest.mark.parametrize(("track", "count", "frames"), [(LAP, 18, 200), (NEURO, 32, 192)],
                         ids=["laparoscopic", "neurosurgical"])  # fmt: skip
def test_one_sample_for_each_operation_and_stage(track, count, frames):
    samples = benchmark(track)
    assert len(samples) == count
    assert len({(one.video, one.stage) for one in samples}) == count
    assert len({one.sample_id for one in samples}) == count
    assert {one.frames for one in samples} == {frames}
    assert "d/00" not in {one.video for one in samples}
    assert all(one.end_us - one.start_us == 8 * S for one in samples)
    assert all(one.interval[0] <= one.start_us for one in samples)
    assert all(one.end_us <= one.interval[1] for one in samples)


def test_frame_counts():
    assert frame_count(Fraction(25)) == 200
    assert frame_count(Fraction(24)) == 192
    assert frame_count(Fraction(30_000, 1001)) == 240
    with pytest.raises(UserError):
        frame_count(Fraction(0))


def one_of(spans, fps=25, **more):
    cut = cut_continuations(LAP, video(), spans, Fraction(fps), **more)
    assert len(cut.samples) + len(cut.rejected) == len({s.label for s in spans})
    return cut


def test_the_middle_without_actions():
    (sample,) = one_of([span("washing", 10, 40)]).samples
    assert (sample.frame, sample.found_by, sample.onset_us) == (21 * 25, "middle", None)
    (sample,) = one_of([span("washing", 10, 40.03)]).samples
    assert sample.frame == 525  # 21.015 s, the frame before it
    (sample,) = one_of([span("washing", 0.03, 10.03)], fps=1).samples
    assert sample.frame == 1


def test_the_last_frame_before_an_action():
    spans = [span("washing", 10, 40)]
    for onset_us, frame in ((20 * S, 499), (20 * S + 1, 500), (20 * S - 1, 499)):
        (sample,) = one_of(spans, onsets_us=[onset_us]).samples
        assert (sample.frame, sample.found_by, sample.onset_us) == (frame, "onset", onset_us)


def test_an_action_needs_two_seconds_before_and_eight_after():
    spans = [span("washing", 10, 40)]
    for onset_s, by in ((12, "middle"), (12.04, "onset"), (32.04, "onset"), (32.05, "middle")):
        (sample,) = one_of(spans, onsets_us=[round(onset_s * S)]).samples
        assert sample.found_by == by, onset_s
    (sample,) = one_of(spans, onsets_us=[30 * S, 12 * S, 20 * S]).samples
    assert sample.frame == 499


def test_the_longest_interval_that_has_an_action():
    spans = [span("washing", 0, 30), span("washing", 100, 160)]
    (sample,) = one_of(spans).samples
    assert sample.interval == (100 * S, 160 * S)
    (sample,) = one_of(spans, onsets_us=[10 * S]).samples
    assert sample.interval == (0, 30 * S)
    (sample,) = one_of(spans, onsets_us=[10 * S, 120 * S]).samples
    assert sample.interval == (100 * S, 160 * S)
    (sample,) = one_of([span("washing", 50, 80), span("washing", 0, 30)]).samples
    assert sample.interval == (0, 30 * S)


def test_intervals_nearer_than_two_seconds_are_one():
    assert merged([(5 * S, 9 * S), (0, 3 * S + 1)], 2 * S) == [(0, 9 * S)]
    assert merged([(5 * S, 9 * S), (0, 3 * S)], 2 * S) == [(0, 3 * S), (5 * S, 9 * S)]
    (sample,) = one_of([span("washing", 0, 6), span("washing", 7, 12)]).samples
    assert sample.interval == (0, 12 * S)


def test_a_stage_shorter_than_ten_seconds_is_told():
    cut = one_of([span("washing", 0, 9.99), span("washing", 20, 25)])
    (left,) = cut.rejected
    assert (left.code, left.key) == (Code.TOO_SHORT, "d/01/washing")
    assert left.where == "0.00-9.99 s, 20.00-25.00 s"
    assert one_of([span("washing", 0, 10)]).samples


def test_hidden_time_is_avoided():
    spans = [span("washing", 0, 40)]
    (sample,) = one_of(spans, hidden=[(18 * S, 20 * S)]).samples
    assert (sample.frame, sample.found_by) == (26 * 25, "middle")
    (sample,) = one_of(spans, hidden=[(18 * S, 20 * S)], onsets_us=[15 * S, 25 * S]).samples
    assert sample.frame == 624
    (left,) = one_of(spans, hidden=[(k * S, (k + 1) * S) for k in range(6, 40, 7)]).rejected
    assert left.code is Code.EXCLUDED
    assert without((0, 10), [(2, 4), (3, 5), (9, 20)]) == [(0, 2), (5, 9)]


def test_hidden_time_and_onsets_are_read_from_labels():
    spans = [Span("event", "out_of_body", 5 * S, 7 * S, "f", "p"),
             Span("condition", "outside_the_patient", 6 * S, 9 * S, "f", "p"),
             Span("event", "bleeding", 0, 3 * S, "f", "p"), span("washing", 0, 40)]  # fmt: skip
    assert hidden_intervals(spans) == [(5 * S, 9 * S)]
    told = (("action", 9), ("cue", 8), ("action", 2), ("action", 9))
    moments = [Moment(kind, "cut", at, at + S, 1000, "f", "p") for kind, at in told]
    assert action_onsets(moments) == [2, 9]


def test_the_labels_behind_a_merged_interval():
    spans = [span("washing", 7, 12), span("washing", 0, 6), span("washing", 20, 31),
             span("preparation", 1, 2), span("washing", 2, 3, NEURO)]  # fmt: skip
    first = spans_behind(LAP, spans, "washing", (0, 12 * S))
    assert first == (spans[1], spans[0])
    assert spans_behind(LAP, spans, "washing", (20 * S, 31 * S)) == (spans[2],)


def test_without_a_clock_nothing_is_cut():
    cut = cut_continuations(LAP, replace(video(), clock=Clock.ORDER), [span("washing", 0, 40)],
                            Fraction(25))  # fmt: skip
    assert [one.code for one in cut.rejected] == [Code.NO_CLOCK]


def test_other_labels_are_no_stages():
    spans = [span("washing", 0, 40, NEURO), span("durotomy", 0, 40), span("x", 0, 40)]
    assert cut_continuations(LAP, video(), spans, Fraction(25)).samples == ()


def test_videos_with_the_most_stages_ties_by_id():
    stages = {"b": "xyz", "a": "xyz", "c": "xyzu", "d": "x"}
    assert chosen_videos(stages) == ["c", "a", "b"]
    assert chosen_videos(stages, 1) == ["c"]
    with pytest.raises(UserError, match="too few"):
        chosen_videos({"a": "x"})


@given(
    start=st.integers(0, 10**9), length=st.integers(0, 10**8),
    fps=st.sampled_from([Fraction(25), Fraction(24), Fraction(30_000, 1001), Fraction(1)]),
    onsets=st.lists(st.integers(0, 2 * 10**9), max_size=5),
    hidden=st.lists(st.tuples(st.integers(0, 10**8), st.integers(0, 3 * 10**7)), max_size=4),
)  # fmt: skip
def test_a_sample_lies_in_its_stage_and_out_of_hidden_time(start, length, fps, onsets, hidden):
    dark = [(start + a, start + a + b) for a, b in hidden]
    spans = [Span("phase", "washing", start, start + length, "f", "p")]
    cut = cut_continuations(LAP, video(), spans, fps, [start + one for one in onsets], dark)
    for one in cut.samples:
        assert start <= one.start_us <= start + length - 8 * S
        assert one.start_us == frame_to_us(one.frame, fps)
        assert all(b <= one.start_us or one.start_us + 8 * S <= a for a, b in dark if a < b)
    if length < 10 * S:
        assert not cut.samples


def test_which_clip_goes_on():
    samples = benchmark(LAP)
    asked = 0
    for sample in samples:
        item = which_clip(sample, samples)
        if item is None:
            continue
        asked += 1
        by = {one.why: one for one in item.choices}
        right = by["answer"].shown
        assert item.choices["ABCD".index(item.answer)] is by["answer"]
        assert (right.video, right.frame, right.frames) == (sample.video, sample.frame, 200)
        assert by["same stage of another operation"].shown.video != sample.video
        for why in ("other stage of this operation", "this stage at another time"):
            shown = by[why].shown
            assert shown.video == sample.video
            assert abs(shown.frame - sample.frame) * S / 25 >= SHIFT_US
        assert all(one.shown.end_us - one.shown.start_us == 8 * S for one in item.choices)
    assert asked >= 15
    short = cut_continuations(LAP, video(), [span("washing", 0, 20)], Fraction(25)).samples
    assert which_clip(short[0], [*short, *samples]) is None
    assert which_clip(samples[0], samples[:1]) is None
    faster = [replace(one, fps=Fraction(30)) for one in samples if one.video != samples[0].video]
    assert which_clip(samples[0], [*samples, *faster]) == which_clip(samples[0], samples)
    mine = [one for one in samples if one.video == samples[0].video]
    assert which_clip(samples[0], [*mine, *faster]) is None


def test_choices_do_not_depend_on_the_order_of_samples():
    samples = benchmark(LAP)
    again = {one.sample_id: which_clip(one, samples[::-1]) for one in samples}
    assert all(again[one.sample_id] == which_clip(one, samples) for one in samples)
