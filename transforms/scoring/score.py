"""``surgqa score``: rows and predictions in, a :class:`Report` out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ontology.errors import OutputBroken
from transforms.scoring.aggregate import Column, groups_of
from transforms.scoring.asked import Asked, AskedBooks, rounds_of
from transforms.scoring.case import Case, Mark, Task, case_of
from transforms.scoring.floors import GoldItem, floors_of
from transforms.scoring.medstream import BENCHMARK as MEDSTREAM
from transforms.scoring.medstream import Manner, MedstreamBooks
from transforms.scoring.predictions import PredictionKey, load_predictions
from transforms.scoring.report import MISSING, SCORED, UNPARSED, Group, ItemScore, Report
from transforms.scoring.sapbench import BENCHMARK as SAPBENCH
from transforms.scoring.sapbench import is_ranked
from transforms.scoring.sapbench.plans import is_plan
from transforms.scoring.sapbench.scores import SapbenchRows
from transforms.scoring.sapbench.surgeons import Choices
from transforms.scoring.surgcot import BENCHMARK as SURGCOT
from transforms.scoring.surgcot import SurgcotBooks
from transforms.scoring.tasks import blank_of, mark_response, task_of

__all__ = [
    "COLUMNS",
    "Group",
    "ItemScore",
    "Report",
    "load_predictions",
    "score_dataset",
    "score_row",
]

REPLICATES = 1000
SEED = "0"
COLUMNS = [
    "item_id", "benchmark", "task", "template_id", "dataset", "video_id", "start_us", "end_us",
    "answer", "options", "answer_key", "answer_value", "rounds", "form", "unit", "rule",
    "rule_args",
]  # fmt: skip
"""What scoring reads of a row; of rows of ``medstream`` it is
:data:`transforms.scoring.medstream.COLUMNS` and the benchmark's name, and of rows of
``surgcot`` and ``sapbench`` likewise."""


def score_dataset(
    rows: Iterable[Mapping[str, Any]],
    predictions: Mapping[PredictionKey, str],
    *,
    replicates: int = REPLICATES,
    seed: str = SEED,
    medstream: Manner | None = None,
    surgeons: Choices | None = None,
    asked: Asked | None = None,
) -> Report:
    """Score every item of a dataset; the result does not depend on the rows' order.

    Args:
        rows: rows of ``data/`` (at least :data:`COLUMNS`), read once.
        predictions: response text by (item id, round index or None).
        replicates: bootstrap draws of the intervals.
        seed: key of those draws.
        medstream: how items of that benchmark are scored; by its defaults if not given.
        surgeons: what surgeons chose of items of ``sapbench``.
        asked: the items and rounds that were asked; other items are not scored, nor are streams
            of which a round was not asked.  All where it is not given.

    Returns:
        Items without a prediction score 0 as missing, unreadable ones 0 as unparsed.

    Raises:
        OutputBroken: an item id occurs twice, a choice has no options, or an answer value
            is not what docs/answers.md says.
    """
    books = _Books(MedstreamBooks(medstream or Manner()), SapbenchRows(surgeons), AskedBooks(asked))
    for row in rows:
        _take(books, row, predictions)
    ordered = [books.columns[key] for key in sorted(books.columns)]
    floors = [floors_of(column.task, column.template_id, column.gold) for column in ordered]
    return Report(
        groups=groups_of(ordered, floors, replicates, seed),
        items=_by_id(ordered),
        unknown=_unknown(predictions, books),
        unscored=dict(sorted(books.unscored.items())),
        replicates=replicates,
        seed=seed,
        medstream=books.medstream.report(replicates, seed),
        surgcot=books.surgcot.report(replicates, seed),
        sapbench=books.sapbench.report(replicates, seed),
        asked=books.asked.report({item_id for item_id, _ in predictions}),
    )


def score_row(row: Mapping[str, Any], response: str | None) -> ItemScore | None:
    """The score of one row's response (None: missing); None where its task has no scorer.

    Rows of ``medstream`` are scored by :func:`transforms.scoring.medstream.score_item`, rows of
    ``surgcot`` by :func:`transforms.scoring.surgcot.score_item`.
    """
    task = task_of(row)
    return None if task is None else _item_score(row, task, case_of(row), response)


@dataclass(slots=True)
class _Books:
    """Rows seen so far.

    Attributes:
        columns: templates with a scorer.
        rounds: by item, the round numbers that a prediction may name; None where any may.
        unscored: items without a scorer, by task.
    """

    medstream: MedstreamBooks
    sapbench: SapbenchRows
    asked: AskedBooks
    surgcot: SurgcotBooks = field(default_factory=SurgcotBooks)
    columns: dict[tuple[str, str, str], Column] = field(default_factory=dict)
    rounds: dict[str, frozenset[int | None] | None] = field(default_factory=dict)
    unscored: Counter[str] = field(default_factory=Counter)


def _take(books: _Books, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
    item_id, task = row["item_id"], task_of(row)
    if item_id in books.rounds:
        raise _broken(row, "occurs twice", "score one finished dataset at a time")
    if not _has_scorer(row, task):
        books.unscored[f"{row['benchmark']}/{row['task']}"] += 1
        books.rounds[item_id] = None
        return
    rounds = rounds_of(row)
    if not books.asked.take(row["benchmark"], item_id, rounds):
        books.rounds[item_id] = rounds
        books.sapbench.know(item_id)
        return
    if row["benchmark"] == MEDSTREAM:
        books.rounds[item_id] = books.medstream.take(row, predictions)
        return
    books.rounds[item_id] = rounds
    if row["benchmark"] == SURGCOT:
        books.surgcot.take(row, predictions)
        return
    if task is None:
        books.sapbench.take(row, predictions)
        return
    if task.closed and not row["options"]:
        raise _broken(row, "has no options to choose from", "build the dataset again")
    key = (row["benchmark"], row["template_id"], row["task"])
    column = books.columns.setdefault(key, Column(*key, task))
    case = case_of(row)
    column.gold.append(GoldItem(item_id, case, row["answer"]))
    column.scores.append(_item_score(row, task, case, predictions.get((item_id, None))))


def _has_scorer(row: Mapping[str, Any], task: Task | None) -> bool:
    if row["benchmark"] == SAPBENCH and task is None:
        return is_ranked(row) or is_plan(row)
    return task is not None or row["benchmark"] in (MEDSTREAM, SURGCOT)


def _broken(row: Mapping[str, Any], problem: str, fix: str) -> OutputBroken:
    return OutputBroken(f"item {row['item_id']} {problem}", where=str(row["template_id"]), fix=fix)


def _item_score(row: Mapping[str, Any], task: Task, case: Case, response: str | None) -> ItemScore:
    mark = None if response is None else mark_response(task, response, case)
    status = SCORED if mark else MISSING if response is None else UNPARSED
    earned: Mark = mark or blank_of(task, case)
    return ItemScore(
        item_id=row["item_id"],
        round_index=None,
        template_id=row["template_id"],
        task=row["task"],
        video=f"{row['dataset']}/{row['video_id']}",
        status=status,
        score=earned.score,
        iou=earned.iou,
        hit=earned.hit,
        accuracy=earned.accuracy,
    )


def _by_id(columns: Iterable[Column]) -> tuple[ItemScore, ...]:
    items = (item for column in columns for item in column.scores)
    return tuple(sorted(items, key=lambda item: item.item_id))


def _unknown(predictions: Mapping[PredictionKey, str], books: _Books) -> tuple[PredictionKey, ...]:
    """Predictions that answer no item, or a round that the item does not have."""
    none: frozenset[int | None] = frozenset()
    lost = []
    for item_id, index in predictions:
        rounds = books.rounds.get(item_id, none)
        if rounds is not None and index not in rounds:
            lost.append((item_id, index))
    return tuple(sorted(lost, key=lambda key: (key[0], -1 if key[1] is None else key[1])))
