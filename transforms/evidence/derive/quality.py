"""How good a segmentation is (the figures that SurgCoT watches)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ontology.times import SECOND_US
from transforms.evidence.derive.steps import (
    HISTOGRAM_BINS,
    colour_step,
    dhash_distance,
    pictures,
    usable_rows,
)

LENGTHS_S = (0, 5, 10, 20, 30, 60)
"""Lower edges of the classes of length, seconds; the last has no upper edge."""

_BITS = 64


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike pictures are, [0, 1]; None where there are too few.

    Attributes:
        within: mean likeness of a picture to its segment's mean.
        between: mean likeness of the means of neighbouring segments.  A good boundary
            has less of it than there is within.
    """

    within: float | None
    between: float | None


@dataclass(frozen=True, slots=True)
class BoundaryScore:
    """Boundaries against the truth, matched one to one.

    Attributes:
        matched, found, true: how many.
    """

    matched: int
    found: int
    true: int

    @property
    def precision(self) -> float | None:
        """Share of the found ones that are true; None where none was found."""
        return self.matched / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """Share of the true ones that were found; None where there is none."""
        return self.matched / self.true if self.true else None


def length_histogram(spans_us: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Number of segments in each class of :data:`LENGTHS_S`, by its lower edge."""
    edges = np.array(LENGTHS_S) * SECOND_US
    lengths = np.array([end - start for start, end in spans_us], np.int64)
    classes = np.searchsorted(edges, lengths, "right") - 1
    counts = np.bincount(classes, minlength=len(edges))
    return dict(zip(LENGTHS_S, counts.tolist(), strict=True))


def boundary_score(
    found_us: Sequence[int], true_us: Sequence[int], tolerance_us: int
) -> BoundaryScore:
    """Match in order of time: the first free truth not farther than ``tolerance_us``.

    On a line this matches as many as can be matched.
    """
    truth = sorted(true_us)
    matched = at = 0
    for time in sorted(found_us):
        while at < len(truth) and truth[at] < time - tolerance_us:
            at += 1
        if at < len(truth) and truth[at] <= time + tolerance_us:
            matched, at = matched + 1, at + 1
    return BoundaryScore(matched, len(found_us), len(truth))


def likeness_by_hash(frames: pa.Table, spans_us: Sequence[tuple[int, int]]) -> Likeness:
    """By difference hashes; a segment's mean has each bit as most of its pictures."""
    known = frames.filter(pa.array(np.asarray(frames["dhash"].is_valid().to_numpy(), bool)))
    hashes = known["dhash"].to_numpy()
    bits = ((hashes[:, None] >> np.arange(_BITS, dtype=np.uint64)) & np.uint64(1)).astype(bool)
    means, within = [], []
    for part in _parts(known["time_us"].to_numpy(), spans_us):
        mean = 2 * bits[part].sum(axis=0) >= part.stop - part.start
        whole = np.bitwise_or.reduce(mean.astype(np.uint64) << np.arange(_BITS, dtype=np.uint64))
        means.append(whole)
        within.append(1 - dhash_distance(hashes[part], whole) / _BITS)
    pairs = [
        1 - float(dhash_distance(a, b)) / _BITS for a, b in zip(means[:-1], means[1:], strict=True)
    ]
    return Likeness(_mean(np.concatenate(within) if within else []), _mean(pairs))


def likeness_by_colour(frames: pa.Table, spans_us: Sequence[tuple[int, int]]) -> Likeness:
    """By hue-saturation histograms: one minus their Bhattacharyya distance."""
    usable = usable_rows(frames)
    _, histograms = pictures(frames, usable)
    time = frames["time_us"].to_numpy()[usable]
    means, within = [], []
    for part in _parts(time, spans_us):
        mean = histograms[part].reshape(-1, HISTOGRAM_BINS).astype(np.float64).mean(axis=0)
        means.append(mean)
        within.append(1 - colour_step(histograms[part], mean))
    pairs = [1 - float(colour_step(a, b)) for a, b in zip(means[:-1], means[1:], strict=True)]
    return Likeness(_mean(np.concatenate(within) if within else []), _mean(pairs))


def _parts(time_us: np.ndarray, spans_us: Sequence[tuple[int, int]]) -> list[slice]:
    """The rows inside each span, without spans that have none."""
    edges = [(np.searchsorted(time_us, a), np.searchsorted(time_us, b)) for a, b in spans_us]
    return [slice(int(a), int(b)) for a, b in edges if a < b]


def _mean(values: Sequence[float] | np.ndarray) -> float | None:
    return float(np.mean(values)) if len(values) else None
