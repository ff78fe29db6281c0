"""Track an object that a person marked, forwards and backwards in its clip (from cut to cut)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.transforms.evidence.segment.prompts import (
    DRAWN,
    TISSUE,
    WINDOW_MASKS,
    Box,
    MaskPrompt,
    MaskWindow,
    Point,
)
from surgqa.transforms.evidence.segment.settings import MaskSettings
from surgqa.transforms.media import FrameBatch

if TYPE_CHECKING:
    from surgqa.transforms.evidence.segment.extractor import Extractor

CLICKED = -1
"""Number of an object without a box in the store."""

Look = Callable[[int, int], FrameBatch]
"""Returns the samples first <= n < last as one batch."""

Pairs = set[tuple[int, int]]
"""Pairs of tracks that are visible at the same instant, the lower number first."""


@dataclass(frozen=True, slots=True)
class Pointed:
    """A mark of a person at one sample: a box or a point, in [0, 1]."""

    sample: int
    box: Box | None
    point: Point | None = None


@dataclass(frozen=True, slots=True)
class Followed:
    """An object that a person marked.

    Attributes:
        tracks: tracks of the object's boxes, by time; empty if it was only clicked.
        first, last: the object is searched for at the samples first <= n < last.
        pointed: marks, by sample; at least one.
    """

    label: str
    tracks: tuple[int, ...]
    first: int
    last: int
    pointed: tuple[Pointed, ...]

    @property
    def object(self) -> int:
        """The object's number: that of its first track, or CLICKED."""
        return self.tracks[0] if self.tracks else CLICKED


@dataclass(frozen=True, slots=True)
class _Mark:
    """A mark of a person; if the mark is a box, also the box's track."""

    track: int | None
    pointed: Pointed

    @property
    def sample(self) -> int:
        return self.pointed.sample


def plan_followed(
    boxes: pa.Table, clicks: pa.Table, settled_us: Sequence[int], times_us: np.ndarray,
    cuts_us: Iterable[int], settings: MaskSettings,
) -> list[Followed]:  # fmt: skip
    """Return the objects to follow, and the range of samples for each.

    These are tissues that a person drew, and everything that a person clicked. Marks of one label
    in one clip are one object, unless several marks are at one sample or their tracks are visible
    together. The object is searched for up to ``follow_us`` from its marks (an instrument up to
    ``reach_us``), within its clip, and not beyond a reviewed instant at which it was not marked.

    Args:
        boxes: schema BOXES, linked, of the whole video.
        clicks: time_us, kind, label, x1 and y1 of each click.
        settled_us: instants at which a person marked all boxes.
        times_us: int64 (N,), of all samples.
        cuts_us: times at which the next clip begins.
    """
    places = {time: n for n, time in enumerate(times_us.tolist())}
    edges = np.searchsorted(times_us, sorted(cuts_us)).tolist()
    bounds = [0, *edges, len(times_us)]
    stops = {places[time] for time in settled_us if time in places}
    marks: dict[tuple[int, str, str], list[_Mark]] = defaultdict(list)
    for kind, label, mark in _marks(boxes, clicks, places):
        clip = int(np.searchsorted(edges, mark.sample, side="right"))
        marks[clip, kind, label].append(mark)
    together, found = _together(boxes), []
    for (clip, kind, label), own in sorted(marks.items()):
        far = settings.follow_us if kind == TISSUE else settings.reach_us
        for part, first, last in _parts(own, together, stops, bounds[clip], bounds[clip + 1]):
            near, to = (int(times_us[part[n].sample]) for n in (0, -1))
            low = int(np.searchsorted(times_us, near - far, "left"))
            high = int(np.searchsorted(times_us, to + far, "right"))
            tracks = dict.fromkeys(one.track for one in part if one.track is not None)
            found.append(Followed(label, tuple(tracks), max(first, low), min(last, high),
                                  tuple(one.pointed for one in part)))  # fmt: skip
    return found


def _marks(
    boxes: pa.Table, clicks: pa.Table, places: dict[int, int]
) -> Iterator[tuple[str, str, _Mark]]:
    """Yield (kind, label, mark) of each mark at a sampled time; other marks are left out."""
    drawn = pc.and_(pc.equal(boxes["origin"], DRAWN), pc.equal(boxes["kind"], TISSUE))
    for row in boxes.filter(drawn).to_pylist():
        sample, corners = places.get(row["time_us"]), (row["x1"], row["y1"], row["x2"], row["y2"])
        if sample is not None:
            yield TISSUE, row["label"], _Mark(row["track"], Pointed(sample, corners))
    for row in clicks.to_pylist():
        sample, point = places.get(row["time_us"]), (row["x1"], row["y1"])
        if sample is not None:
            yield row["kind"], row["label"], _Mark(None, Pointed(sample, None, point))


def _parts(
    marks: Sequence[_Mark], together: Pairs, settled: set[int], first: int, last: int
) -> Iterator[tuple[list[_Mark], int, int]]:
    """Yield (marks, first, last) of each object of one label in one clip.

    A range ends at a sample at which the object is not marked, but another object is, or a person
    marked all boxes. Only the objects that were marked first are searched for before their first
    mark: what is visible earlier could be any of the objects.
    """
    earliest = min(mark.sample for mark in marks)
    everywhere = {mark.sample for mark in marks}
    for group in _objects(marks, together):
        own = {mark.sample for mark in group}
        stops = sorted((settled | everywhere) - own)
        begin = first if min(own) == earliest else min(own)
        parts: dict[int, list[_Mark]] = defaultdict(list)
        for mark in group:
            parts[int(np.searchsorted(stops, mark.sample))].append(mark)
        for place, part in sorted(parts.items()):
            low = stops[place - 1] + 1 if place else first
            high = stops[place] if place < len(stops) else last
            yield part, max(low, begin), min(high, last)


