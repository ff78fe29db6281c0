"""How the next eight seconds go on from a picture: the samples of SurgVeo, and what labels
alone answer about them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ontology.continuations import TRACKS, Track
from ontology.records import Check, Code, Pointer, Span, Window
from ontology.times import SECOND_US, frame_to_us
from transforms.questions.queries.found import (
    Choice,
    Found,
    Missed,
    Named,
    Results,
    Search,
    seconds,
)
from transforms.timeline.facts import FactBook
from transforms.windows.continuation_items import ExtensionItem, next_stage, stage_now
from transforms.windows.continuation_items import frame_order as order_of
from transforms.windows.continuations import (
    Continuation,
    action_onsets,
    cut_continuations,
    hidden_intervals,
    spans_behind,
    stage_intervals,
)
from transforms.windows.queries import query_window


@dataclass(frozen=True)
class Samples:
    """The samples of one video of a track."""

    track: Track
    samples: tuple[Continuation, ...]
    missed: tuple[Missed, ...]


def continuation(search: Search) -> Results:
    """A picture, and the eight seconds of the recording that really follow it."""
    found = samples_of(search)
    yield from found.missed
    for sample in found.samples:
        yield _continuation(search, found.track, sample)


def stage_of_frame(search: Search) -> Results:
    """The stage that the picture lies in."""
    yield from _extension(search, _stage_of_frame)


def stage_after(search: Search) -> Results:
    """The stage that is labelled next."""
    yield from _extension(search, _stage_after)


def frame_order(search: Search) -> Results:
    """The order of three pictures of the eight seconds."""
    yield from _extension(search, _frame_order)


Ask = Callable[[Search, Track, Continuation], "Found | str"]


def _extension(search: Search, ask: Ask) -> Results:
    found = samples_of(search)
    yield from found.missed
    for sample in found.samples:
        one = ask(search, found.track, sample)
        yield Missed(Code.NO_FILLING, one) if isinstance(one, str) else one


def samples_of(search: Search) -> Samples:
    """The samples of the video, by the template's track and rate; made once for each."""
    args, memo = search.query.args, search.book.memo
    track, rate = TRACKS[str(args["track"])], str(args["fps"])
    if str(args["procedure"]).casefold() not in search.video.procedure.casefold():
        reason = f"the track is of {track.procedure}"
        return Samples(track, (), (Missed(Code.NO_EVIDENCE, reason),))
    key = ("continuation", track.name, rate)
    if key not in memo:
        memo[key] = _cut(search.book, track, Fraction(rate))
    return memo[key]


def _cut(book: FactBook, track: Track, rate: Fraction) -> Samples:
    spans = [span for span, _ in book.spans]
    onsets, hidden = action_onsets(one for one, _ in book.moments), hidden_intervals(spans)
    stages = stage_intervals(track, spans)
    if len(stages) == 1:
        reason = "one stage alone is labelled: an excerpt, which is cut from another recording"
        return Samples(track, (), (Missed(Code.EXCLUDED, reason),))
    cut = cut_continuations(track, book.video, spans, rate, onsets, hidden)
    missed = tuple(Missed(one.code, one.reason) for one in cut.rejected)
    if not cut.samples and not missed:
        missed = (Missed(Code.NO_EVIDENCE, "no stage of the track is labelled"),)
    return Samples(track, cut.samples, missed)


def _continuation(search: Search, track: Track, sample: Continuation) -> Found:
    last = sample.frame + sample.frames - 1
    value = {
        "kind": track.kind,
        "stage": sample.stage,
        "start_us": sample.start_us,
        "end_us": sample.end_us,
        "frame": sample.frame,
        "frames": sample.frames,
    }
    told = (
        f"the recording from {seconds(sample.start_us)} s to {seconds(sample.end_us)} s, "
        f"pictures {sample.frame} to {last}"
    )
    stage = Named(track.kind, sample.stage)
    return Found(
        **_at_start(search, sample),
        fields={"reference": told, "stage": stage},
        slots=_slots(track, sample, stage=sample.stage),
        value=value,
        pointers=(
            *_proof(search, track, ((sample.stage, sample.interval),), sample.end_us),
            *_onset(search.book, sample),
        ),
        note=f"The {track.kind} {stage.term.display!r} holds from "
        f"{seconds(sample.interval[0])} s to {seconds(sample.interval[1])} s.",
        checks=(_ahead(sample.start_us, sample.end_us),),
    )


