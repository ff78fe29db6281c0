"""The timeline: one video's event tuples, linked; immutable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ontology.boxes import centres
from ontology.records import IDLE, UNKNOWN, InstrumentTable, Span, Video, VideoEvidence
from transforms.timeline.link import Tracks, link
from transforms.timeline.settings import LinkLimits


@dataclass(frozen=True, eq=False)
class Timeline:
    """One video, structured.

    Attributes:
        table: event tuples (N rows over T instants).
        tracks: K tracks; ``tracks.of_row`` (N,).
        limits: the limits it was linked with.
    """

    video: Video
    table: InstrumentTable
    tracks: Tracks
    spans: tuple[Span, ...]
    limits: LinkLimits

    @cached_property
    def centre(self) -> np.ndarray:
        """float64 (N, 2), NaN without a box."""
        return centres(self.table.box_xyxy)

    @cached_property
    def boxed(self) -> np.ndarray:
        """bool (N,), the row has a box."""
        return ~np.isnan(self.table.box_xyxy[:, 0])

    @cached_property
    def single_verb(self) -> np.ndarray:
        """int16 (N,), index into :attr:`verbs` where the row has one pair, else UNKNOWN."""
        return self._single(0, self.verbs)

    @cached_property
    def single_target(self) -> np.ndarray:
        """int16 (N,), index into :attr:`targets` where the row has one pair, else UNKNOWN."""
        return self._single(1, self.targets)

    @cached_property
    def verbs(self) -> tuple[str, ...]:
        """Verb ids that occur, sorted."""
        return tuple(sorted({pair[0] for pairs in self.table.pair_sets for pair in pairs}))

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """Target ids that occur, sorted."""
        return tuple(sorted({pair[1] for pairs in self.table.pair_sets for pair in pairs}))

    @cached_property
    def idle(self) -> np.ndarray:
        """bool (N,), the row is known to idle."""
        flags = np.array([pairs == (IDLE,) for pairs in self.table.pair_sets] + [False])
        return flags[self.table.pairs]

    def has(self, position: int, concept: str) -> np.ndarray:
        """bool (N,): a pair of the row has ``concept`` as verb (0) or target (1)."""
        flags = [any(p[position] == concept for p in pairs) for pairs in self.table.pair_sets]
        return np.array([*flags, False])[self.table.pairs]

    def _single(self, position: int, names: tuple[str, ...]) -> np.ndarray:
        codes = [
            names.index(pairs[0][position]) if len(pairs) == 1 else UNKNOWN
            for pairs in self.table.pair_sets
        ]
        return np.array([*codes, UNKNOWN], dtype=np.int16)[self.table.pairs]

    @cached_property
    def event_ids(self) -> list[str]:
        """Ids of the rows: ``<frame>-<label>-<k>``, k counted from 1 within instant and label."""
        table = self.table
        same = (np.diff(table.sample) == 0) & (np.diff(table.label) == 0)
        change = np.flatnonzero(np.concatenate([[True], ~same]))
        k = np.arange(len(table.sample)) - np.repeat(change, np.diff([*change, len(table.sample)]))
        frames = table.frames[table.sample].tolist()
        labels = [table.labels[code] for code in table.label.tolist()]
        return [
            f"{f}-{name}-{i}" for f, name, i in zip(frames, labels, (k + 1).tolist(), strict=True)
        ]


def build_timeline(evidence: VideoEvidence, limits: LinkLimits | None = None) -> Timeline | None:
    """Structure one video's evidence; None where it has no instrument labels."""
    limits = limits or LinkLimits()
    if evidence.instruments is None:
        return None
    tracks = link(evidence.instruments, evidence.video.period_us, limits)
    return Timeline(evidence.video, evidence.instruments, tracks, evidence.spans, limits)
