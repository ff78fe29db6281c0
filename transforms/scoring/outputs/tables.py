"""Combine items into groups: means of C, R, S and O, with intervals clustered by video."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from transforms.scoring.bootstrap import draw_counts, interval, ratios
from transforms.scoring.outputs.items import MODES
from transforms.scoring.outputs.scores import ItemScore, Measures
from transforms.scoring.report import MISSING, UNPARSED

MEASURES = ("content", "responsiveness", "stability", "overall")
"""C, R, S and O, as fields of :class:`Measures`."""

KINDS: Mapping[str, Callable[[ItemScore], str]] = {
    "overall": lambda item: "all items",
    "mode": lambda item: item.mode,
    "question_type": lambda item: item.question_type,
    "task": lambda item: item.task,
    "dataset": lambda item: item.dataset,
    "organ": lambda item: item.organ,
}
"""The properties by which items are grouped."""

Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Group:
    """Means over the items of a group, in [0, 1].

    Attributes:
        kind: one of :data:`KINDS`.
        streaming: number of items that have rounds.
        content: C over all items.
        responsiveness, stability: R and S over the streaming items that have them; None if no
            item has.
        overall: O over all items.
        intervals: 95 % bootstrap interval of each measure; None with fewer than two videos.
        outputs: number of windows and rounds.
        unparsed, missing: number of outputs that could not be read, or have no response.
    """

    kind: str
    name: str
    items: int
    streaming: int
    content: float
    responsiveness: float | None
    stability: float | None
    overall: float
    intervals: Mapping[str, Interval]
    outputs: int
    unparsed: int
    missing: int


@dataclass(frozen=True, slots=True)
class Floor:
    """Mean scores of a floor in one mode, or in all (``mode`` is then ``all items``)."""

    floor: str
    mode: str
    items: int
    content: float
    responsiveness: float | None
    stability: float | None
    overall: float


def groups_of(items: Sequence[ItemScore], replicates: int, seed: str) -> tuple[Group, ...]:
    """Return all groups: modes in the order of :data:`MODES`, others by name.

    Args:
        items: by item id, at least one.
        replicates: number of bootstrap draws.
        seed: key of the draws.
    """
    videos = sorted({item.video for item in items})
    place = {video: index for index, video in enumerate(videos)}
    draws = draw_counts(len(videos), replicates, seed).astype(np.float64)
    return tuple(
        _group(kind, name, members, place, draws)
        for kind, key in KINDS.items()
        for name, members in _divided(items, key)
    )


def floors_of(floor: str, scored: Sequence[tuple[str, Measures]]) -> list[Floor]:
    """Return the mean scores of a floor over all items and in each mode.

    Args:
        scored: (mode, measures) of each item, by item id.
    """
    parts = [("all items", [one for _, one in scored])]
    parts += [(mode, [one for of, one in scored if of == mode]) for mode in MODES]
    return [Floor(floor, mode, len(mine), **_means(mine)) for mode, mine in parts if mine]


def _divided(
    items: Sequence[ItemScore], key: Callable[[ItemScore], str]
) -> Iterable[tuple[str, list[ItemScore]]]:
    parts: dict[str, list[ItemScore]] = {}
    for item in items:
        parts.setdefault(key(item), []).append(item)
    return sorted(parts.items(), key=lambda part: (_rank(part[0]), part[0]))


def _rank(name: str) -> int:
    return MODES.index(name) if name in MODES else len(MODES)


def _group(
    kind: str, name: str, items: list[ItemScore], place: Mapping[str, int], draws: np.ndarray
) -> Group:
    marks = [mark for item in items for _, mark in item.marks]
    return Group(
        kind=kind,
        name=name,
        items=len(items),
        streaming=sum(item.streaming for item in items),
        intervals=_intervals(items, place, draws),
        outputs=len(marks),
        unparsed=sum(mark.status == UNPARSED for mark in marks),
        missing=sum(mark.status == MISSING for mark in marks),
        **_means([item.measures for item in items]),
    )


def _means(measures: Sequence[Measures]) -> dict:
    """Return means of unrounded values; the sum is exact, so the order does not affect it."""
    return {name: _mean([getattr(one, name) for one in measures]) for name in MEASURES}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


def _intervals(
    items: Sequence[ItemScore], place: Mapping[str, int], draws: np.ndarray
) -> dict[str, Interval]:
    out: dict[str, Interval] = {}
    for name in MEASURES:
        pairs = [(place[item.video], getattr(item.measures, name)) for item in items]
        known = [(at, value) for at, value in pairs if value is not None]
        rows = np.array([at for at, _ in known], dtype=np.int64)
        values = np.array([value for _, value in known], dtype=np.float64)
        sums = np.bincount(rows, weights=values, minlength=len(place))
        counts = np.bincount(rows, minlength=len(place))
        estimates = ratios(draws @ sums, draws @ counts.astype(np.float64))
        out[name] = interval(estimates, len(set(rows.tolist())))
    return out
