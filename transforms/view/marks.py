"""What models answered: each response beside whether it is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from transforms.view.database import Database

TYPES = ("VARCHAR", "VARCHAR", "INTEGER", "VARCHAR", "VARCHAR", "DOUBLE")
REVIEWERS = "reviewers"
"""Stands among the models."""
COLUMNS = ("item_id", "model", "round", "status", "response", "score")


def names_of(files: Sequence[Path]) -> list[str]:
    """A name for each file: as short as tells them apart."""
    stems = [one.stem for one in files]
    return [
        stem if stems.count(stem) == 1 else str(one) for stem, one in zip(stems, files, strict=True)
    ]


def take_marks(db: Database, files: Sequence[Path], layer: Path | None = None) -> None:
    """Read predictions and score them, a few hundred items in memory at a time.

    Args:
        layer: decisions of reviewers, which are marks like a model's.

    A response is right where its score is whole; what a row alone does not decide (rounds of
    streams, open answers that a judge rates) is 'unscored'.

    Raises:
        SourceMissing, SourceBroken, UserError: a file is not there or holds no predictions.
    """
    from transforms.scoring import load_predictions

    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for model, file in zip(names_of(files), files, strict=True):
        responses = load_predictions(file)
        by_item: dict[str, list[tuple[int | None, str]]] = {}
        for (item_id, index), response in responses.items():
            by_item.setdefault(item_id, []).append((index, response))
        db.keep("asked", {"item_id": sorted(by_item)}, ["VARCHAR"])
        for row in db.stream("SELECT items.* FROM items JOIN asked USING (item_id)"):
            for index, response in by_item[row["item_id"]]:
                status, score = mark_of(row, index, response)
                told = (row["item_id"], model, index, status, response, score)
                for name, value in zip(COLUMNS, told, strict=True):
                    columns[name].append(value)
    for told in _decisions(layer) if layer else ():
        for name, value in zip(COLUMNS, told, strict=True):
            columns[name].append(value)
    db.keep("marks", columns, TYPES)


def _decisions(layer: Path) -> Iterator[tuple[Any, ...]]:
    """What reviewers decided, as rows of marks."""
    from transforms.review.layer import read_layer

    for one in read_layer(layer).decisions:
        who = f"{', '.join(one.reviewers)}, {one.date}"
        told = one.reason and f": {one.reason}"
        yield one.item_id, REVIEWERS, None, "kept" if one.keep else "dropped", f"{who}{told}", None


def mark_of(row: Mapping[str, Any], index: int | None, response: str) -> tuple[str, float | None]:
    """``right``, ``wrong``, ``unparsed`` or ``unscored``, and the score of all but the last."""
    from transforms.scoring import score_row

    found = None if index is not None else score_row(row, response)
    if found is None:
        return "unscored", None
    if found.status != "scored":
        return found.status, found.score
    return ("right" if found.score >= 1 else "wrong"), found.score
