"""Measures of one shrunk frame, in integers as far as possible.

Sums are exact integers and every quotient is rounded.  So values do not depend on the order of
summation, on threads or on vector width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from surgqa.transforms.evidence.base import rounded
from surgqa.transforms.evidence.privacy.settings import StillSettings

HASH_ROWS, HASH_COLUMNS = 8, 9
THUMB_WIDTH, THUMB_HEIGHT = 64, 36
HUES, SATURATIONS = 16, 16
HUE_RANGE, VALUE_RANGE = 180, 256
HISTOGRAM_SUM = 65_535
ROW_OF_HUE = (np.arange(VALUE_RANGE) * HUES // HUE_RANGE * SATURATIONS).astype(np.uint8)
"""First histogram bin of each hue; hues end at 179."""
WHITE = 255
DECIMALS = 6
SHARPNESS_DECIMALS = 2


@dataclass(frozen=True, slots=True)
class QualitySettings:
    """Fixed sizes and limits; hues are 0 to 179, other values 0 to 255.

    Attributes:
        width, height: pixels of the frame that is measured, shrunk by area averaging.
            Sharpness depends on both, so thresholds are valid only for this size.
        dark_value: grey below this is nearly black.  Black level of video is 16.
        lit_value: HSV value from which a pixel's colour is used. The dark area around the
            endoscope's circle has lower values.
        lit_share: least share of lit pixels in the frame; with fewer, the colour is not used.
        tissue_hue_to, tissue_hue_from: tissue is red to orange, so its hue is at most the
            first or at least the second.
        tissue_saturation: least saturation of tissue.
        foreign_hue_from, foreign_hue_to: green to blue, a common hue of drapes, gloves and
            clothes that is rare inside a body.
        foreign_saturation: least saturation of such colours.
        foreign_share: share of green to blue among the lit pixels from which a frame counts as
            outside the body, whatever else it shows. 496 real frames from inside reach 0.08.
        still: limits for finding drawn overlays.
    """

    width: int = 320
    height: int = 180
    dark_value: int = 16
    lit_value: int = 40
    lit_share: float = 0.03
    tissue_hue_to: int = 18
    tissue_hue_from: int = 165
    tissue_saturation: int = 50
    foreign_hue_from: int = 35
    foreign_hue_to: int = 140
    foreign_saturation: int = 50
    foreign_share: float = 0.3
    still: StillSettings = field(default_factory=StillSettings)


@dataclass(frozen=True, slots=True, eq=False)
class Small:
    """A frame at the fixed size: uint8 (H, W) of grey, and of hue, saturation and value."""

    grey: np.ndarray
    hsv: Sequence[np.ndarray]


def shrink(picture: np.ndarray, settings: QualitySettings) -> Small:
    """Resize a frame, uint8 (H, W, 3) RGB, to the size at which everything is measured."""
    size = (settings.width, settings.height)
    small = picture
    # Repeated halving (means of 2 x 2 pixels) takes a quarter of the time of a single resize.
    while _halves(small.shape[:2], size):
        height, width = small.shape[:2]
        small = cv2.resize(small, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    small = cv2.resize(small, size, interpolation=cv2.INTER_AREA)
    hsv = cv2.split(cv2.cvtColor(small, cv2.COLOR_RGB2HSV))
    return Small(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), hsv)


def _halves(picture_hw: tuple[int, ...], size: tuple[int, int]) -> bool:
    """Return whether both sides are even and at least twice the target size."""
    height, width = picture_hw
    return height % 2 == width % 2 == 0 and width >= 2 * size[0] and height >= 2 * size[1]


def light(grey: np.ndarray, settings: QualitySettings) -> tuple[float, float, float]:
    """Mean, standard deviation and share of nearly black pixels of grey, each in [0, 1]."""
    counts = _counts(grey)
    values = np.arange(VALUE_RANGE)
    pixels, total = grey.size, int(counts @ values)
    spread = max(int(counts @ (values * values)) * pixels - total * total, 0)
    return (
        _to6(total / (pixels * WHITE)),
        _to6(spread**0.5 / (pixels * WHITE)),
        _to6(int(counts[: settings.dark_value].sum()) / pixels),
    )


def _counts(values: np.ndarray) -> np.ndarray:
    """Return int64 (256,), how often each value occurs in a uint8 array."""
    # Counts are integers below 2 ** 24, which float32 represents exactly.
    found = cv2.calcHist([values], [0], None, [VALUE_RANGE], [0, VALUE_RANGE])
    return found.reshape(-1).astype(np.int64)


def sharpness(grey: np.ndarray) -> float:
    """Return the variance of the four-neighbour Laplacian, in squared grey levels."""
    edges = cv2.Laplacian(grey, cv2.CV_16S).reshape(-1).astype(np.int32)
    total, squares = int(edges.sum(dtype=np.int64)), int((edges * edges).sum(dtype=np.int64))
    pixels = edges.size
    return float(
        rounded((squares * pixels - total * total) / (pixels * pixels), SHARPNESS_DECIMALS)
    )


def inside(hsv: Sequence[np.ndarray], settings: QualitySettings) -> float:
    """Likeness to the inside of a body: share of red in the lit pixels, reduced by green to blue.

    This is a rule on colour and no classifier.  Skin, wood and warm lamp light look like tissue.
    A view full of instruments, gauze or a retrieval bag does not (see ``docs/curation.md`` for
    the error rates).
    """
    hue, saturation, value = hsv
    lit = value >= settings.lit_value
    pixels = int(np.count_nonzero(lit))
    if pixels < settings.lit_share * lit.size:
        return 0.0
    red = (hue <= settings.tissue_hue_to) | (hue >= settings.tissue_hue_from)
    tissue = np.count_nonzero(lit & red & (saturation >= settings.tissue_saturation))
    green = (hue >= settings.foreign_hue_from) & (hue <= settings.foreign_hue_to)
    foreign = np.count_nonzero(lit & green & (saturation >= settings.foreign_saturation))
    kept = 1.0 - min(1.0, foreign / pixels / settings.foreign_share)
    return _to6(tissue / pixels * kept)


def difference_hash(grey: np.ndarray) -> int:
    """64 bits, row by row from the top left, most significant first.

    A bit is set if a cell of an 8 x 9 grid is brighter than its right neighbour.  Cells are
    compared by cross multiplication, so rounding never makes equal cells differ.
    """
    rows = _edges(grey.shape[0], HASH_ROWS)
    columns = _edges(grey.shape[1], HASH_COLUMNS)
    corners = cv2.integral(grey)[np.ix_(rows, columns)].astype(np.int64)
    sums = np.diff(np.diff(corners, axis=0), axis=1)
    widths = np.diff(columns)
    brighter = sums[:, :-1] * widths[1:] > sums[:, 1:] * widths[:-1]
    return int.from_bytes(np.packbits(brighter.reshape(-1)).tobytes(), "big")


def _edges(length: int, cells: int) -> np.ndarray:
    return np.arange(cells + 1) * length // cells


def thumb(grey: np.ndarray) -> bytes:
    """64 x 36 grey bytes, row by row."""
    size = (THUMB_WIDTH, THUMB_HEIGHT)
    return cv2.resize(grey, size, interpolation=cv2.INTER_AREA).tobytes()


def histogram(hsv: Sequence[np.ndarray]) -> bytes:
    """16 x 16 counts of hue by saturation, row by row, uint16 little endian, sum 65535."""
    hue, saturation, _ = hsv
    counts = _counts(cv2.LUT(hue, ROW_OF_HUE) + saturation // (VALUE_RANGE // SATURATIONS))
    # Scaling the running sums, and not the counts, makes the total exactly 65535.
    ends = np.cumsum(counts) * HISTOGRAM_SUM // hue.size
    return np.diff(ends, prepend=0).astype("<u2").tobytes()


def _to6(value: float) -> float:
    return float(rounded(value, DECIMALS))
