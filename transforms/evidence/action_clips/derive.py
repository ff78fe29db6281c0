"""Derive action clips from event tuples, within some phases of cholecystectomies (the context).

The clips of SAP-Bench were labelled by hand, so these are an approximation: where people label a
long stretch as one action, the rules find the short actions in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from surgqa.ontology.action_clips import CONTEXT, Clip, Stretch, VideoClips
from surgqa.ontology.boxes import centres
from surgqa.ontology.moments import Moment
from surgqa.ontology.next_actions import action_ids, action_of_verbs
from surgqa.ontology.records import (
    IDLE,
    UNKNOWN,
    Books,
    Clock,
    Code,
    InstrumentTable,
    Rejected,
    Span,
    VideoEvidence,
)
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.action_clips.runs import Run, runs_of, smoothed

NONE = -1
"""Code of a frame without an action of its own."""

UNIT = "action clips"
UNNAMED = "no verb is annotated, so no action can be told; import a table of clips"
UNWATCHED = (
    "actions were told and seen, and what else was done is not known: review the frames, or "
    "measure how often contacts are missed (surgqa label evaluate)"
)
ZONE = (0.2, 0.8)
"""Limits of the central zone, as fractions of the frame's width and height."""


@dataclass(frozen=True, slots=True)
class ActionLimits:
    """Limits that decide what counts as a clip. One frame is one second.

    Attributes:
        shortest: frames; shorter runs are merged into a neighbour.  Our choice: the clips of
            LLM-SAP, made by hand, last at least 10 s; those of SAP-Bench can be shorter.
        reach: frames; annotated frames further apart are in different stretches.  With 1, a clip
            never contains a second without annotations.
        purity, centrality: minimum shares of :class:`Clip`; a clip with less is left out.
    """

    shortest: int = 5
    reach: int = 1
    purity: float = 0
    centrality: float = 0


@dataclass(frozen=True, slots=True, eq=False)
class Seconds:
    """The annotations of a video, one row per second: arrays (T,).

    Attributes:
        frames: int64, ascending, the seconds with an instant at which all verbs are known.
        own: int8, index of the visible action in ``action_ids()``; NONE if no action is visible.
        inside: bool, True in a phase of the context.
        boxed, central: bool, True where an acting instrument has a box, or one in the central zone.
        missing: seconds of the context at which instruments are annotated, but never all verbs.
    """

    frames: np.ndarray
    own: np.ndarray
    inside: np.ndarray
    boxed: np.ndarray
    central: np.ndarray
    missing: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """The clips of one video, the rejections, and counts of the seconds in and without clips.

    Attributes:
        context: the stretches of the phases from which clips are derived.
        runs: for each stretch that shows an action, its runs before smoothing.
    """

    clips: VideoClips
    rejected: tuple[Rejected, ...]
    books: Books
    context: tuple[Stretch, ...] = ()
    runs: tuple[Sequence[Run], ...] = ()


def derived_clips(evidence: VideoEvidence, limits: ActionLimits | None = None) -> Derived:
    """Return the action clips of a video, or no clips and the reason."""
    key, table = evidence.video.key, evidence.instruments
    with_actions = actions_table(evidence)
    if with_actions is not None:
        evidence = replace(evidence, instruments=with_actions)
    if table is None:
        return _none(key, "no instruments are annotated at instants, so no action can be told")
    count, unit = len(table.instants_us), f"seconds of {UNIT}"
    if evidence.video.clock != Clock.TIME:
        why = "the dataset does not tell when its pictures were taken"
        return _none(key, why, Code.NO_CLOCK, unit, "", count)
    if with_actions is None and table.absence is not None:  # boxes of a model, which gives no verbs
        lost = any(one.kind == "action" for one in evidence.moments)
        return _none(key, UNWATCHED if lost else UNNAMED, Code.NO_EVIDENCE, unit, "", count)
    seconds = seconds_of(evidence)
    if not len(seconds.frames):
        return _none(key, UNNAMED, Code.NO_EVIDENCE, unit, "", count)
    made = derive(key, seconds, limits or ActionLimits())
    # The context consists of phases of cholecystectomies; without these there are no clips.
    nothing = not made.clips.clips and not made.rejected
    return _none(key, "no phase of the context of action clips is labelled") if nothing else made


def _none(
    key: str, why: str, code: Code = Code.NO_EVIDENCE, unit: str = f"videos of {UNIT}",
    where: str = UNIT, count: int = 1,
) -> Derived:  # fmt: skip
    rejected = (Rejected("read", key, code, why, where, count),)
    return Derived(
        VideoClips(key, (), derived=True), rejected, Books("read", unit, count, 0, count)
    )


