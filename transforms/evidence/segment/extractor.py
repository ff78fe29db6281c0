"""The mask extractor: frames of a window and prompts in, a table of masks out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from surgqa.transforms.evidence.base import Extractor as BaseExtractor
from surgqa.transforms.evidence.base import at_hand, round_score, weights_digest
from surgqa.transforms.evidence.segment import masks
from surgqa.transforms.evidence.segment.model import beside_weights, needs_package
from surgqa.transforms.evidence.segment.predictor import PredictedMask, Predictor, Sam2Predictor
from surgqa.transforms.evidence.segment.prompts import WINDOW_MASKS, MaskPrompt, MaskWindow
from surgqa.transforms.evidence.segment.settings import MaskSettings, SegmentSettings

LIBRARIES = ("opencv-python-headless", "sam2", "shapely", "torch")
"""Libraries whose arithmetic affects the masks."""


class MaskExtractor(BaseExtractor):
    """Masks of the objects that boxes mark.

    The extractor gets a whole window with its prompts, not batches of frames. A subclass implements
    :meth:`predictor`. The subclass's settings are a subclass of :class:`MaskSettings`.
    """

    kind: ClassVar[str] = "masks"
    Settings: ClassVar[type] = MaskSettings
    settings: MaskSettings

    @abstractmethod
    def predictor(self) -> Predictor:
        """Return what tracks the boxes; a process loads its model once."""

    def segment(
        self,
        window: MaskWindow,
        pictures: Sequence[np.ndarray],
        times_us: np.ndarray,
        frames: np.ndarray,
        trusted: np.ndarray,
        prompts: Sequence[MaskPrompt],
    ) -> pa.Table:
        """Return the masks of one window, for :func:`stitch`.

        Args:
            window: a window of N samples.
            pictures: N of uint8 (H, W, 3), RGB; frames that are not trusted give no row.
            times_us: int64 (N,).
            frames: int64 (N,), index into the frame table.
            trusted: bool (N,).
            prompts: prompts of this window.  A prompt at an untrusted frame is dropped.

        Returns:
            Rows of the schema WINDOW_MASKS; none if there is no prompt.
        """
        kept = np.flatnonzero(trusted)
        asked = _moved(prompts, kept)
        rows = []
        if asked:
            at_us, at_frame = times_us[kept], frames[kept]
            for found in self.predictor().track([pictures[int(i)] for i in kept], asked):
                own = [p for p in asked if p.object == found.object]
                time = int(at_us[found.offset])
                away = min(abs(int(at_us[p.offset]) - time) for p in own)
                common = (time, int(at_frame[found.offset]), found.object, own[0].label)
                rows += [(*common, *row, window.number, away) for row in self._rows(found)]
        rows.sort(key=lambda r: (r[0], r[2]))
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(WINDOW_MASKS)
        arrays = [pa.array(c, f.type) for c, f in zip(columns, WINDOW_MASKS, strict=True)]
        return pa.Table.from_arrays(arrays, schema=WINDOW_MASKS)

    def _rows(self, found: PredictedMask) -> list[tuple[Any, ...]]:
        """Return the row of one mask; no row if the mask is too small."""
        limits = self.settings
        mask = masks.cleaned(found.mask, limits.hole_px, limits.speck_px)
        box = masks.tight_box(mask)
        height, width = mask.shape
        area = int(mask.sum()) / mask.size
        if box is None or area < limits.least_area:
            return []
        row = (
            float(round_score(found.score)), height, width, masks.encode(mask),
            masks.outline(mask, limits.tolerance_px), area, *box,
        )  # fmt: skip
        return [row]


class Extractor(MaskExtractor):
    """The extractor of masks that runs SAM2.

    Args:
        predictor: tracks the objects instead of SAM2.
    """

    version: ClassVar[int] = 3
    Settings: ClassVar[type] = SegmentSettings
    precisions: ClassVar[tuple[str, str, str]] = ("precision", "fp32", "bf16")
    not_counted: ClassVar[tuple[str, ...]] = ("weights", "sha256", "device")
    settings: SegmentSettings

    def __init__(self, settings: SegmentSettings, predictor: Predictor | None = None) -> None:
        super().__init__(settings)
        self._predictor = predictor or Sam2Predictor(settings)

    def predictor(self) -> Predictor:
        """Return SAM2, unless another predictor was given."""
        return self._predictor

    def basis(self) -> dict[str, Any]:
        """Return settings, digest and configuration of the weights, and versions of libraries.

        The device is not part of the identity; the store records it separately.

        Raises:
            SourceMissing: the weights do not exist.
            UserError: a library is not installed.
        """
        weights = {
            "weights": weights_digest(self.settings.weights, self.settings.sha256),
            "beside": dict(beside_weights(at_hand(self.settings.weights))),
        }
        with needs_package():
            libraries = {library: version(library) for library in LIBRARIES}
        return super().basis() | weights | {"libraries": libraries}


def _moved(prompts: Sequence[MaskPrompt], kept: np.ndarray) -> list[MaskPrompt]:
    """Return the prompts at trusted frames, with offsets that count only trusted frames."""
    place = {int(i): n for n, i in enumerate(kept)}
    return [
        replace(
            p, offset=place[p.offset], since=int(np.searchsorted(kept, p.since)),
            until=int(np.searchsorted(kept, p.until)),
        )
        for p in sorted(prompts, key=lambda p: (p.object, p.offset))
        if p.offset in place
    ]  # fmt: skip
