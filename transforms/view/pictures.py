"""Frames of an item's video up to the last time that a model may see, and outlines of masks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from surgqa.ontology.errors import ValueInvalid, WrongUsage
from surgqa.transforms.places import Place
from surgqa.transforms.view.database import Database, Row
from surgqa.transforms.view.one import seen_us

LARGEST = 4096 * 4096
"""Maximum number of pixels of a mask; larger masks are not drawn."""
POINTS = 1000
"""Width and height of a frame in the coordinates of outlines."""


def masks(db: Database, row: Mapping[str, Any], time_us: int) -> list[Row]:
    """Return the outlines of all masks of an item's video at a time, if it may be shown.

    Returns:
        ``label`` and ``path``: an SVG path in a square of 1000 units, empty if the mask cannot be
            read.
    """
    if not row["start_us"] <= time_us <= row["seen_us"]:
        return []
    there = "WHERE dataset = ? AND video_id = ? AND time_us = ? AND coalesce(mask, '') <> ''"
    values = [row["dataset"], row["video_id"], time_us]
    found = db.rows(
        f"SELECT label, mask FROM events {there} UNION ALL "
        f"SELECT label, mask FROM regions {there} ORDER BY label, mask", values * 2,
    )  # fmt: skip
    return [{"label": one["label"], "path": outline(one["mask"])} for one in found]


def outline(text: str) -> str:
    """Return the outlines of a mask and its holes as an SVG path; '' if the text is not a mask.

    Args:
        text: ``HEIGHTxWIDTH:counts``, run lengths in COCO's compressed form.
    """
    import cv2
    import numpy as np

    from surgqa.ontology.masks import decoded

    try:
        height, width = (int(side) for side in text.partition(":")[0].split("x"))
        if not 0 < height * width <= LARGEST:
            return ""
        mask = decoded(text)
    except (ValueError, UnicodeError):
        return ""
    lines, _ = cv2.findContours(np.ascontiguousarray(mask, np.uint8), cv2.RETR_CCOMP,
                                cv2.CHAIN_APPROX_SIMPLE)  # fmt: skip
    scale = np.array([POINTS / width, POINTS / height])
    parts = []
    for line in lines:
        line = cv2.approxPolyDP(line, max(width, height) / POINTS, closed=True)
        places = np.rint(line[:, 0, :] * scale).astype(int).tolist()
        if len(places) > 2:
            parts.append("M" + "L".join(f"{x} {y}" for x, y in places) + "Z")
    return "".join(parts)


if TYPE_CHECKING:
    from surgqa.transforms.inference.images import FrameImages
    from surgqa.transforms.inference.jobs import Job, Medium
    from surgqa.transforms.media.cuts import Clean

LONGER_SIDE = 960


class FrameCutter:
    """Cuts single frames; can be used by several threads.

    Args:
        roots: folder of each dataset; frames of other datasets are not available.
        longer_side: maximum longer side of a frame in pixels.
        clean: for each dataset in whose frames faces and texts are hidden, the function that does.

    Attributes:
        lost: video -> why a frame of it could not be shown.
    """

    def __init__(
        self, roots: Mapping[str, Place], longer_side: int = LONGER_SIDE,
        clean: Mapping[str, Clean] | None = None,
    ) -> None:  # fmt: skip
        self.roots, self._side, self._clean = roots, longer_side, clean
        self.lost: dict[str, str] = {}

    @cached_property
    def _pictures(self) -> FrameImages:
        from surgqa.transforms.inference.images import FrameImages  # loads the video decoders

        return FrameImages(self.roots, longer_side=self._side, clean=self._clean)

    def has(self, row: Mapping[str, Any]) -> bool:
        """Return whether the folder of an item's dataset is known."""
        return row["dataset"] in self.roots and bool((row["media"] or {}).get("path"))

    def jpeg(self, row: Mapping[str, Any], time_us: int, round_index: int | None = None) -> bytes:
        """Return the frame that the video shows at a time, as JPEG.

        Raises:
            UserError: the time may not be seen, or the folder of the dataset was not given.
            SourceMissing, SourceBroken: there is no such frame.
        """
        last = seen_us(row, round_index)
        if not row["start_us"] <= time_us <= last:
            raise ValueInvalid(
                "this instant may not be seen", expected=f"{row['start_us']} to {last}",
                found=str(time_us), fix="choose an instant inside the window",
            )  # fmt: skip
        if not self.has(row):
            raise WrongUsage("the frames of this video are not available",
                             fix=f"name their folder: --root {row['dataset']}=DIR")  # fmt: skip
        return self._pictures.of(_job(row, time_us, last))[0].jpeg


def _job(row: Mapping[str, Any], time_us: int, end_us: int) -> Job:
    """Return a request for one frame, in the form of a model's job."""
    from surgqa.transforms.inference.jobs import Job

    medium = row["media"]
    media: Medium = {
        "path": medium["path"], "kind": medium["kind"], "fps_num": medium["fps_num"],
        "fps_den": medium["fps_den"], "first": medium.get("first") or 0,
    }  # fmt: skip
    if medium.get("sha256"):
        media["sha256"] = medium["sha256"]
    return Job(
        "", row["item_id"], None, row["benchmark"], row["dataset"], row["video_id"], media, "sec",
        row["start_us"], end_us, [{"time_us": time_us, "caption": None}], "", "", "",
    )  # fmt: skip
