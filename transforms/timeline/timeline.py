"""The timeline of one video: its event tuples, linked to tracks; immutable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surgqa.ontology.evidence_ids import event_ids
from surgqa.ontology.records import InstrumentTable, Video, VideoEvidence
from surgqa.transforms.timeline.link import LinkLimits, Tracks, link


@dataclass(frozen=True, eq=False)
class Timeline:
    """The event tuples of one video, with the track that each belongs to.

    Attributes:
        table: event tuples: N rows (instrument in view at an instant) at T instants.
        tracks: K tracks; ``tracks.of_row`` is (N,).
    """

    video: Video
    table: InstrumentTable
    tracks: Tracks

    @cached_property
    def boxed(self) -> np.ndarray:
        """bool (N,): True where the row has a box."""
        return ~np.isnan(self.table.box_xyxy[:, 0])

    @cached_property
    def event_ids(self) -> list[str]:
        """Ids of the rows, see :func:`ontology.evidence_ids.event_ids`."""
        table = self.table
        labels = [table.labels[code] for code in table.label.tolist()]
        return event_ids(table.frames[table.sample].tolist(), labels)


def build_timeline(evidence: VideoEvidence, limits: LinkLimits | None = None) -> Timeline | None:
    """Return the timeline of a video; None if the video has no instrument labels."""
    if evidence.instruments is None:
        return None
    tracks = link(evidence.instruments, evidence.video.period_us, limits or LinkLimits())
    return Timeline(evidence.video, evidence.instruments, tracks)
