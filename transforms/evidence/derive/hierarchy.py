"""Hierarchical segments from fused cues (SurgCoT): scene, tools and tissues, speech.

Candidates near each other are fused, and weak ones near strong ones are removed.  Short segments
are joined and long ones divided.  Every level tiles the video.  Level 0 is the whole video, 1 its
shots and phases, 2 its segments.  Boundaries of a level also occur in the level after it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from surgqa.transforms.evidence.derive.rows import Happening, StretchRow
from surgqa.transforms.evidence.derive.settings import HierarchyLimits

SCENE, TOOL, SPEECH, LENGTH = "scene", "tool", "speech", "length"
TRANSITIONS = ("enters", "leaves", "contact_switch")
KIND = "segment"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Speech about one phase and action: consecutive anchors joined into one."""

    start_us: int
    end_us: int
    phase: str | None
    action: str | None


@dataclass(frozen=True, slots=True)
class Boundary:
    """A time at which a segment may begin.

    Attributes:
        time_us: the median time of the boundary's cues.
        sources: kinds of cues for the boundary, sorted.
        high: True if a cut or a new phase is among the cues, so that level 1 has the boundary too.
    """

    time_us: int
    sources: tuple[str, ...]
    high: bool

    @property
    def score(self) -> int:
        """Number of distinct sources."""
        return len(self.sources)


@dataclass(frozen=True, slots=True)
class BoundaryCue:
    """A reason to begin a segment at a time, such as a cut, a tool that enters, or speech.

    Attributes:
        source: kind of the cue: SCENE, TOOL or SPEECH.
        high: True for a cut or a new phase.
    """

    time_us: int
    source: str
    high: bool = False


def phrases(anchors: pa.Table, limits: HierarchyLimits) -> list[Phrase]:
    """Return the anchors as phrases; close anchors with equal phase and equal action are joined.

    Anchors with neither phase nor action are left out.
    """
    found: list[Phrase] = []
    rows = anchors.select(["start_us", "end_us", "phase", "action"]).to_pylist()
    for row in sorted(rows, key=lambda r: (r["start_us"], r["end_us"])):
        said = (row["phase"], row["action"])
        if said == (None, None):
            continue
        last = found[-1] if found else None
        if last and (last.phase, last.action) == said and (
            row["start_us"] - last.end_us <= limits.phrase_us
        ):  # fmt: skip
            end = max(last.end_us, row["end_us"])
            found[-1] = Phrase(last.start_us, end, *said)
        else:
            found.append(Phrase(row["start_us"], row["end_us"], *said))
    return found


def candidates(happenings: Iterable[Happening], spoken: Sequence[Phrase]) -> list[BoundaryCue]:
    """Return cues: cuts, tools that enter, leave or change their region, and starts of phrases."""
    found = []
    for one in happenings:
        if one.kind == "cut":
            found.append(BoundaryCue(one.time_us, SCENE, high=True))
        elif one.kind in TRANSITIONS:
            found.append(BoundaryCue(one.time_us, TOOL))
    phase = None
    for phrase in spoken:
        new = phrase.phase is not None and phrase.phase != phase
        found.append(BoundaryCue(phrase.start_us, SPEECH, high=new))
        phase = phrase.phase or phase
    return found


def fused(found: Iterable[BoundaryCue], merge_us: int) -> list[Boundary]:
    """Return boundaries: cues within ``merge_us`` of the first cue of a group become one boundary.

    The time of a boundary is the median of its candidates. With two middle times it is half-way
    between them, rounded half up.
    """
    groups: list[list[BoundaryCue]] = []
    for one in sorted(found, key=lambda c: (c.time_us, c.source, c.high)):
        if groups and one.time_us - groups[-1][0].time_us <= merge_us:
            groups[-1].append(one)
        else:
            groups.append([one])
    return [_boundary(group) for group in groups]


