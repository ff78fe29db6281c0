"""Measures of one shrunk picture, in whole numbers as far as they go.

Sums are exact integers and every quotient is rounded, so the values do not depend on
the order of summation, on threads or on vector width.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from transforms.evidence.base import rounded
from transforms.evidence.quality.settings import QualitySettings

HASH_ROWS, HASH_COLUMNS = 8, 9
THUMB_WIDTH, THUMB_HEIGHT = 64, 36
HUES, SATURATIONS = 16, 16
HUE_RANGE, VALUE_RANGE = 180, 256
HISTOGRAM_SUM = 65_535
WHITE = 255
DECIMALS = 6
SHARPNESS_DECIMALS = 2


@dataclass(frozen=True, slots=True, eq=False)
class Small:
    """One picture at the fixed size: uint8 grey (H, W) and HSV (H, W, 3)."""

    grey: np.ndarray
    hsv: np.ndarray


def shrink(picture: np.ndarray, settings: QualitySettings) -> Small:
    """The picture, uint8 (H, W, 3) RGB, at the size at which all is measured."""
    size = (settings.width, settings.height)
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return Small(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), cv2.cvtColor(small, cv2.COLOR_RGB2HSV))


def light(grey: np.ndarray, settings: QualitySettings) -> tuple[float, float, float]:
    """Mean, standard deviation and nearly black share of grey, each in [0, 1]."""
    counts = np.bincount(grey.reshape(-1), minlength=VALUE_RANGE)
    values = np.arange(VALUE_RANGE)
    pixels, total = grey.size, int(counts @ values)
    spread = max(int(counts @ (values * values)) * pixels - total * total, 0)
    return (
        _to6(total / (pixels * WHITE)),
        _to6(spread**0.5 / (pixels * WHITE)),
        _to6(int(counts[: settings.dark_value].sum()) / pixels),
    )


def sharpness(grey: np.ndarray) -> float:
    """Variance of the four-neighbour Laplacian, in squared grey levels."""
    edges = cv2.Laplacian(grey, cv2.CV_16S).reshape(-1).astype(np.int32)
    total, squares = int(edges.sum(dtype=np.int64)), int((edges * edges).sum(dtype=np.int64))
    pixels = edges.size
    return float(
        rounded((squares * pixels - total * total) / (pixels * pixels), SHARPNESS_DECIMALS)
    )


def inside(hsv: np.ndarray, settings: QualitySettings) -> float:
    """Likeness to the inside of a body: the lit pixels' share of red, less green to blue.

    A rule on colour, no classifier: skin, wood and warm lamp light look like tissue to it,
    and a view full of instrument, gauze or retrieval bag looks like none (see
    ``docs/curation.md`` for the error rates).
    """
    hue, saturation, value = (hsv[..., channel] for channel in range(3))
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

    A bit is set where a cell of an 8 x 9 grid is brighter than its right neighbour.  Cells
    are compared by cross multiplication, so equal cells never differ by a rounding.
    """
    rows = _edges(grey.shape[0], HASH_ROWS)
    columns = _edges(grey.shape[1], HASH_COLUMNS)
    sums = np.add.reduceat(grey.astype(np.int64), rows[:-1], axis=0)
    sums = np.add.reduceat(sums, columns[:-1], axis=1)
    widths = np.diff(columns)
    brighter = sums[:, :-1] * widths[1:] > sums[:, 1:] * widths[:-1]
    return int.from_bytes(np.packbits(brighter.reshape(-1)).tobytes(), "big")


def _edges(length: int, cells: int) -> np.ndarray:
    return np.arange(cells + 1) * length // cells


def thumb(grey: np.ndarray) -> bytes:
    """64 x 36 grey bytes, row by row."""
    size = (THUMB_WIDTH, THUMB_HEIGHT)
    return cv2.resize(grey, size, interpolation=cv2.INTER_AREA).tobytes()


def histogram(hsv: np.ndarray) -> bytes:
    """16 x 16 counts of hue by saturation, row by row, uint16 little endian, sum 65535."""
    bins = hsv[..., 0].astype(np.int32) * HUES // HUE_RANGE * SATURATIONS
    bins += hsv[..., 1].astype(np.int32) * SATURATIONS // VALUE_RANGE
    counts = np.bincount(bins.reshape(-1), minlength=HUES * SATURATIONS)
    # Running sums are scaled and not the counts, so that the whole is 65535 to the unit.
    ends = np.cumsum(counts) * HISTOGRAM_SUM // bins.size
    return np.diff(ends, prepend=0).astype("<u2").tobytes()


def _to6(value: float) -> float:
    return float(rounded(value, DECIMALS))
