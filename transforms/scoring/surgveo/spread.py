"""How the mean of a cell varies over samples, and between stages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from ontology.continuations import ScoreRow
from ontology.errors import UserError
from transforms.scoring.bootstrap import draw_counts, interval
from transforms.scoring.surgveo.cells import CellKey, same_raters, scores_by_cell, violin_points

REPLICATES = 2000


def cell_intervals(
    rows: Iterable[ScoreRow], seed: str, replicates: int = REPLICATES
) -> dict[CellKey, tuple[float, float] | None]:
    """Return 95 % intervals of the cells' means, from drawing samples with replacement.

    The same samples are drawn for all cells of a track.

    Raises:
        UserError: see :func:`transforms.scoring.surgveo.cells.cells`.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    out: dict[CellKey, tuple[float, float] | None] = {}
    draws: dict[tuple[str, int], np.ndarray] = {}
    for key, cell in scores.items():
        sums = np.array([list(mine.values()) for mine in cell.values()], dtype=np.int64).sum(axis=0)
        n = len(sums)
        if (key[0], n) not in draws:
            draws[key[0], n] = draw_counts(n, replicates, f"{seed}/{key[0]}")
        estimates = (draws[key[0], n] @ sums) / (n * len(cell))
        out[key] = interval(estimates, n)
    return out


def stage_means(
    rows: Iterable[ScoreRow], stages: Mapping[str, str]
) -> dict[CellKey, dict[str, tuple[Fraction, int]]]:
    """Return for each cell and stage its mean and number of samples; stages are sorted.

    Args:
        stages: sample -> stage.

    Raises:
        UserError: a sample has no known stage; see also :func:`.cells.cells`.
    """
    scores = scores_by_cell(rows)
    same_raters(scores)
    out = {}
    for key, cell in scores.items():
        points: dict[str, list[Fraction]] = {}
        for sample, mean in violin_points(cell).items():
            if sample not in stages:
                raise UserError(
                    "the stage of a sample is not known", expected="a stage for every sample",
                    found=sample, fix="give the samples' file that the sheets were made from",
                )  # fmt: skip
            points.setdefault(stages[sample], []).append(mean)
        out[key] = {
            stage: (sum(found, Fraction(0)) / len(found), len(found))
            for stage, found in sorted(points.items())
        }
    return out