def _onset(book: FactBook, sample: Continuation) -> tuple[Pointer, ...]:
    """The actions before whose beginning the picture lies, where it was found by one."""
    return tuple(
        Pointer("moments", name, one.start_us, min(one.end_us, sample.end_us))
        for one, name in book.moments
        if one.kind == "action" and one.start_us == sample.onset_us
    )


def _stage_of_frame(search: Search, track: Track, sample: Continuation) -> Found | str:
    item = stage_now(sample, track, [span for span, _ in search.book.spans])
    if item is None:
        return "another label of the kind holds at the picture as well"
    if not any(
        span.kind == track.kind and span.label == sample.stage
        and span.start_us <= sample.start_us - SECOND_US and span.end_us > sample.start_us
        for span, _ in search.book.spans
    ):  # fmt: skip
        return "the picture lies between two labels of the stage"
    rests = ((sample.stage, sample.interval),)
    pointers = _proof(search, track, rests, sample.start_us)
    return _choice_of_stages(search, track, sample, item, pointers, ())


def _stage_after(search: Search, track: Track, sample: Continuation) -> Found | str:
    item = next_stage(sample, track, [span for span, _ in search.book.spans])
    if item is None:
        return "no one stage follows this one"
    rests = tuple((rest.stage, rest.interval) for rest in item.rests_on)
    begins_us = rests[-1][1][0]
    pointers = _proof(search, track, rests, begins_us)
    ahead = (_ahead(sample.start_us, begins_us),)
    return _choice_of_stages(search, track, sample, item, pointers, ahead)


def _choice_of_stages(
    search: Search, track: Track, sample: Continuation, item: ExtensionItem,
    pointers: tuple[Pointer, ...], checks: tuple[Check, ...],
) -> Found:  # fmt: skip
    names = {c.key: Named(track.kind, c.value).term.display for c in item.choices}
    right = next(c for c in item.choices if c.key == item.answer)
    named = Named(track.kind, right.value)
    return Found(
        **_at_start(search, sample),
        fields={"label": named},
        slots=_slots(track, sample),
        value={"kind": track.kind, "label": right.value},
        pointers=pointers,
        note=f"The {track.kind} is {named.term.display!r}.",
        right=named.term.display,
        fixed=tuple(Choice(names[c.key], "other_stage") for c in item.choices),
        checks=checks,
    )


def _frame_order(search: Search, track: Track, sample: Continuation) -> Found | str:
    item = order_of(sample)
    times = [frame_to_us(one.frame, sample.fps) for one in item.shown]
    right = next(c for c in item.choices if c.key == item.answer)
    query_us = max(times)
    return Found(
        window=query_window(search.video, query_us, search.query.look_back_us),
        query_us=query_us,
        fields={"order": ", ".join(right.value)},
        slots={**_slots(track, sample), "shown_us": times},
        value={"kind": track.kind, "order": list(right.value)},
        pointers=_proof(search, track, ((sample.stage, sample.interval),), query_us),
        note="The pictures lie at " + ", ".join(
            f"{seconds(time)} s ({letter})" for letter, time in zip("ABC", times, strict=True)
        ) + ".",
        right=", ".join(right.value),
        fixed=tuple(Choice(", ".join(c.value), "other_order") for c in item.choices),
    )  # fmt: skip


def _at_start(search: Search, sample: Continuation) -> dict[str, Any]:
    window: Window = query_window(search.video, sample.start_us, search.query.look_back_us)
    return {"window": window, "query_us": sample.start_us}


def _ahead(query_us: int, until_us: int) -> Check:
    return Check("look_ahead_s", (until_us - query_us) / SECOND_US, "")


def _slots(track: Track, sample: Continuation, **more: Any) -> dict[str, Any]:
    return {
        "about": {"kind": track.kind},
        "track": track.name,
        "sample_id": sample.sample_id,
        "frame": sample.frame,
        "frames": sample.frames,
        "fps": str(sample.fps),
        "found_by": sample.found_by,
        "interval": list(sample.interval),
        **more,
    }


def _proof(
    search: Search, track: Track, rests: Sequence[tuple[str, tuple[int, int]]], until_us: int
) -> tuple[Pointer, ...]:
    """The labels behind some stages, up to a time."""
    ids: dict[Span, str] = dict(search.book.spans)
    out = []
    for stage, interval in rests:
        for span in spans_behind(track, list(ids), stage, interval):
            if span.start_us <= until_us:
                end = min(span.end_us, until_us)
                out.append(Pointer("segments", ids[span], span.start_us, end))
    return tuple(out)