def seconds_of(evidence: VideoEvidence) -> Seconds:
    """Return, for each second, the annotations of its first instant at which all verbs are known.

    Other instants are not used, because a missing verb could decide the action.
    """
    table = evidence.instruments
    assert table is not None
    size = len(table.instants_us)
    seconds = table.instants_us // SECOND_US
    known = np.flatnonzero(~_has(table.sample[table.pairs == UNKNOWN], size))
    frames, first = np.unique(seconds[known], return_index=True)
    taken = known[first]
    verbs: list[set[str]] = [set() for _ in range(size)]
    acting = np.zeros(len(table.pairs), bool)
    for row, (sample, code) in enumerate(
        zip(table.sample.tolist(), table.pairs.tolist(), strict=True)
    ):
        shown = {verb for verb, _ in table.pair_sets[code]} - {IDLE[0]} if code != UNKNOWN else ()
        verbs[sample].update(shown)
        acting[row] = bool(shown)
    centre = centres(table.box_xyxy)
    in_zone = ((centre >= ZONE[0]) & (centre <= ZONE[1])).all(axis=1)
    missing = np.setdiff1d(seconds, frames)
    return Seconds(
        frames, _codes(verbs[k] for k in taken.tolist()),
        _in_context(evidence.spans, table.instants_us[taken]),
        _has(table.sample[acting & ~np.isnan(centre[:, 0])], size)[taken],
        _has(table.sample[acting & in_zone], size)[taken],
        missing[_in_context(evidence.spans, missing * SECOND_US)].tolist(),
    )  # fmt: skip


def _has(places: np.ndarray, size: int) -> np.ndarray:
    out = np.zeros(size, bool)
    out[places] = True
    return out


def _codes(verbs: Iterable[set[str]]) -> np.ndarray:
    order = action_ids()
    actions = map(action_of_verbs, verbs)
    return np.array([NONE if one is None else order.index(one) for one in actions], np.int8)


def _in_context(spans: Iterable[Span], times_us: np.ndarray) -> np.ndarray:
    """Return bool (T,): whether each time's phase (if several: the last to start) is in CONTEXT."""
    out = np.zeros(len(times_us), bool)
    phases = [(one.start_us, one.end_us, one.label) for one in spans if one.kind == "phase"]
    for start, end, label in sorted(phases):
        out[(times_us >= start) & (times_us < end)] = label in CONTEXT
    return out


def derive(video: str, seconds: Seconds, limits: ActionLimits) -> Derived:
    """Return the action clips of one video, and what gave no clip.

    Args:
        video: key of the video, for messages.
    """
    clips: list[Clip] = []
    rejected: list[Rejected] = []
    runs: list[list[Run]] = []
    cuts = _cuts(seconds, limits.reach)
    context = tuple((int(seconds.frames[a]), int(seconds.frames[b])) for a, b in cuts)
    for (a, b), (first, last) in zip(cuts, context, strict=True):
        part = slice(a, b + 1)
        if (seconds.own[part] == NONE).all():
            why = "a stretch of the context shows none of the actions"
            rejected.append(_left_out(video, Code.NO_EVIDENCE, why, Clip(first, last, "")))
            continue
        runs.append(runs_of(inherited(seconds, part)))
        at = first
        for code, length in smoothed(runs[-1], limits.shortest):
            clip = _clip(seconds, at, at + length - 1, code)
            fault = _fault(clip, limits)
            if fault:
                rejected.append(_left_out(video, Code.GATE, fault, clip))
            else:
                clips.append(clip)
            at += length
    unseen = sum(not any(a <= one <= b for a, b in context) for one in seconds.missing)
    if unseen:
        why = "seconds at which an instrument has no verb"
        rejected.insert(0, Rejected("read", video, Code.INCOMPLETE_INSTANT, why, "", unseen))
    kept, lost = sum(clip.frames for clip in clips), sum(one.count for one in rejected)
    books = Books("read", f"seconds of {UNIT}", kept + lost, kept, lost)
    made = VideoClips(video, tuple(clips), derived=True)
    return Derived(made, tuple(rejected), books, context, tuple(runs))


