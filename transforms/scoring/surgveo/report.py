"""The report about a study's scores, as plain data and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from surgqa.ontology.continuations import DIMENSIONS, PROMPTS, RATERS_PER_TRACK, TIMES_S, ScoreRow
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
    found = cells.cells(rows)
    intervals = cells.cell_intervals(rows, seed)
    stages = {one.sample_id: one.stage for one in design.samples.values() if one.stage is not None}
    by_stage = cells.stage_means(rows, stages) if len(stages) == len(design.samples) else {}
    return {
        "rows": len(rows),
        "raters": {track: list(who) for track, who in design.raters.items()},
        "cells": [_cell(key, one, intervals[key], by_stage.get(key, {}))
                  for key, one in found.items()],
        "drop": [{"track": track, "prompt": prompt, "dimension": dimension, "share": float(share)}
                 for (track, prompt, dimension), share in cells.drop_over_time(found).items()],
        "errors": [_errors(prompt, one) for prompt in PROMPTS
                   for one in cells.error_shares(rows, prompt)],
        "agreement": [_agreement(one) for one in cells.rater_agreement(rows)],
        "paired": [_paired(one) for one in cells.paired(rows)],
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
    counts = dict(one.counts)
    return {"track": one.track, "prompt": prompt, "marks": one.marks, "counts": counts,
            "percent": {name: one.printed(name) for name in counts}}  # fmt: skip


def _agreement(one: Any) -> dict[str, Any]:
    kappa = [{"raters": list(pair), "kappa": None if k is None else float(k)}
             for pair, k in one.kappa.items()]  # fmt: skip
    return {"track": one.track, "dimension": one.dimension, "n": one.n, "quadratic_kappa": kappa,
            "icc_2_1": None if one.icc is None else float(one.icc)}  # fmt: skip


def _paired(one: Any) -> dict[str, Any]:
    return {
        "track": one.track, "time_s": one.time_s, "dimension": one.dimension,
        "samples": len(one.differences), "mean_difference": float(one.mean),
        "better": one.better, "worse": one.worse, "ties": one.ties, "p": float(one.p),
        "differences": {sample: float(d) for sample, d in one.differences.items()},
    }  # fmt: skip


def missing_table(found: Sequence[Missing]) -> list[list[str]]:
    """Return a table of missing scores: a header, then one row for each rater and track."""
    rows = [["track", "rater_id", "sample_id", "prompt", "time_s", "dimension"]]
    for one in found:
        rows += [[one.track, rater, sample, prompt, str(time_s), dimension]
                 for sample, prompt, rater, time_s, dimension in one.places]  # fmt: skip
    return rows


def table_of(found: Mapping[cells.CellKey, cells.Cell]) -> list[list[str]]:
    """Return the benchmark's table: a header, then a row for each track, prompt and time."""
    rows = [["track", "prompt", "time", *DIMENSIONS.values()]]
    for track in dict.fromkeys(key[0] for key in found):
        for prompt in PROMPTS:
            for time_s in TIMES_S:
                line = [found.get((track, prompt, time_s, one)) for one in DIMENSIONS]
                if any(line):
                    texts = ["" if cell is None else cell.printed() for cell in line]
                    rows.append([track, prompt, f"{time_s} s", *texts])
    return rows
