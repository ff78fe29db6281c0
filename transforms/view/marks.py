"""The table ``marks``: each response of a model, and whether it is correct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgqa.transforms.view.database import Database
from surgqa.transforms.view.items import MISSING

if TYPE_CHECKING:
    from surgqa.transforms.scoring import AskedIds

TYPES = ("VARCHAR", "VARCHAR", "INTEGER", "VARCHAR", "VARCHAR", "DOUBLE")
REVIEWERS = "reviewers"
"""Name under which reviewers' decisions are listed among the models."""
UNPARSED = "unparsed"
UNIT = "coalesce(chain_id, item_id)"
ALIKE = "template_id, CASE WHEN len(rounds) > 0 THEN item_id END"
"""Items that are equal in these columns get the same score if the model did not answer them."""
COLUMNS = ("item_id", "model", "round", "status", "response", "score")


def names_of(files: Sequence[Path]) -> list[str]:
    """Return a short, unique name for each file."""
    stems = [one.stem for one in files]
    return [
        stem if stems.count(stem) == 1 else str(one) for stem, one in zip(stems, files, strict=True)
    ]


def take_marks(db: Database, files: Sequence[Path], layer: Path | None = None) -> None:
    """Fill the table ``marks`` with the responses of models, scored as by ``surgqa score``.

    Args:
        files: predictions, one file for each model.
        layer: a file with reviewers' decisions, which are listed like the results of a model.

    A response is 'right' if its score is 1. Responses that only a judge can rate are 'unscored'.
    Items that the model should have answered but did not are 'missing' and score 0.

    Raises:
        SourceMissing, SourceBroken, UserError: a file does not exist or has no predictions.
    """
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for decision in _decisions(layer) if layer else ():
        for name, value in zip(COLUMNS, decision, strict=True):
            columns[name].append(value)
    db.keep("marks", columns, TYPES)
    if not files:
        return
    # imported here, because a build's report does not need scoring
    from surgqa.transforms.scoring import asked_of, load_predictions

    for model, file in zip(names_of(files), files, strict=True):
        _score(db, model, load_predictions(file), asked_of(file, None))


def _score(
    db: Database,
    model: str,
    responses: Mapping[tuple[str, int | None], str],
    asked: AskedIds | None,
) -> None:
    """Add the results of a model for all items that it was asked.

    Items with a response are scored one by one, but the items of a chain together. Of the items
    without a response, one is scored for each group with equal :data:`ALIKE`; the others in the
    group get the same score.
    """
    from surgqa.transforms.scoring import score_dataset

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
        values = (item_id, model, index, status, response, score)
        for name, value in zip(COLUMNS, values, strict=True):
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
    """Return ``right`` for the score 1, ``unscored`` for None, otherwise ``wrong``."""
    return "unscored" if score is None else "right" if score >= 1 else "wrong"


def _decisions(layer: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the reviewers' decisions in a file as rows of the table ``marks``."""
    from surgqa.transforms.review.layer import read_layer

    for one in read_layer(layer).decisions:
        who = f"{', '.join(one.reviewers)}, {one.date}"
        reason = one.reason and f": {one.reason}"
        yield (
            one.item_id,
            REVIEWERS,
            None,
            "kept" if one.keep else "dropped",
            f"{who}{reason}",
            None,
        )
