"""The overlays of an export's clips and images: boxes of the evidence, and a clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.exports.regions import CORNERS
from surgqa.transforms.media.overlay import DrawnBox, Overlay
from surgqa.transforms.store import OutputFolder


class Overlays:
    """Overlays of a dataset's videos; the boxes of one video at a time are in memory.

    A box is drawn from half an annotation period before its instant to half a period after it.
    No box is interpolated between two instants.
    """

    def __init__(self, folder: OutputFolder) -> None:
        self.folder = folder
        columns = ["dataset", "video_id", "period_us"]
        self._periods = {(one["dataset"], one["video_id"]): one["period_us"] for one in
                         folder.evidence("videos").select(columns).to_pylist()}  # fmt: skip
        self._held: tuple[tuple[str, str] | None, list[DrawnBox]] = None, []

    def of(self, one: Mapping[str, Any], start_us: int, end_us: int) -> Overlay:
        """Return the overlay of an interval that a question shows.

        Args:
            one: with ``dataset``, ``labels`` and ``zero_us``, the time that the question calls 0.
        """
        marks = self._marks((one["dataset"], one["labels"]["video_id"]))
        inside = (mark for mark in marks if mark.start_us < end_us and start_us < mark.end_us)
        return Overlay(one["zero_us"], tuple(sorted(inside)))

    def _marks(self, video: tuple[str, str]) -> list[DrawnBox]:
        if self._held[0] != video:
            half = (self._periods[video] or 0) // 2
            rows = [row for table in ("events", "regions")
                    for row in self.folder.evidence_of(table, *video)]  # fmt: skip
            marks = []
            for row in rows:
                box = tuple(row[name] for name in CORNERS)
                if row["label"] is not None and None not in box:
                    time_us = row["time_us"]
                    marks.append(
                        DrawnBox(time_us - half, time_us + max(half, 1), row["label"], box)
                    )
            self._held = video, marks
        return self._held[1]
