"""Pairs of a tool and a tissue, at the times at which both are seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from surgqa.ontology.boxes import centres, distance
from surgqa.transforms.evidence.base import rounded
from surgqa.transforms.evidence.derive import masks as outlines
from surgqa.transforms.evidence.derive.motion import Motion, smooth_speed
from surgqa.transforms.evidence.derive.rows import DECIMALS, Happening, box_of
from surgqa.transforms.evidence.derive.settings import DeriveSettings
from surgqa.transforms.evidence.derive.tracks import BoxTrack, runs


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """M times at which one tool and one tissue are both seen.

    Attributes:
        tool, tissue: the tracks.
        period_us: nominal time between samples.
        time_us: int64 (M,).
        box: float64 (M, 4), the tool's.
        run: int64 (M,), number of the run of times without a long gap.
        gap: float64 (M,), distance between the touching part of the tool and the tissue's
            mask (or its box), units; 0 if they overlap.
        depth: float64 (M,), how far the two boxes would have to move until they no longer
            overlap, units; below 0 if they are apart.
        distance: float64 (M,), between the tool's tip and the tissue's centre, units.
        speed: float64 (M,), of the tip, absolute or relative to the tissue, whichever is less.
            So neither a moving camera nor an unsteady tissue box makes a resting tool move.
    """

    tool: BoxTrack
    tissue: BoxTrack
    period_us: int
    time_us: np.ndarray
    box: np.ndarray
    run: np.ndarray
    gap: np.ndarray
    depth: np.ndarray
    distance: np.ndarray
    speed: np.ndarray

    def resolution(self, at: int) -> int:
        """Time since the sample before in the same run, or one period without such a sample."""
        if at and self.run[at - 1] == self.run[at]:
            return int(self.time_us[at] - self.time_us[at - 1])
        return self.period_us

    def happening(
        self, kind: str, source: str, at: int, end_us: int, value: float | None, unit: str | None
    ) -> Happening:
        """Return a row about this pair that begins at sample ``at``."""
        return Happening(
            int(self.time_us[at]), end_us, kind, self.tissue.label, source, self.resolution(at),
            self.tool.number, self.tissue.number, box_of(self.box[at]), value, unit,
        )  # fmt: skip


def pairs_of(
    tools: Sequence[BoxTrack], tissues: Sequence[BoxTrack], motions: Mapping[int, Motion],
    masks: pa.Table, period_us: int, settings: DeriveSettings,
) -> list[Pair]:  # fmt: skip
    """Return all pairs of a tool and a tissue that share a time, ordered by track numbers."""
    rows = {t.number: outlines.rows_of(masks, t) for t in tissues}
    found = []
    for tool in tools:
        for tissue in tissues:
            late = max(tool.time_us[0], tissue.time_us[0])
            if late <= min(tool.time_us[-1], tissue.time_us[-1]):
                motion, row = motions[tool.number], rows[tissue.number]
                pair = _pair(tool, tissue, motion, masks, row, period_us, settings)
                found += [pair] if len(pair.time_us) else []
    return found


def _pair(
    tool: BoxTrack, tissue: BoxTrack, motion: Motion, masks: pa.Table, rows: np.ndarray,
    period_us: int, settings: DeriveSettings,
) -> Pair:  # fmt: skip
    time, a, b = np.intersect1d(
        tool.time_us, tissue.time_us, assume_unique=True, return_indices=True
    )
    touching, target = motion.tip_box[a], tissue.box[b]
    gap = outlines.gap(touching, target)
    masked = np.flatnonzero(rows[b] >= 0)
    gap[masked] = outlines.distance_to(masks, rows[b][masked], touching[masked])
    tip, middle = motion.tip_xy[a], centres(target)
    run = runs(time, settings.motion.gap(period_us))
    beside = smooth_speed(time, tip - middle, run, settings.motion)
    return Pair(
        tool, tissue, period_us, time, tool.box[a], run, rounded(gap, DECIMALS),
        rounded(_depth(touching, target), DECIMALS),
        rounded(distance(tip, middle), DECIMALS), np.fmin(motion.speed[a], beside),
    )  # fmt: skip


def _depth(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """float64 (N,), overlap depth of pairs of (N, 4) boxes; a box without extent is a point."""
    sides = np.concatenate([one[:, 2:] - other[:, :2], other[:, 2:] - one[:, :2]], axis=1)
    return sides.min(axis=1)
