"""A window looked at in plain loops: what ``docs/answers.md`` means, sample by sample.

Nothing here is shared with the question engine.  Times are microseconds from the
video's start; a track is its id; a box is four numbers or None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

from ontology.records import UNKNOWN, Window
from transforms.timeline import Timeline

S = 1_000_000
IDLE = (("null_verb", "null_target"),)


@dataclass(frozen=True)
class Sample:
    """One event of a track: its box and pairs, None where not known."""

    label: str
    box: tuple[float, ...] | None
    pairs: tuple[tuple[str, str], ...] | None

    @property
    def centre(self) -> tuple[float, float]:
        assert self.box is not None
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2

    def single(self, part: int) -> str | None:
        """Verb (0) or target (1) where there is exactly one pair."""
        return self.pairs[0][part] if self.pairs is not None and len(self.pairs) == 1 else None

    def has(self, part: int, name: str) -> bool:
        return any(pair[part] == name for pair in self.pairs or ())


@dataclass(frozen=True)
class PlainBlock:
    """Samples ``first_us`` to ``last_us`` that do the same, and how long that counts."""

    value: Any
    first_us: int
    last_us: int
    start_us: int
    end_us: int

    @property
    def length_us(self) -> int:
        return self.end_us - self.start_us

    @property
    def seconds(self) -> float:
        return self.length_us / S


class Plain:
    """One window of one timeline."""

    def __init__(self, timeline: Timeline, window: Window) -> None:
        self.window = window
        self.period = timeline.video.period_us
        self.vocabulary = timeline.video.vocabulary
        table = timeline.table
        self.instants = [
            t for t in table.instants_us.tolist() if window.start_us <= t < window.end_us
        ]
        self.tracks: dict[str, dict[int, Sample]] = {}
        for row, sample in enumerate(table.sample.tolist()):
            time = int(table.instants_us[sample])
            if time not in self.instants:
                continue
            box = tuple(table.box_xyxy[row].tolist())
            code = int(table.pairs[row])
            self.tracks.setdefault(timeline.tracks.ids[timeline.tracks.of_row[row]], {})[time] = (
                Sample(
                    table.labels[table.label[row]],
                    box if box[0] == box[0] else None,
                    None if code == UNKNOWN else table.pair_sets[code],
                )
            )

    def between(self, start_us: int, end_us: int) -> list[int]:
        """Annotated instants, both ends counted."""
        return [t for t in self.instants if start_us <= t <= end_us]

    def in_view(self, time: int) -> dict[str, Sample]:
        return {track: by_time[time] for track, by_time in self.tracks.items() if time in by_time}

    def label(self, track: str) -> str:
        return next(iter(self.tracks[track].values())).label

    def of_class(self, label: str) -> list[str]:
        return [track for track in self.tracks if self.label(track) == label]

    @cached_property
    def neighbours(self) -> list[tuple[int, int]]:
        return list(zip(self.instants, self.instants[1:], strict=False))

    # -- motion ---------------------------------------------------------------------------------

    def run(self, track: str, time: int) -> list[int]:
        """Instants of the boxed run that holds the time; empty without a box."""
        if not self.boxed(track, time):
            return []
        run = [time]
        for a, b in self.neighbours:
            if a == run[-1] and self.boxed(track, b) and self.near(a, b):
                run.append(b)
        for a, b in reversed(self.neighbours):
            if b == run[0] and self.boxed(track, a) and self.near(a, b):
                run.insert(0, a)
        return run

    def boxed(self, track: str, time: int) -> bool:
        sample = self.tracks[track].get(time)
        return sample is not None and sample.box is not None

    def near(self, a: int, b: int) -> bool:
        """Near enough for one run: max(0.7 s, 1.5 periods)."""
        return b - a <= 700_000 or 2 * (b - a) <= 3 * self.period

    def steps(self, track: str, start_us: int, end_us: int) -> list[tuple[float, float]]:
        """(distance, seconds) from each boxed sample to the next."""
        times = self.between(start_us, end_us)
        places = [self.tracks[track][t].centre for t in times]
        return [
            (apart(p, q), (b - a) / 1e6)
            for p, q, a, b in zip(places, places[1:], times, times[1:], strict=False)
        ]

    def path(self, track: str, start_us: int, end_us: int) -> float:
        return sum(step for step, _ in self.steps(track, start_us, end_us))

    def distance(self, track: str, other: str, time: int) -> float:
        return apart(self.tracks[track][time].centre, self.tracks[other][time].centre)

    # -- interactions ---------------------------------------------------------------------------

    def blocks(self, track: str) -> list[PlainBlock]:
        """Maximal runs of equal, known pairs."""
        return list(self._cut(track, lambda sample: sample.pairs))

    def verb_runs(self, track: str, verb: str) -> list[PlainBlock]:
        """Maximal runs of one verb over single-pair samples."""
        runs = self._cut(track, lambda sample: sample.single(0))
        return [run for run in runs if run.value == verb]

    def _cut(self, track: str, value_of: Any) -> Iterator[PlainBlock]:
        samples = self.tracks[track]
        values = {t: value_of(samples[t]) if t in samples else None for t in self.instants}
        group: list[int] = []
        for time in self.instants:
            goes_on = (
                group
                and values[time] == values[group[-1]]
                and 2 * (time - group[-1]) <= 3 * self.period
            )
            if group and not goes_on:
                yield self._block(values[group[0]], group)
                group = []
            if values[time] is not None:
                group.append(time)
        if group:
            yield self._block(values[group[0]], group)

    def _block(self, value: Any, group: list[int]) -> PlainBlock:
        half = self.period // 2
        start = max(group[0] - half, self.window.start_us)
        return PlainBlock(
            value, group[0], group[-1], start, min(group[-1] + half, self.window.end_us)
        )

    def visible_us(self, track: str) -> int:
        """Length of the stretches in which it is seen, whatever it does."""
        return sum(block.length_us for block in self._cut(track, lambda sample: True))

    def idle_share(self, track: str) -> float:
        """Idle time as a part of the time in view."""
        idle = sum(block.length_us for block in self.blocks(track) if block.value == IDLE)
        return idle / self.visible_us(track)

    def targets(self, track: str) -> set[str]:
        pairs = [pair for sample in self.tracks[track].values() for pair in sample.pairs or ()]
        return {target for _, target in pairs if target != "null_target"}

    def touched(self, target: str, time: int) -> bool:
        return any(sample.has(1, target) for sample in self.in_view(time).values())

    def seen(self, label: str) -> list[int]:
        """Instants at which the class is in view."""
        return [t for t in self.instants if any(s.label == label for s in self.in_view(t).values())]


def apart(p: tuple[float, float], q: tuple[float, float]) -> float:
    dx, dy = p[0] - q[0], p[1] - q[1]
    return sqrt(dx * dx + dy * dy)


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Intersection over union."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return width * height / (sum(areas) - width * height)
