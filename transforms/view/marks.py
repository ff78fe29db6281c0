"""What models answered: each response beside whether it is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transforms.view.database import Database
from transforms.view.filters import MISSING

if TYPE_CHECKING:
    from transforms.scoring import Asked

TYPES = ("VARCHAR", "VARCHAR", "INTEGER", "VARCHAR", "VARCHAR", "DOUBLE")
REVIEWERS = "reviewers"
"""Stands among the models."""
UNPARSED = "unparsed"
UNIT = "coalesce(chain_id, item_id)"
ALIKE = "template_id, CASE WHEN len(rounds) > 0 THEN item_id END"
"""Items whose missing answer gets the same score; each stream's silence gets its own."""
COLUMNS = ("item_id", "model", "round", "status", "response", "score")


def names_of(files: Sequence[Path]) -> list[str]:
    """A name for each file: as short as tells them apart."""
    stems = [one.stem for one in files]
    return [
        stem if stems.count(stem) == 1 else str(one) for stem, one in zip(stems, files, strict=True)
    ]


def take_marks(db: Database, files: Sequence[Path], layer: Path | None = None) -> None:
    """Score predictions as ``surgqa score`` does.

    Args:
        layer: decisions of reviewers, which are marks like a model's.

    An answer is right where its item's score is whole; what needs a judge that nobody asked is
    'unscored'.  Items that were asked and not answered score 0 as missing.

    Raises:
        SourceMissing, SourceBroken, UserError: a file is not there or holds no predictions.
    """
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for told in _decisions(layer) if layer else ():
        for name, value in zip(COLUMNS, told, strict=True):
            columns[name].append(value)
    db.keep("marks", columns, TYPES)
    if not files:
        return
    # Here and not above: the report of a build needs nothing of it.
    from transforms.scoring import asked_of, load_predictions

    for model, file in zip(names_of(files), files, strict=True):
        _score(db, model, load_predictions(file), asked_of(file, None))


def _score(
    db: Database, model: str, responses: Mapping[tuple[str, int | None], str], asked: Asked | None
) -> None:
    """Add a model's marks: of items that have a response one by one, of the others together.

    Of the others one item, or chain, of those that are :data:`ALIKE` is scored: what a missing
    answer gets is the same for all.  Chains are scored whole.
    """
    from transforms.scoring import score_dataset

    db.keep("answered", {"item_id": sorted({item_id for item_id, _ in responses})}, ["VARCHAR"])
    silent = "item_id NOT IN (FROM answered)"
    if asked is not None:
        db.keep("asked", {"item_id": sorted({item_id for item_id, _ in asked.keys})}, ["VARCHAR"])
        silent += " AND item_id IN (FROM asked)"
    found = score_dataset(
        db.stream(
            f"FROM items WHERE {UNIT} IN (SELECT {UNIT} FROM items WHERE item_id IN "
            f"(FROM answered) UNION SELECT min({UNIT}) FROM items WHERE {silent} "
            f"GROUP BY {ALIKE})"
        ),
        responses, replicates=1, asked=asked,
    )  # fmt: skip
    scores = found.item_scores()
    unread = {one.item_id for one in found.items if one.status == UNPARSED}
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for (item_id, index), response in responses.items():
        score = scores.get(item_id)
        status = UNPARSED if item_id in unread else status_of(score)
        told = (item_id, model, index, status, response, score)
        for name, value in zip(COLUMNS, told, strict=True):
            columns[name].append(value)
    missed = sorted(scores.keys() - {item_id for item_id, _ in responses})
    db.keep("missed", {"item_id": missed, "score": [scores[one] for one in missed]},
            ["VARCHAR", "DOUBLE"])  # fmt: skip
    db.add("marks", columns, TYPES)
    db.run(
        f"INSERT INTO marks SELECT item_id, ?, NULL, '{MISSING}', NULL, one.score FROM items "
        f"JOIN (SELECT ({ALIKE}) AS alike, min(missed.score) AS score FROM missed JOIN items "
        f"USING (item_id) GROUP BY alike) one ON one.alike = ({ALIKE}) WHERE {silent}", [model],
    )  # fmt: skip


def status_of(score: float | None) -> str:
    """``right``, ``wrong``, or ``unscored`` where there is no score."""
    return "unscored" if score is None else "right" if score >= 1 else "wrong"


def _decisions(layer: Path) -> Iterator[tuple[Any, ...]]:
    """What reviewers decided, as rows of marks."""
    from transforms.review.layer import read_layer

    for one in read_layer(layer).decisions:
        who = f"{', '.join(one.reviewers)}, {one.date}"
        told = one.reason and f": {one.reason}"
        yield one.item_id, REVIEWERS, None, "kept" if one.keep else "dropped", f"{who}{told}", None