def _boundary(group: Sequence[BoundaryCue]) -> Boundary:
    low, high = group[(len(group) - 1) // 2].time_us, group[len(group) // 2].time_us
    sources = tuple(sorted({one.source for one in group}))
    return Boundary((low + high + 1) // 2, sources, any(one.high for one in group))


def suppressed(found: Iterable[Boundary], apart_us: int) -> list[Boundary]:
    """Keep the strongest boundaries; drop those within ``apart_us`` of a kept one."""
    kept: list[Boundary] = []
    for one in sorted(found, key=lambda b: (-b.score, b.time_us)):
        place = bisect_left(kept, one.time_us, key=lambda b: b.time_us)
        beside = kept[max(place - 1, 0) : place + 1]
        if all(abs(one.time_us - other.time_us) > apart_us for other in beside):
            kept.insert(place, one)
    return kept


def boundaries(
    found: Iterable[BoundaryCue], spoken: Sequence[Phrase], duration_us: int,
    limits: HierarchyLimits,
) -> list[Boundary]:  # fmt: skip
    """Inner boundaries of level 2, ascending, strictly inside the video."""
    inside = [b for b in fused(found, limits.merge_us) if 0 < b.time_us < duration_us]
    kept = suppressed(inside, limits.apart_us)
    kept = _joined(kept, spoken, duration_us, limits.shortest_us)
    return _divided(kept, duration_us, limits.longest_us)


def _joined(
    kept: list[Boundary], spoken: Sequence[Phrase], duration_us: int, shortest_us: int
) -> list[Boundary]:
    """Join the shortest segment to a neighbour, until no segment is shorter than ``shortest_us``.

    A neighbour of the same phase is preferred, then the longer neighbour.
    """
    while kept:
        edges = [0, *(b.time_us for b in kept), duration_us]
        lengths = [b - a for a, b in zip(edges[:-1], edges[1:], strict=True)]
        short = min(range(len(lengths)), key=lambda k: (lengths[k], k))
        if lengths[short] >= shortest_us:
            break
        sides = [k for k in (short - 1, short + 1) if 0 <= k < len(lengths)]
        phase, *others = (phase_of(spoken, edges[k], edges[k + 1]) for k in (short, *sides))
        alike = [k for k, other in zip(sides, others, strict=True) if phase and other == phase]
        chosen = max(alike or sides, key=lambda k: (lengths[k], -k))
        kept = [b for k, b in enumerate(kept) if k != min(short, chosen)]
    return kept


def _divided(kept: list[Boundary], duration_us: int, longest_us: int) -> list[Boundary]:
    """Divide segments longer than ``longest_us`` into as few equal parts as possible."""
    edges = [0, *(b.time_us for b in kept), duration_us]
    more = []
    for start, end in zip(edges[:-1], edges[1:], strict=True):
        parts = -(-(end - start) // longest_us)
        cuts = (start + k * (end - start) // parts for k in range(1, parts))
        more += [Boundary(cut, (LENGTH,), False) for cut in cuts]
    return sorted(kept + more, key=lambda b: b.time_us)


def phase_of(spoken: Sequence[Phrase], start_us: int, end_us: int) -> str | None:
    """Return the phase with the most speech in an interval (ties: the first), or None.

    A phrase without length counts as one microsecond.
    """
    lengths: dict[str, int] = {}
    for phrase in spoken:
        if phrase.phase is not None:
            low, high = max(phrase.start_us, start_us), min(phrase.end_us, end_us)
            if low < high or start_us <= phrase.start_us == phrase.end_us < end_us:
                lengths[phrase.phase] = lengths.get(phrase.phase, 0) + max(high - low, 1)
    return max(lengths, key=lambda name: lengths[name]) if lengths else None


def segments(
    found: Iterable[BoundaryCue], spoken: Sequence[Phrase], duration_us: int,
    limits: HierarchyLimits,
) -> Iterator[StretchRow]:  # fmt: skip
    """Yield ``segment`` stretches of all levels.

    The label is the phase with the most speech.  Score and source are those of the boundary at
    which the segment begins (the first has none).
    """
    if duration_us <= 0:
        return
    inner = boundaries(found, spoken, duration_us, limits)
    levels: list[Callable[[Boundary], bool]] = [
        lambda _: False, lambda b: b.high, lambda _: True
    ]  # fmt: skip
    for level, belongs in enumerate(levels):
        chosen = [b for b in inner if belongs(b)]
        starts = [None, *chosen]
        edges = [0, *(b.time_us for b in chosen), duration_us]
        for start, end, at in zip(edges[:-1], edges[1:], starts, strict=True):
            score = None if at is None else float(at.score if at.sources != (LENGTH,) else 0)
            cues = "start" if at is None else "+".join(at.sources)
            label = phase_of(spoken, start, end)
            yield StretchRow(start, end, KIND, label, level, score, f"derive.hierarchy.{cues}")
