"""Detect instruments that enter or leave the view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from surgqa.transforms.evidence.derive.rows import Happening, box_of
from surgqa.transforms.evidence.derive.settings import PresenceLimits
from surgqa.transforms.evidence.derive.tracks import BoxTrack, SampleTimes


@dataclass(frozen=True, slots=True)
class _Span:
    """Samples ``first`` to ``last`` (inclusive) of one track, without a long gap."""

    track: BoxTrack
    first: int
    last: int

    @property
    def start_us(self) -> int:
        return int(self.track.time_us[self.first])

    @property
    def end_us(self) -> int:
        return int(self.track.time_us[self.last])


def presences(
    tools: Sequence[BoxTrack], grid: SampleTimes, limits: PresenceLimits
) -> Iterator[Happening]:
    """Yield ``enters`` and ``leaves``, but not at the first and the last sampled time.

    Spans of one class are chained if the linker lost a tool and found it again, or if nothing was
    sampled between them. A tool enters at the first time at which it is seen. It leaves at the
    first sampled time at which it is not seen. ``resolution_us`` is the time since the last sample.
    """
    for chain in _chains(tools, grid, limits):
        first, last = chain[0], chain[-1]
        if last.end_us - first.start_us + grid.period_us < limits.seen_us:
            continue
        before, after = grid.before(first.start_us), grid.after(last.end_us)
        if before is not None:
            yield _row(first, first.first, first.start_us, first.start_us - before, "enters")
        if after is not None:
            yield _row(last, last.last, after, after - last.end_us, "leaves")


def _row(span: _Span, at: int, time_us: int, resolution_us: int, kind: str) -> Happening:
    return Happening(
        time_us, time_us, kind, span.track.label, f"derive.{kind}", resolution_us,
        span.track.number, box=box_of(span.track.box[at]),
    )  # fmt: skip


def _chains(
    tools: Sequence[BoxTrack], grid: SampleTimes, limits: PresenceLimits
) -> list[list[_Span]]:
    spans = [span for track in tools for span in _spans(track, grid, limits.away_us)]
    chains: list[list[_Span]] = []
    ends: dict[str, list[list[_Span]]] = {}
    for span in sorted(spans, key=lambda s: (s.start_us, s.track.number)):
        of_class = ends.setdefault(span.track.label, [])
        free = [c for c in of_class if _continues(c[-1], span, grid, limits)]
        if free:
            # The tool that was lost last is the most likely to be found again.
            max(free, key=lambda c: (c[-1].end_us, -c[-1].track.number)).append(span)
        else:
            chain = [span]
            chains.append(chain)
            of_class.append(chain)
    return chains


def _continues(old: _Span, new: _Span, grid: SampleTimes, limits: PresenceLimits) -> bool:
    gone = new.start_us - old.end_us
    return gone > 0 and (gone <= limits.away_us or grid.after(old.end_us) == new.start_us)


def _spans(track: BoxTrack, grid: SampleTimes, gap_us: int) -> list[_Span]:
    look = np.searchsorted(grid.time_us, track.time_us)
    apart = (np.diff(track.time_us) > gap_us) & (np.diff(look) > 1)
    first = np.concatenate([[0], np.flatnonzero(apart) + 1])
    last = np.append(first[1:], len(look)) - 1
    return [_Span(track, a, b) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
