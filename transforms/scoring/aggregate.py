"""Compute the scores of groups of items, such as all items of a task, with floors and intervals.

Two matrices, with a row for each video and a column for each template of a benchmark, contain the
sums of scores and the numbers of items. Each group is a weighted sum of columns. *Floors* are the
scores of guessing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.ontology.mixing import mix64
from surgqa.transforms.scoring.bootstrap import draw_counts, interval, mean_of_stated, ratios
from surgqa.transforms.scoring.case import GoldCase, ScoredTask
from surgqa.transforms.scoring.report import KINDS, ItemScore, ScoreGroup
from surgqa.transforms.scoring.reporting import MISSING, UNPARSED, mean
from surgqa.transforms.scoring.tasks import mark_response, unit

CHANCE_PAIRS = 2000
"""Maximum number of pairs of items that are compared to find the chance level of open questions."""


@dataclass(frozen=True, slots=True)
class GoldItem:
    """An item with its gold answer as text."""

    item_id: str
    case: GoldCase
    answer: str


@dataclass(frozen=True, slots=True)
class Floors:
    """Expected scores of guessing, in [0, 1]; ``chance`` is None if it is undefined."""

    chance: float | None
    majority: float


def floors_of(task: ScoredTask, template: str, items: Sequence[GoldItem]) -> Floors:
    """Return the expected scores of guessing the answers of one template.

    Args:
        task: the template's scorer.
        template: the template's name, which is part of the key of every draw.
        items: the template's items in any order, at least one.
    """
    ordered = sorted(items, key=lambda item: item.item_id)
    if task.closed:
        chance = sum(1 / len(item.case.options) for item in ordered) / len(ordered)
        return Floors(chance, _closed_majority(ordered))
    return Floors(_open_chance(task, template, ordered), _open_majority(task, ordered))


def _closed_majority(items: Sequence[GoldItem]) -> float:
    """Return the accuracy of choosing, in each item, the option that is most often correct.

    Among texts that are equally often correct, the alphabetically first is chosen.
    """
    answers = [dict(item.case.options).get(item.case.answer_key or "") for item in items]
    often = Counter(answers)
    guesses = [min((-often[text], text) for _, text in item.case.options)[1] for item in items]
    return sum(g == a for g, a in zip(guesses, answers, strict=True)) / len(items)


def _open_chance(task: ScoredTask, template: str, items: Sequence[GoldItem]) -> float | None:
    """Return the mean score of answering each item with another item's correct answer.

    The other item is one of the same template, and all are equally likely. If there are more than
    :data:`CHANCE_PAIRS` pairs of items, that many pairs are drawn. None if there is only one item.
    """
    total, count = 0.0, 0
    for asked, answering in _pairs(template, len(items)):
        mark = mark_response(task, items[answering].answer, items[asked].case)
        total += mark.score if mark else 0.0
        count += 1
    return total / count if count else None


def _pairs(template: str, size: int) -> Iterator[tuple[int, int]]:
    if size * (size - 1) <= CHANCE_PAIRS:
        yield from ((i, j) for i in range(size) for j in range(size) if i != j)
        return
    key = np.uint64(h64("surgqa/score-v1", "chance", template))
    draws = mix64(np.arange(2 * CHANCE_PAIRS, dtype=np.uint64) ^ key) >> np.uint64(32)
    asked = (draws[::2] * np.uint64(size)) >> np.uint64(32)
    step = (draws[1::2] * np.uint64(size - 1)) >> np.uint64(32)
    others = (asked + np.uint64(1) + step) % np.uint64(size)
    yield from zip(asked.tolist(), others.tolist(), strict=True)


def _open_majority(task: ScoredTask, items: Sequence[GoldItem]) -> float:
    """Return the mean score of always giving the most frequent answer (ties: first by text)."""
    often = Counter(item.answer for item in items)
    text = min((-count, text) for text, count in often.items())[1]
    marks = (mark_response(task, text, item.case) for item in items)
    return sum(mark.score for mark in marks if mark) / len(items)


MICRO, BY_CATEGORY = "micro-average", "mean of categories"


@dataclass(slots=True)
class TemplateScores:
    """One template: the items with their gold answers, and their scores in the same order."""

    benchmark: str
    template_id: str
    task_name: str
    task: ScoredTask
    gold: list[GoldItem] = field(default_factory=list)
    scores: list[ItemScore] = field(default_factory=list)

    @property
    def core_task(self) -> str:
        return self.task_name.partition("/")[0]

    @property
    def name(self) -> str:
        return self.task_name.rpartition("/")[2]

    @property
    def category(self) -> str | None:
        """The category in which the benchmark counts the template's task, or None."""
        found: Callable[[str, str], str | None] | None = getattr(
            unit(self.benchmark), "category_of", None
        )
        return found(self.core_task, self.name) if found else None

    @property
    def weight(self) -> float:
        """The weight of the template's items in its category."""
        weights: Mapping[str, float] = getattr(unit(self.benchmark), "CATEGORY_WEIGHT", {})
        return weights.get(self.name, 1.0)


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums of scores and numbers of items, float64: by (video, template) and (draw, template)."""

    score: np.ndarray
    count: np.ndarray
    drawn_score: np.ndarray
    drawn_count: np.ndarray


def groups_of(
    columns: Sequence[TemplateScores], floors: Sequence[Floors], replicates: int, seed: str
) -> tuple[ScoreGroup, ...]:
    """Return the scores of all groups, the group of all items first.

    Args:
        columns: the templates with their scores, each with at least one item.
        floors: the floors of each column.
        replicates: number of bootstrap draws.
        seed: key of the draws.
    """
    if not columns:
        return ()
    sums = _sums(columns, replicates, seed)
    groups: list[ScoreGroup] = []
    for benchmark in sorted({column.benchmark for column in columns}):
        for kind, name, weights in _memberships(columns, benchmark):
            groups.append(_group(kind, benchmark, name, weights, columns, floors, sums))
        parts = [g for g in groups if g.kind == "category" and g.benchmark == benchmark]
        if parts:
            groups.append(_mean_of_categories(parts, columns, benchmark, sums))
    return tuple(sorted(groups, key=lambda g: (KINDS.index(g.kind), g.benchmark, g.name)))


def _memberships(
    columns: Sequence[TemplateScores], benchmark: str
) -> Iterable[tuple[str, str, np.ndarray]]:
    """Yield (kind, name, weight of each template) of every group of a benchmark."""
    mine = [column.benchmark == benchmark for column in columns]
    yield "overall", MICRO, np.array(mine, dtype=np.float64)
    keys_of = {"category": "category", "core_task": "core_task", "template": "template_id"}
    for kind, key in keys_of.items():
        keys = [getattr(one, key) if own else None for one, own in zip(columns, mine, strict=True)]
        for name in sorted({k for k in keys if k is not None}):
            yield kind, name, _weights(columns, keys, name, kind)


def _weights(
    columns: Sequence[TemplateScores], keys: Sequence[str | None], name: str, kind: str
) -> np.ndarray:
    own = kind == "category"
    return np.array([
        (column.weight if own else 1.0) if key == name else 0.0
        for column, key in zip(columns, keys, strict=True)
    ])  # fmt: skip


def _sums(columns: Sequence[TemplateScores], replicates: int, seed: str) -> _Sums:
    videos = sorted({item.video for column in columns for item in column.scores})
    place = {video: index for index, video in enumerate(videos)}
    score = np.zeros((len(videos), len(columns)))
    count = np.zeros((len(videos), len(columns)))
    for index, column in enumerate(columns):
        ordered = sorted(column.scores, key=lambda item: (item.item_id, item.round_index or 0))
        rows = np.array([place[item.video] for item in ordered])
        values = np.array([item.score for item in ordered])
        score[:, index] = np.bincount(rows, weights=values, minlength=len(videos))
        count[:, index] = np.bincount(rows, minlength=len(videos))
    draws = draw_counts(len(videos), replicates, seed).astype(np.float64)
    return _Sums(score, count, draws @ score, draws @ count)


def _group(
    kind: str,
    benchmark: str,
    name: str,
    weights: np.ndarray,
    columns: Sequence[TemplateScores],
    floors: Sequence[Floors],
    sums: _Sums,
) -> ScoreGroup:
    inside = [i for i, weight in enumerate(weights) if weight]
    sizes = sums.count.sum(axis=0) * weights
    videos = int((sums.count[:, inside].sum(axis=1) > 0).sum())
    replicates = ratios(sums.drawn_score @ weights, sums.drawn_count @ weights)
    return ScoreGroup(
        kind=kind,
        benchmark=benchmark,
        name=name,
        score=float((sums.score.sum(axis=0) * weights).sum() / sizes.sum()),
        interval=interval(replicates, videos),
        chance=_weighted([(sizes[i], floors[i].chance) for i in inside]),
        majority=_weighted([(sizes[i], floors[i].majority) for i in inside]),
        **_columns([item for i in inside for item in columns[i].scores]),
    )


def _mean_of_categories(
    parts: Sequence[ScoreGroup], columns: Sequence[TemplateScores], benchmark: str, sums: _Sums
) -> ScoreGroup:
    """Return the unweighted mean of a benchmark's categories that have items."""
    keys = [column.category if column.benchmark == benchmark else None for column in columns]
    weights = [_weights(columns, keys, part.name, "category") for part in parts]
    drawn = [ratios(sums.drawn_score @ w, sums.drawn_count @ w) for w in weights]
    inside = [i for i, key in enumerate(keys) if key is not None]
    videos = int((sums.count[:, inside].sum(axis=1) > 0).sum())
    return ScoreGroup(
        kind="overall",
        benchmark=benchmark,
        name=BY_CATEGORY,
        score=sum(part.score for part in parts) / len(parts),
        interval=interval(mean_of_stated(np.stack(drawn, axis=1)), videos),
        chance=_weighted([(1.0, part.chance) for part in parts]),
        majority=_weighted([(1.0, part.majority) for part in parts]),
        **_columns([item for i in inside for item in columns[i].scores]),
    )


def _columns(items: Sequence[ItemScore]) -> dict:
    return {
        "items": len(items),
        "iou": mean(item.iou for item in items),
        "acc_iou50": mean(item.hit for item in items),
        "accuracy": mean(item.accuracy for item in items),
        "unparsed": sum(item.status == UNPARSED for item in items),
        "missing": sum(item.status == MISSING for item in items),
    }


def _weighted(parts: Sequence[tuple[float, float | None]]) -> float | None:
    """Return the weighted mean of the values that are not None."""
    known = [(float(weight), value) for weight, value in parts if value is not None]
    total = sum(weight for weight, _ in known)
    return sum(weight * value for weight, value in known) / total if total else None
