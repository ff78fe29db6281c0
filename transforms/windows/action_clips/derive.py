"""Action clips from event tuples and phases, by rule.

SAP-Bench's clips were labelled by hand, so these are an approximation: where hand labels
call a long stretch one action, rules see the short ones in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontology.next_actions import action_ids, action_of_verbs
from ontology.records import Books, Code, Rejected
from transforms.windows.action_clips.clips import Clip, Stretch, VideoClips
from transforms.windows.action_clips.runs import Run, runs_of, smoothed
from transforms.windows.action_clips.settings import ActionLimits

NONE = -1
"""Code of a frame without an action of its own."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Instants:
    """What is annotated of a video, at most once a second.

    Attributes:
        frames: int64 (T,), the second of each annotated instant, strictly ascending.
        verbs: T sets of the verbs that are seen; an empty one shows nothing, or idling.
        phases: T concept ids, None where the phase is not known.
        centres: T tuples of the centres, in [0, 1], of the boxes of acting instruments.
    """

    frames: np.ndarray
    verbs: Sequence[frozenset[str]]
    phases: Sequence[str | None]
    centres: Sequence[tuple[Point, ...]]

    def __post_init__(self) -> None:
        lengths = {len(self.frames), len(self.verbs), len(self.phases), len(self.centres)}
        if len(lengths) > 1:
            raise ValueError(f"instants of different numbers: {sorted(lengths)}")
        if (np.diff(self.frames) <= 0).any():
            raise ValueError("instants are not in strictly ascending order")


@dataclass(frozen=True, slots=True)
class Derived:
    """The clips of one video, what was left out, and the books in frames of the context."""

    clips: VideoClips
    rejected: tuple[Rejected, ...]
    books: Books


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One stretch of the context, F frames.

    Attributes:
        first: its first frame.
        own: int8 (F,), the action that a frame shows itself, NONE where it shows none.
        phase: F concept ids; a frame that was not looked at has that of the one before.
        boxed, central: bool (F,), an acting instrument has a box, has one in the zone.
    """

    first: int
    own: np.ndarray
    phase: Sequence[str]
    boxed: np.ndarray
    central: np.ndarray


def derive(video: str, instants: Instants, limits: ActionLimits | None = None) -> Derived:
    """The action clips of one video.

    Args:
        video: key for messages.
    """
    limits = limits or ActionLimits()
    clips: list[Clip] = []
    rejected: list[Rejected] = []
    total = 0
    for part in _parts(instants, limits):
        total += len(part.own)
        if (part.own == NONE).all():
            rejected.append(_nothing(video, part))
            continue
        made = _clips(part, smoothed(runs_of(inherited(part.own)), limits.shortest), limits)
        faults = [_fault(video, clip, limits) for clip in made]
        clips += [clip for clip, fault in zip(made, faults, strict=True) if fault is None]
        rejected += [fault for fault in faults if fault is not None]
    kept = sum(clip.frames for clip in clips)
    books = Books("cut", "frames", total, kept, sum(one.count for one in rejected))
    return Derived(VideoClips(video, tuple(clips), derived=True), tuple(rejected), books)


def raw_runs(instants: Instants, limits: ActionLimits | None = None) -> list[list[Run]]:
    """Runs of each stretch before smoothing: what :func:`calibrated` counts."""
    parts = _parts(instants, limits or ActionLimits())
    return [runs_of(inherited(part.own)) for part in parts if (part.own != NONE).any()]


def context_of(instants: Instants, limits: ActionLimits | None = None) -> list[Stretch]:
    """Stretches of the context: what the phases include, cut where others come between."""
    limits = limits or ActionLimits()
    cuts = _cuts(instants, limits)
    return [(int(instants.frames[a]), int(instants.frames[b])) for a, b in cuts]


def own_actions(instants: Instants) -> np.ndarray:
    """int8 (T,), place of each instant's action in the fixed order, NONE for none."""
    order = action_ids()
    actions = [action_of_verbs(verbs) for verbs in instants.verbs]
    return np.array([NONE if one is None else order.index(one) for one in actions], np.int8)