def _objects(marks: Sequence[_Mark], together: Pairs) -> list[list[_Mark]]:
    """Return marks grouped by object, each group in order of samples."""
    ordered = sorted(marks, key=lambda one: (one.sample, -1 if one.track is None else one.track))
    tracks = sorted({mark.track for mark in marks if mark.track is not None})
    several = max(Counter(mark.sample for mark in marks).values()) > 1
    if not several and together.isdisjoint(combinations(tracks, 2)):
        return [ordered]
    groups: dict[int | None, list[_Mark]] = defaultdict(list)
    for mark in ordered:
        groups[mark.track].append(mark)
    return [*groups.values()]


def _together(boxes: pa.Table) -> Pairs:
    """Return the pairs of tissue tracks that are visible at the same instant."""
    known = pc.and_(pc.is_valid(boxes["track"]), pc.equal(boxes["kind"], TISSUE))
    at: dict[int, set[int]] = defaultdict(set)
    for row in boxes.filter(known).select(["time_us", "track"]).to_pylist():
        at[row["time_us"]].add(row["track"])
    return {pair for tracks in at.values() for pair in combinations(sorted(tracks), 2)}


def merged(boxes: pa.Table, followed: Iterable[Followed]) -> pa.Table:
    """Return the boxes; all tracks of an object get the same number, the lowest of theirs."""
    together = _together(boxes)
    group: dict[int, set[int]] = {}
    for one in followed:
        for track in one.tracks[1:]:
            a, b = (group.setdefault(n, {n}) for n in (one.object, track))
            if a is not b and together.isdisjoint((min(x, y), max(x, y)) for x in a for y in b):
                a |= b
                group.update(dict.fromkeys(b, a))
    if not group:
        return boxes
    tracks = [None if n is None else min(group.get(n, {n})) for n in boxes["track"].to_pylist()]
    place = boxes.schema.get_field_index("track")
    return boxes.set_column(place, boxes.schema.field(place), pa.array(tracks, pa.int32()))


def follow(extractor: Extractor, one: Followed, number: int, look: Look) -> pa.Table:
    """Masks of one object, window by window from its first mark: forwards, then backwards.

    The prompts of a window are a person's marks in it, and the box that the mask has in the last
    frame of the window before.  If the object is lost, tracking starts again at the next mark.

    Args:
        number: value of the column ``window`` of all rows.
        look: loads a range of samples.

    Returns:
        Rows of the schema WINDOW_MASKS, by time, one per sample.
    """
    path = _Path(extractor, one, number, look)
    path.walk_on()
    path.walk_back()
    rows = pa.concat_tables([WINDOW_MASKS.empty_table(), *path.parts])
    _, kept = np.unique(rows["time_us"].to_numpy(), return_index=True)
    rows = rows.take(kept)
    marked = np.array(sorted(path.marked_us), np.int64)
    away = np.abs(rows["time_us"].to_numpy()[:, None] - marked).min(axis=1, initial=1 << 62)
    place = WINDOW_MASKS.get_field_index("from_prompt_us")
    return rows.set_column(place, WINDOW_MASKS.field(place), pa.array(away, pa.int64()))


@dataclass(slots=True)
class _Path:
    """The windows of one object that were processed so far.

    Attributes:
        parts: rows of each window.
        marked_us: times of a person's marks.
    """

    extractor: Extractor
    one: Followed
    number: int
    look: Look
    parts: list[pa.Table] = field(default_factory=list)
    marked_us: set[int] = field(default_factory=set)

    def walk_on(self) -> None:
        """Track from the first mark to the end."""
        marks = list(self.one.pointed)
        while marks:
            first = marks[0].sample
            last = min(first + self.extractor.settings.window, self.one.last)
            edge, box = self._window(first, last, [m for m in marks if m.sample < last], on=True)
            if last == self.one.last:
                return
            if box is not None and edge > first:
                marks = [Pointed(edge, box), *(m for m in marks if m.sample > edge)]
            else:
                marks = [m for m in marks if m.sample >= last]

    def walk_back(self) -> None:
        """Track from the first mark to the start."""
        size, mark = self.extractor.settings.window, self.one.pointed[0]
        while mark.sample > self.one.first:
            first = max(mark.sample + 1 - size, self.one.first)
            edge, box = self._window(first, mark.sample + 1, [mark], on=False)
            if box is None or edge == mark.sample:
                return
            mark = Pointed(edge, box)

    def _window(
        self, first: int, last: int, pointed: Sequence[Pointed], on: bool
    ) -> tuple[int, Box | None]:
        """Track the object in the samples first <= n < last, forwards if ``on``, else backwards.

        Return the sample at which tracking goes on, and the box there.
        """
        seen = self.look(first, last)
        since = pointed[0].sample - first if on else 0
        until = last - first
        asked = [
            MaskPrompt(
                self.one.object, self.one.label, p.sample - first, p.box, p.point, since, until
            )
            for p in pointed
        ]
        rows = self.extractor.segment(MaskWindow(self.number, first, last), seen.pictures,
                                      seen.times_us, seen.frames, seen.trusted, asked)  # fmt: skip
        self.parts.append(rows)
        self.marked_us |= {int(seen.times_us[p.sample - first]) for p in pointed
                           if p in self.one.pointed}  # fmt: skip
        good = np.flatnonzero(seen.trusted)
        edge = int(good[-1 if on else 0]) if len(good) else until - 1 if on else 0
        there = rows.filter(pc.equal(rows["time_us"], int(seen.times_us[edge]))).to_pylist()
        corners = [(row["x1"], row["y1"], row["x2"], row["y2"]) for row in there]
        return first + edge, corners[0] if corners else None
