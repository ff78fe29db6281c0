"""From a timeline to the instants that action clips are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ontology.records import IDLE, UNKNOWN, Books, Clock, Code, Rejected, Span
from ontology.times import SECOND_US
from transforms.timeline import Timeline
from transforms.windows.action_clips.clips import Stretch, VideoClips
from transforms.windows.action_clips.derive import Derived, Instants, Point, context_of, derive
from transforms.windows.action_clips.settings import ActionLimits


def derived_clips(timeline: Timeline, limits: ActionLimits | None = None) -> Derived:
    """The action clips of a video; none, with the reason, where its labels do not suffice."""
    video = timeline.video
    if video.clock != Clock.TIME:
        reason = "the dataset does not tell when its pictures were taken"
        return _none(timeline, Code.NO_CLOCK, reason)
    limits = limits or ActionLimits()
    instants, unknown = instants_of(timeline)
    if not len(instants.frames):
        reason = "no verb is annotated, so no action can be told; import a table of clips"
        return _none(timeline, Code.NO_EVIDENCE, reason)
    made = derive(video.key, instants, limits)
    return _with_unknown(made, context_of(instants, limits), timeline, unknown, limits)


def instants_of(timeline: Timeline) -> tuple[Instants, np.ndarray]:
    """The first instant of each second whose verbs are all annotated.

    Where an instrument's verb is missing, it may be the one that decides.

    Returns:
        The instants, and the seconds, int64 ascending, that have none of these but others.
    """
    table = timeline.table
    unknown = np.zeros(len(table.instants_us), dtype=bool)
    unknown[table.sample[table.pairs == UNKNOWN]] = True
    known = np.flatnonzero(~unknown)
    seconds, first = np.unique(table.instants_us[known] // SECOND_US, return_index=True)
    taken = known[first]
    verbs: list[set[str]] = [set() for _ in unknown]
    centres: list[list[Point]] = [[] for _ in unknown]
    for row, (sample, code) in enumerate(
        zip(table.sample.tolist(), table.pairs.tolist(), strict=True)
    ):
        if code == UNKNOWN:
            continue
        acting = {verb for verb, _ in table.pair_sets[code]} - {IDLE[0]}
        verbs[sample] |= acting
        if acting and timeline.boxed[row]:
            x, y = timeline.centre[row].tolist()
            centres[sample].append((x, y))
    instants = Instants(
        frames=seconds,
        verbs=[frozenset(verbs[k]) for k in taken.tolist()],
        phases=_phases(timeline.spans, table.instants_us[taken].tolist()),
        centres=[tuple(centres[k]) for k in taken.tolist()],
    )
    every = np.unique(table.instants_us // SECOND_US)
    return instants, every[~np.isin(every, seconds)]


def with_phases(video: VideoClips, spans: tuple[Span, ...]) -> VideoClips:
    """Imported clips with the phases in which each begins and ends, where both are known."""
    ends = [frame * SECOND_US for clip in video.clips for frame in (clip.start, clip.end)]
    phases = _phases(spans, ends)
    pairs = zip(video.clips, phases[::2], phases[1::2], strict=True)
    clips = [replace(clip, phases=(a, b)) if a and b else clip for clip, a, b in pairs]
    return replace(video, clips=tuple(clips))


def _phases(spans: tuple[Span, ...], times_us: list[int]) -> list[str | None]:
    """The phase at each time; of several the one that began last."""
    phases = sorted((s.start_us, s.end_us, s.label) for s in spans if s.kind == "phase")
    out: list[str | None] = []
    at, open_now = 0, list[tuple[int, int, str]]()
    for time in times_us:
        while at < len(phases) and phases[at][0] <= time:
            open_now.append(phases[at])
            at += 1
        open_now = [span for span in open_now if time < span[1]]
        out.append(open_now[-1][2] if open_now else None)
    return out


def _with_unknown(
    made: Derived,
    context: Sequence[Stretch],
    timeline: Timeline,
    unknown: np.ndarray,
    limits: ActionLimits,
) -> Derived:
    """With the seconds of the phases on the books that are in no stretch for want of a verb."""
    phases = _phases(timeline.spans, (unknown * SECOND_US).tolist())
    lost = sum(
        phase in limits.phases and not any(a <= second <= b for a, b in context)
        for second, phase in zip(unknown.tolist(), phases, strict=True)
    )
    if not lost:
        return made
    reason = "seconds at which an instrument has no verb"
    left_out = Rejected("cut", made.clips.video, Code.INCOMPLETE_INSTANT, reason, "", lost)
    books = made.books
    counted = replace(books, read=books.read + lost, rejected=books.rejected + lost)
    return Derived(made.clips, (left_out, *made.rejected), counted)


def _none(timeline: Timeline, code: Code, reason: str) -> Derived:
    key, count = timeline.video.key, len(timeline.table.instants_us)
    rejected = (Rejected("cut", key, code, reason, "", count),)
    return Derived(
        VideoClips(key, (), derived=True), rejected, Books("cut", "frames", count, 0, count)
    )
