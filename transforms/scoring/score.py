"""``surgqa score``: scores a model's predictions for the rows of a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.review.surgeons import Choices
from surgqa.transforms.scoring.aggregate import GoldItem, TemplateScores, floors_of, groups_of
from surgqa.transforms.scoring.case import GoldCase, PredictionScore, ScoredTask, case_of, video_of
from surgqa.transforms.scoring.outputs.report import WordScoring
from surgqa.transforms.scoring.own import Own, Settings
from surgqa.transforms.scoring.predictions import AskedBooks, AskedIds, PredictionKey, rounds_of
from surgqa.transforms.scoring.report import ItemScore, Marks, Report, marked
from surgqa.transforms.scoring.reporting import status_of
from surgqa.transforms.scoring.tasks import BY_PEOPLE, blank_of, mark_response, task_of

REPLICATES = 1000
SEED = "0"
COLUMNS = [
    "item_id", "benchmark", "task", "template_id", "dataset", "video_id", "start_us", "end_us",
    "answer", "options", "answer_key", "answer_value", "rounds", "form", "unit", "rule",
    "rule_args",
]  # fmt: skip
"""Columns that scoring always reads; streams, open answers and chains need further ones."""


def score_dataset(
    rows: Iterable[Mapping[str, Any]],
    predictions: Mapping[PredictionKey, str],
    *,
    replicates: int = REPLICATES,
    seed: str = SEED,
    manner: WordScoring | None = None,
    surgeons: Choices | None = None,
    asked: AskedIds | None = None,
    blind: Mapping[PredictionKey, str] | None = None,
) -> Report:
    """Return the scores of all items of a dataset.

    Args:
        rows: rows of ``data/`` with at least :data:`COLUMNS`, in any order; iterated once.
        predictions: response text by (item id, round index or None).
        replicates: number of bootstrap draws for the confidence intervals.
        seed: key of the bootstrap draws.
        manner: how streams and open answers are scored; if None, the defaults of ``WordScoring``.
        surgeons: the next actions that surgeons chose for items.
        asked: the items and rounds that the model was asked; None for all. Other items are not
            scored, and neither are streams with a round that was not asked.
        blind: answers of a guesser that never sees the video (:mod:`transforms.blind`), which are
            scored beside the predictions on the items that the guesser answered.

    Returns:
        The report. A missing or unreadable prediction scores 0.

    Raises:
        OutputBroken: an item id occurs twice, or a row is not as docs/rows.md describes it.
    """
    settings = Settings(manner or WordScoring(), surgeons)
    books, marks = _Books(Own(settings), AskedBooks(asked)), Marks()
    beside = _Books(Own(settings), AskedBooks(asked))
    guessed = {item_id for item_id, _ in blind or {}}
    for row in rows:
        _take(books, row, predictions)
        marks.take(row)
        if blind is not None and row["item_id"] in guessed:
            _take(beside, row, blind)
    found = _report(books, predictions, replicates, seed)
    found = replace(found, marked=marked(marks, found.item_scores()))
    return found if blind is None else _with_blind(found, _report(beside, blind, 1, seed))


def _with_blind(report: Report, blind: Report) -> Report:
    """Return the report with the blind guesser's score added to each group."""
    scores = {(one.kind, one.benchmark, one.name): one.score for one in blind.groups}
    groups = (replace(one, blind=scores.get((one.kind, one.benchmark, one.name)))
              for one in report.groups)  # fmt: skip
    return replace(report, groups=tuple(groups), blind=blind.headlines())


def _report(
    books: _Books, predictions: Mapping[PredictionKey, str], replicates: int, seed: str
) -> Report:
    ordered = [books.columns[key] for key in sorted(books.columns)]
    floors = [floors_of(column.task, column.template_id, column.gold) for column in ordered]
    items = [item for column in ordered for item in column.scores]
    return Report(
        groups=groups_of(ordered, floors, replicates, seed),
        items=tuple(sorted(items, key=lambda item: item.item_id)),
        unknown=_unknown(predictions, books),
        unscored=dict(sorted(books.unscored.items())),
        replicates=replicates,
        seed=seed,
        own=books.own.reports(replicates, seed),
        asked=books.asked.report({item_id for item_id, _ in predictions}),
        by_people=frozenset(books.by_people),
    )


@dataclass(slots=True)
class _Books:
    """The scores of the rows that were read so far.

    Attributes:
        columns: template -> its items and scores, for templates with a scorer.
        rounds: for each item, the rounds that a prediction may name; None for any round.
        unscored: number of items without a scorer, by task.
        by_people: tasks whose responses only people can score.
    """

    own: Own
    asked: AskedBooks
    columns: dict[tuple[str, str, str], TemplateScores] = field(default_factory=dict)
    rounds: dict[str, frozenset[int | None] | None] = field(default_factory=dict)
    unscored: Counter[str] = field(default_factory=Counter)
    by_people: set[str] = field(default_factory=set)


def _take(books: _Books, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
    item_id, mine = row["item_id"], books.own.books_of(row)
    if item_id in books.rounds:
        raise OutputBroken(f"item {item_id} occurs twice", where=str(row["template_id"]),
                           fix="score one finished dataset at a time")  # fmt: skip
    task = None if mine else task_of(row)
    if mine is None and task is None:
        name = f"{row['benchmark']}/{row['task']}"
        books.unscored[name] += 1
        books.by_people |= {name} if row.get("form") in BY_PEOPLE else set()
        books.rounds[item_id] = None
        return
    books.rounds[item_id] = rounds_of(row)
    if not books.asked.take(row["benchmark"], item_id, rounds_of(row)):
        if mine:
            mine.know(item_id)
        return
    if mine:
        mine.take(row, predictions)
    elif task:
        _column(books, row, task, predictions)


def _column(
    books: _Books,
    row: Mapping[str, Any],
    task: ScoredTask,
    predictions: Mapping[PredictionKey, str],
) -> None:
    """Score a row and add it to the scores of its template."""
    key = (row["benchmark"], row["template_id"], row["task"])
    column = books.columns.setdefault(key, TemplateScores(*key, task))
    case = case_of(row)
    column.gold.append(GoldItem(row["item_id"], case, row["answer"]))
    column.scores.append(_item_score(row, task, case, predictions.get((row["item_id"], None))))


def _item_score(
    row: Mapping[str, Any], task: ScoredTask, case: GoldCase, response: str | None
) -> ItemScore:
    mark = None if response is None else mark_response(task, response, case)
    earned: PredictionScore = mark or blank_of(task, case)
    return ItemScore(
        item_id=row["item_id"],
        round_index=None,
        template_id=row["template_id"],
        task=row["task"],
        video=video_of(row),
        status=status_of(response, mark),
        score=earned.score,
        iou=earned.iou,
        hit=earned.hit,
        accuracy=earned.accuracy,
    )


def _unknown(predictions: Mapping[PredictionKey, str], books: _Books) -> tuple[PredictionKey, ...]:
    """Return the keys of predictions for items or rounds that the dataset lacks."""
    none: frozenset[int | None] = frozenset()
    lost = []
    for item_id, index in predictions:
        rounds = books.rounds.get(item_id, none)
        if rounds is not None and index not in rounds:
            lost.append((item_id, index))
    return tuple(sorted(lost, key=lambda key: (key[0], -1 if key[1] is None else key[1])))
