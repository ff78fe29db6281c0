"""Chooses the images or the clip that each turn of a dialogue shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from surgqa.ontology.records import MediaKind
from surgqa.ontology.units import STREAM
from surgqa.transforms.exports.regions import CORNERS
from surgqa.transforms.inference.windows import ShownInterval
from surgqa.transforms.media.cutting import CLIP, PICTURE, CutSource, Request
from surgqa.transforms.media.overlay import DrawnBox, Overlay
from surgqa.transforms.store import OutputFolder

Asked = Mapping[str, Any]
ABSENT = "the recording has annotations only"


@dataclass(frozen=True, slots=True)
class ExportedMedia:
    """One image or clip of a turn.

    Attributes:
        request: what to cut from the video; None if there are only annotations and no video.
        caption: text before the image or clip, or None.
        must_us: times that the image or clip must show; if it does not, the item is left out.
        alone: True if the turn shows nothing else.
        why: why there is nothing to cut.
    """

    request: Request | None
    caption: str | None
    must_us: tuple[int, ...] = ()
    alone: bool = False
    why: str = ""

    @property
    def shows(self) -> Literal["image", "video"]:
        """Whether this is an image or a clip ("video")."""
        return "video" if self.request and self.request.kind == CLIP else "image"


def end_of(row: Mapping[str, Any], sight: ShownInterval) -> int:
    """Return the end of the interval that a question shows, exclusive, in microseconds.

    A window does not contain its end. But a question at a query time, or a round, also shows the
    frame at this time.
    """
    if row["rounds"] or sight.end_us < row["end_us"]:
        return sight.end_us + 1
    return max(sight.end_us, sight.start_us + 1)


def shots_of(
    group: Sequence[Asked], media: str, overlays: Overlays | None = None
) -> list[list[ExportedMedia]]:
    """Return the images or clips that each turn of a dialogue shows.

    Args:
        media: ``clips``, ``frames`` or ``none``.
        overlays: what is drawn on images and clips, or None.
    """
    if media == "none":
        return [[] for _ in group]
    ends, said, out = 0, "", []
    for one in group:
        recording = recording_of(one)
        if recording is None:
            out.append([ExportedMedia(None, None, alone=True, why=ABSENT)])
        elif media == "frames" or _is_pictures(one):
            out.append(_pictures(one, recording, overlays))
        else:
            follows = one["labels"]["unit"] == STREAM and ends > one["start_us"]
            start_us, begin = (ends, said) if follows else (one["start_us"], one["stretch"][0])
            asked = _asked_in(group, one)
            out.append(_clip(one, recording, start_us, begin, asked, overlays))
            ends, said = one["end_us"], one["stretch"][1]
    return out


def is_still(time_unit: str, start_us: int, end_us: int) -> bool:
    """Return whether an item shows only one frame."""
    return time_unit == "image" or end_us - start_us <= 1


def _is_pictures(one: Asked) -> bool:
    """Return whether a turn shows images only: a still image, or images whose order is asked."""
    times = [frame["time_us"] for frame in one["frames"]]
    still = is_still(one["time_unit"], one["start_us"], one["end_us"])
    return still or times != sorted(times)


def recording_of(one: Asked) -> CutSource | None:
    """Return the video that a question shows; None if there are only annotations."""
    media = one["media"]
    if media["path"] is None or media["kind"] == MediaKind.ABSENT:
        return None
    return CutSource(one["dataset"], **media)


def _pictures(one: Asked, recording: CutSource, overlays: Overlays | None) -> list[ExportedMedia]:
    shots = []
    for frame in one["frames"]:
        time = min(frame["time_us"], one["end_us"] - 1)
        must = frame.get("asked") or frame["time_us"] == one["at_us"]
        over = overlays.of(one, time, time + 1) if overlays else None
        request = Request(recording, PICTURE, time, time, overlay=over)
        shots.append(ExportedMedia(request, frame["caption"], (time,) if must else ()))
    return shots


def _clip(
    one: Asked, recording: CutSource, start_us: int, begin: str, asked_us: frozenset[int],
    overlays: Overlays | None,
) -> list[ExportedMedia]:  # fmt: skip
    if start_us >= one["end_us"]:
        return []
    inside = tuple(sorted(time for time in asked_us if start_us <= time < one["end_us"]))
    must = tuple(sorted(_must(one).intersection(inside)))
    over = overlays.of(one, start_us, one["end_us"]) if overlays else None
    request = Request(recording, CLIP, start_us, one["end_us"], inside, over)
    return [ExportedMedia(request, f"Video from {begin} to {one['stretch'][1]}:", must, alone=True)]


def _must(one: Asked) -> set[int]:
    named = {frame["time_us"] for frame in one["frames"] if frame.get("asked")}
    return named if one["at_us"] is None else {*named, one["at_us"]}


def _asked_in(group: Sequence[Asked], like: Asked) -> frozenset[int]:
    """Return the times that all turns about the same interval name.

    These turns show the same clip.
    """
    stretch = like["start_us"], like["end_us"]
    mine = (one for one in group if (one["start_us"], one["end_us"]) == stretch)
    return frozenset(time for one in mine for time in _must(one))


class Overlays:
    """Overlays (boxes and a clock) for the videos of an output.

    A box is drawn from half a period of the annotations before its time to half a period after it.
    Boxes between annotated times are not interpolated. The boxes of one video at a time are in
    memory.
    """

    def __init__(self, folder: OutputFolder) -> None:
        self.folder = folder
        columns = ["dataset", "video_id", "period_us"]
        self._periods = {(one["dataset"], one["video_id"]): one["period_us"] for one in
                         folder.evidence("videos").select(columns).to_pylist()}  # fmt: skip
        self._held: tuple[tuple[str, str] | None, list[DrawnBox]] = None, []

    def of(self, one: Mapping[str, Any], start_us: int, end_us: int) -> Overlay:
        """Return the overlay for an interval that a question shows.

        Args:
            one: the question, with ``dataset``, ``labels`` and ``zero_us`` (the time that it calls
                0).
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
