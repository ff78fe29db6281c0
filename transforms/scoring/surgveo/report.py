"""The report about a study's scores, as plain data and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from surgqa.ontology.continuations import PROMPTS, RATERS_PER_TRACK, ScoreRow
from surgqa.transforms.scoring.surgveo import cells
from surgqa.transforms.scoring.surgveo.design import Design, Missing, require_complete


def report_of(
    rows: Sequence[ScoreRow], design: Design, seed: str, raters_per_track: int = RATERS_PER_TRACK
) -> dict[str, Any]:
    """Return the whole report as a dictionary for JSON.

    Args:
        seed: key of the bootstrap draws.

    Raises:
        UserError: the rows are not exactly the scores that the design needs.
    """
    require_complete(rows, design, raters_per_track)
    scores = cells.scores_by_cell(rows)
    found, intervals = cells.cells(scores), cells.cell_intervals(scores, seed)
    stages = {one.sample_id: one.stage for one in design.samples.values() if one.stage is not None}
    known = len(stages) == len(design.samples)
    return {
        "rows": len(rows),
        "raters": {track: list(who) for track, who in design.raters.items()},
        "cells": [_cell(key, one, intervals[key],
                        cells.stage_means(scores[key], stages) if known else {})
                  for key, one in found.items()],
        "drop": [{"track": track, "prompt": prompt, "dimension": dimension, "share": float(share)}
                 for (track, prompt, dimension), share in cells.drop_over_time(found).items()],
        "errors": [_errors(prompt, one) for prompt in PROMPTS
                   for one in cells.error_shares(rows, prompt)],
        "agreement": cells.rater_agreement(scores),
        "paired": cells.paired(scores),
    }  # fmt: skip


def _cell(
    key: cells.CellKey,
    one: cells.Cell,
    span: tuple[float, float] | None,
    stages: Mapping[str, tuple[Fraction, int]],
) -> dict[str, Any]:
    return {
        **dict(zip(("track", "prompt", "time_s", "dimension"), key, strict=True)),
        "samples": one.n, "totals": dict(one.totals), "mean": float(one.mean),
        "printed": one.printed(), "interval": list(span) if span else None,
        "stages": {s: {"mean": float(mean), "samples": n} for s, (mean, n) in stages.items()},
    }  # fmt: skip


def _errors(prompt: str, one: cells.ErrorShares) -> dict[str, Any]:
    return {"track": one.track, "prompt": prompt, "marks": one.marks, "counts": one.counts,
            "percent": {name: one.printed(name) for name in one.counts}}  # fmt: skip


def missing_table(found: Sequence[Missing]) -> list[list[str]]:
    """Return a table of missing scores: a header, then one row for each rater and track."""
    rows = [["track", "rater_id", "sample_id", "prompt", "time_s", "dimension"]]
    for one in found:
        rows += [[one.track, rater, sample, prompt, str(time_s), dimension]
                 for sample, prompt, rater, time_s, dimension in one.places]  # fmt: skip
    return rows
