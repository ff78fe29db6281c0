"""Extractor of image quality measures: one row per sample."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar

import cv2
import numpy as np
import pyarrow as pa

from surgqa.ontology.observed import FRAMES
from surgqa.transforms.evidence.base import FrameExtractor
from surgqa.transforms.evidence.privacy.still import still_share
from surgqa.transforms.evidence.quality import measures
from surgqa.transforms.evidence.quality.measures import QualitySettings
from surgqa.transforms.media import FrameBatch


class Extractor(FrameExtractor):
    """Measures computed from pixels; needs no model weights.

    ``luma_step`` and ``colour_step`` compare a sample with the sample before, which may be in
    another batch. So they are filled in when the batches of a video are joined.

    Args:
        settings: sizes and limits.
    """

    version: ClassVar[int] = 2
    kind: ClassVar[str] = "frames"
    Settings: ClassVar[type] = QualitySettings
    settings: QualitySettings

    def basis(self) -> dict[str, Any]:
        """Return the settings, and the OpenCV version."""
        return {"settings": asdict(self.settings), "opencv": cv2.__version__}

    def look(self, batch: FrameBatch) -> pa.Table:
        """Return one row for each sample; the measures are null if the sample is not trusted."""
        # No effect on later calls; more OpenCV threads bring nothing at this size.
        cv2.setNumThreads(1)
        rows: list[dict[str, Any]] = []
        grey: list[np.ndarray] = []
        for index, trusted in enumerate(batch.trusted):
            row = {
                "time_us": int(batch.times_us[index]),
                "frame": int(batch.frames[index]),
                "trusted": bool(trusted),
            }
            if trusted:
                small = measures.shrink(batch.pictures[index], self.settings)
                grey.append(small.grey)
                row |= self._measured(small)
            rows.append(row)
        share = still_share(np.stack(grey), self.settings.still) if grey else None
        for row in rows:
            row["overlay_share"] = share if row["trusted"] else None
        return pa.Table.from_pylist(rows, schema=FRAMES)

    def _measured(self, small: measures.Small) -> dict[str, Any]:
        luma, contrast, dark = measures.light(small.grey, self.settings)
        return {
            "luma": luma,
            "contrast": contrast,
            "dark_share": dark,
            "sharpness": measures.sharpness(small.grey),
            "inside": measures.inside(small.hsv, self.settings),
            "dhash": measures.difference_hash(small.grey),
            "thumb": measures.thumb(small.grey),
            "histogram": measures.histogram(small.hsv),
        }