def inherited(seconds: Seconds, part: slice) -> np.ndarray:
    """Return int8 (F,), an action for each frame of a stretch that shows at least one action.

    A frame without an action gets that of the frame before it; frames at the start get the first.
    """
    frames = seconds.frames[part] - seconds.frames[part.start]
    own = np.full(int(frames[-1]) + 1, NONE, np.int8)
    own[frames] = seconds.own[part]
    has = own != NONE
    source = np.maximum.accumulate(np.where(has, np.arange(len(own)), 0))
    source[: int(np.argmax(has))] = int(np.argmax(has))
    return own[source]


def _cuts(seconds: Seconds, reach: int) -> list[tuple[int, int]]:
    """Return the [first, last] index of each stretch of the context."""
    at = np.flatnonzero(seconds.inside)
    if not len(at):
        return []
    breaks = np.flatnonzero((np.diff(seconds.frames[at]) > reach) | (np.diff(at) > 1))
    starts = at[np.concatenate([[0], breaks + 1])].tolist()
    return list(zip(starts, at[np.concatenate([breaks, [len(at) - 1]])].tolist(), strict=True))


def _clip(seconds: Seconds, start: int, end: int, code: int) -> Clip:
    inside = (seconds.frames >= start) & (seconds.frames <= end)
    boxed = int(seconds.boxed[inside].sum())
    pure = int((seconds.own[inside] == code).sum()) / (end - start + 1)
    central = int(seconds.central[inside].sum()) / boxed if boxed else None
    return Clip(start, end, action_ids()[code], pure, central)


def _fault(clip: Clip, limits: ActionLimits) -> str:
    for name in ("purity", "centrality"):
        share, least = getattr(clip, name), getattr(limits, name)
        if share is not None and share < least:
            return f"{name} {share:.2f} of a clip of {clip.action} is below {least:g}"
    return ""


def _left_out(video: str, code: Code, why: str, clip: Clip) -> Rejected:
    return Rejected("read", video, code, why, f"seconds {clip.start} to {clip.end}", clip.frames)


ORIGIN, CHANNEL = "speech and tracks", "tracks"
"""Origin of these actions, and label of the stretches in which no action can be missed."""


def actions_table(evidence: VideoEvidence) -> InstrumentTable | None:
    """Return the instants at which all actions are known, with the actions as verb-target pairs.

    An instant is left out if its action depends on exactly when actions started or ended. The
    result is None if verbs are labelled, or if no instant is left.
    """
    table = evidence.instruments
    actions = [one for one in evidence.moments if one.kind == "action" and one.origin == ORIGIN]
    if table is None or not actions or (table.pairs != UNKNOWN).any():
        return None
    watched = [(one.start_us, one.end_us) for one in evidence.moments
               if one.kind == "watched" and one.label == CHANNEL]  # fmt: skip
    known = np.array([any(a <= time < b for a, b in watched) and _settled(time, actions)
                      for time in table.instants_us.tolist()], bool)  # fmt: skip
    return _of_instants(_done(table, actions), known) if known.any() else None


def _settled(time: int, actions: list[Moment]) -> bool:
    """Whether the action at a time is the same for all possible starts and ends of actions."""
    sure = {one.verb for one in actions if _under_way(one, time, -one.resolution_us)}
    maybe = {one.verb for one in actions if _under_way(one, time, one.resolution_us)}
    return action_of_verbs(sure) == action_of_verbs(maybe)


def _under_way(one: Moment, time: int, more_us: int = 0) -> bool:
    return one.start_us - more_us <= time < one.end_us + more_us


def _done(table: InstrumentTable, actions: list[Moment]) -> InstrumentTable:
    """Return the table with each instrument's actions; an instrument without an action is idle."""
    sets = ((IDLE,), *sorted({((one.verb, one.target),) for one in actions}))
    pairs = np.zeros(len(table.sample), np.int16)
    times = table.instants_us[table.sample]
    for one in actions:
        mine = (table.track == int(one.group)) & (times >= one.start_us) & (times < one.end_us)
        pairs[mine] = sets.index(((one.verb, one.target),))
    return replace(table, pairs=pairs, pair_sets=sets)


def _of_instants(table: InstrumentTable, keep: np.ndarray) -> InstrumentTable:
    """Return the rows of the table at the instants that the mask ``keep``, bool (T,), selects."""
    rows = keep[table.sample]
    place = np.cumsum(keep) - 1
    return replace(
        table, instants_us=table.instants_us[keep], frames=table.frames[keep],
        sample=place[table.sample[rows]].astype(np.int32), absence=None,
        **{name: getattr(table, name)[rows]
           for name in ("label", "box_xyxy", "score", "pairs", "track", "row")},
    )  # fmt: skip
