"""Choose what is shown for each turn of a dialogue: clips, images or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from surgqa.ontology.records import MediaKind
from surgqa.ontology.units import STREAM
from surgqa.transforms.exports.overlays import Overlays
from surgqa.transforms.inference.windows import ShownInterval
from surgqa.transforms.media.cutting import CLIP, PICTURE, CutSource, Request

Asked = Mapping[str, Any]
ABSENT = "the recording has annotations only"


@dataclass(frozen=True, slots=True)
class ExportedMedia:
    """One image or clip.

    Attributes:
        request: the clip or image to cut; None if the video has annotations only.
        caption: text before the image or clip, or None.
        must_us: instants that the image or clip has to show. If it does not, the item cannot be
            asked.
        alone: True if nothing else is shown for the turn.
        why: reason why there is nothing to cut.
    """

    request: Request | None
    caption: str | None
    must_us: tuple[int, ...] = ()
    alone: bool = False
    why: str = ""

    @property
    def shows(self) -> Literal["image", "video"]:
        """The kind of message part that the image or clip becomes."""
        return "video" if self.request and self.request.kind == CLIP else "image"


def end_of(row: Mapping[str, Any], sight: ShownInterval) -> int:
    """Return the end of the interval that is shown, exclusive, in microseconds.

    Windows are half open.  A question asked at a query time, and a round, also show the frame at
    that time.
    """
    if row["rounds"] or sight.end_us < row["end_us"]:
        return sight.end_us + 1
    return max(sight.end_us, sight.start_us + 1)


def shots_of(
    group: Sequence[Asked], media: str, overlays: Overlays | None = None
) -> list[list[ExportedMedia]]:
    """Return the images or clips for each turn of one dialogue.

    Args:
        media: ``clips``, ``frames`` or ``none``.
        overlays: overlays drawn on images and clips, or None.
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
    """True if one frame is visible: the window is a single instant, or the item has no time."""
    return time_unit == "image" or end_us - start_us <= 1


def _is_pictures(one: Asked) -> bool:
    """True if the turn is never a clip: a still, or frames whose order is asked for."""
    times = [frame["time_us"] for frame in one["frames"]]
    still = is_still(one["time_unit"], one["start_us"], one["end_us"])
    return still or times != sorted(times)


def recording_of(one: Asked) -> CutSource | None:
    """Return the video to cut for a question; None if it has annotations only."""
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
    """Return the instants that any turn about the same interval names.

    These turns share one clip.
    """
    stretch = like["start_us"], like["end_us"]
    mine = (one for one in group if (one["start_us"], one["end_us"]) == stretch)
    return frozenset(time for one in mine for time in _must(one))