def inherited(own: np.ndarray) -> np.ndarray:
    """Every frame with an action: that of the frame before, leading frames that of the first.

    Args:
        own: int8 (F,), not all NONE.
    """
    has = own != NONE
    source = np.maximum.accumulate(np.where(has, np.arange(len(own)), 0))
    source[: int(np.argmax(has))] = int(np.argmax(has))
    return own[source]


def _cuts(instants: Instants, limits: ActionLimits) -> list[tuple[int, int]]:
    """[first, last] instant of each stretch."""
    inside = np.array([phase in limits.phases for phase in instants.phases], dtype=bool)
    at = np.flatnonzero(inside)
    if not len(at):
        return []
    far = np.diff(instants.frames[at]) > limits.reach
    breaks = np.flatnonzero(far | (np.diff(at) > 1))
    starts = at[np.concatenate([[0], breaks + 1])].tolist()
    ends = at[np.concatenate([breaks, [len(at) - 1]])].tolist()
    return list(zip(starts, ends, strict=True))


def _parts(instants: Instants, limits: ActionLimits) -> list[_Part]:
    own = own_actions(instants)
    return [_part(instants, own, a, b, limits.zone) for a, b in _cuts(instants, limits)]


def _part(instants: Instants, own: np.ndarray, a: int, b: int, zone: Point) -> _Part:
    first = int(instants.frames[a])
    frames = instants.frames[a : b + 1] - first
    size = int(frames[-1]) + 1
    shown = np.full(size, NONE, dtype=np.int8)
    shown[frames] = own[a : b + 1]
    phases = instants.phases[a : b + 1]
    held = np.searchsorted(frames, np.arange(size), side="right") - 1
    boxed, central = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    boxed[frames] = [bool(points) for points in instants.centres[a : b + 1]]
    central[frames] = [_in_zone(points, zone) for points in instants.centres[a : b + 1]]
    return _Part(first, shown, [str(phases[k]) for k in held.tolist()], boxed, central)


def _in_zone(points: Sequence[Point], zone: Point) -> bool:
    low, high = zone
    return any(low <= x <= high and low <= y <= high for x, y in points)


def _clips(part: _Part, runs: Sequence[Run], limits: ActionLimits) -> list[Clip]:
    out, at = [], 0
    for code, length in runs:
        inside = slice(at, at + length)
        boxed = int(part.boxed[inside].sum())
        out.append(
            Clip(
                start=part.first + at,
                end=part.first + at + length - 1,
                action=action_ids()[code],
                purity=int((part.own[inside] == code).sum()) / length,
                centrality=int(part.central[inside].sum()) / boxed if boxed else None,
                phases=(part.phase[at], part.phase[at + length - 1]),
            )
        )
        at += length
    return out


def _fault(video: str, clip: Clip, limits: ActionLimits) -> Rejected | None:
    """Why a clip is left out in strict mode."""
    if not limits.strict:
        return None
    shares = (
        ("purity", clip.purity, limits.purity),
        ("centrality", clip.centrality, limits.centrality),
    )
    for name, share, least in shares:
        if share is not None and share < least:
            reason = f"{name} {share:.2f} of a clip of {clip.action} is below {least:g}"
            return Rejected("cut", video, Code.GATE, reason, _seconds(clip), clip.frames)
    return None


def _nothing(video: str, part: _Part) -> Rejected:
    reason = "a stretch of the context shows none of the actions"
    where = _seconds(Clip(part.first, part.first + len(part.own) - 1, ""))
    return Rejected("cut", video, Code.NO_EVIDENCE, reason, where, len(part.own))


def _seconds(clip: Clip) -> str:
    return f"seconds {clip.start} to {clip.end}"
