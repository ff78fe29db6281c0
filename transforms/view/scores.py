"""Scores of models by task, with intervals that group items by video."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from transforms.view.database import Database, Row

REPLICATES = 400
SEED = "0"


def scores(db: Database) -> list[Row]:
    """For each model and task the mean score of its items; a missing answer scores as missing.

    Returns:
        ``score`` in [0, 1]; ``low`` and ``high``: 95 % interval over resampled videos, None with
        one video; ``chance``: accuracy of a random choice among the options, None without options.
    """
    rows = db.rows(
        "SELECT m.model, i.benchmark, i.task, i.dataset || '/' || i.video_id AS video, "
        "sum(m.score) AS score, count(*) AS n, "
        "count(*) FILTER (m.status = 'unparsed') AS unparsed, "
        "count(*) FILTER (m.status = 'missing') AS missing, "
        "sum(1 / len(i.options)) FILTER (len(i.options) > 0) AS guessed, "
        "count(*) FILTER (len(i.options) > 0) AS closed "
        "FROM (SELECT DISTINCT item_id, model, status, score FROM marks WHERE score IS NOT NULL) m "
        "JOIN items i USING (item_id) GROUP BY ALL ORDER BY ALL"
    )
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["model"], row["benchmark"], row["task"]].append(row)
    return [_group(key, found) for key, found in sorted(groups.items())]


def _group(key: tuple[str, str, str], rows: list[Row]) -> Row:
    from transforms.scoring.bootstrap import draw_counts, interval, ratios

    totals, counts = (np.array([row[name] for row in rows], dtype=float) for name in ("score", "n"))
    drawn = draw_counts(len(rows), REPLICATES, SEED).astype(float)
    ends = interval(ratios(drawn @ totals, drawn @ counts), len(rows))
    closed = sum(row["closed"] for row in rows)
    n = int(counts.sum())
    return {
        "model": key[0], "benchmark": key[1], "task": key[2], "n": n,
        "score": float(totals.sum() / n),
        "low": ends and float(ends[0]), "high": ends and float(ends[1]),
        "chance": sum(row["guessed"] or 0 for row in rows) / n if closed == n else None,
        "unparsed": sum(row["unparsed"] for row in rows),
        "missing": sum(row["missing"] for row in rows),
    }  # fmt: skip
