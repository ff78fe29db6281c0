"""The report of ``surgqa score``: scores of items and groups, and what was not scored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.reporting import counted, percent, plain, span

if TYPE_CHECKING:
    from surgqa.transforms.scoring.predictions import AskedReport
    from surgqa.transforms.scoring.reporting import OwnReport

SCHEMA = "surgqa/score-v1"
KINDS = ("overall", "category", "core_task", "template")
HEADER = (
    "group", "name", "items", "score", "95% interval", "chance", "majority", "blind",
    "IoU", "acc@IoU0.5", "accuracy", "unparsed", "missing",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The score of one item.

    Attributes:
        video: ``dataset/video_id``; bootstrap draws are of whole videos.
        status: ``scored``, ``unparsed`` (the response cannot be read) or ``missing``; unparsed and
            missing responses score 0.
        iou, hit, accuracy: as in :class:`transforms.scoring.case.PredictionScore`.
    """

    item_id: str
    round_index: int | None
    template_id: str
    task: str
    video: str
    status: str
    score: float
    iou: float | None
    hit: float | None
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """Scores of a group of items, in [0, 1].

    Attributes:
        kind: what the items have in common: ``overall``, ``category``, ``core_task``, ``template``.
        interval: 95 % bootstrap interval clustered by video; None if there is only one video.
        chance, majority: scores of a random guess and of the most frequent answer, or None.
        blind: score of a guesser that never sees the video; None if no guesser was used.
        iou, acc_iou50: means over the items with boxes.
        accuracy: mean over the items whose answer has a part without numbers.
    """

    kind: str
    benchmark: str
    name: str
    items: int
    score: float
    interval: tuple[float, float] | None
    chance: float | None
    majority: float | None
    iou: float | None
    acc_iou50: float | None
    accuracy: float | None
    unparsed: int
    missing: int
    blind: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The result of ``surgqa score``.

    Attributes:
        groups: all items first, then categories, core tasks and templates, sorted by name.
        items: items by item id.
        unknown: sorted keys of predictions that belong to no item.
        unscored: number of items of each task without a scorer; these items are in no group.
        by_people: those tasks in ``unscored`` whose responses only people can score.
        replicates, seed: number of bootstrap draws, and their key.
        own: reports of rows with measures of their own, which are in no group, by the name of the
            report (a benchmark, or a benchmark and a kind of rows).
        asked: how many items were asked, if a file lists them; only these are scored.
        blind: overall scores of a guesser that never sees the video; empty if none was used.
        marked: scores of each level of difficulty and of pairs, by benchmark.
    """

    groups: tuple[ScoreGroup, ...]
    items: tuple[ItemScore, ...]
    unknown: tuple[PredictionKey, ...]
    unscored: Mapping[str, int]
    replicates: int
    seed: str
    own: Mapping[str, OwnReport] = field(default_factory=dict)
    asked: AskedReport | None = None
    by_people: frozenset[str] = frozenset()
    blind: Mapping[str, float] = field(default_factory=dict)
    marked: tuple[LevelScore, ...] = ()

    def headlines(self) -> dict[str, float]:
        """Return the overall score of each benchmark and of each report in ``own``, by name."""
        out = {one.benchmark: one.score for one in self.groups if one.kind == "overall"}
        for name, own in self.own.items():
            scores = [score for _, score in sorted(own.item_scores())]
            if scores:
                out[f"{name}, own measures" if name in out else name] = sum(scores) / len(scores)
        return dict(sorted(out.items()))

    def item_scores(self) -> dict[str, float]:
        """Return the score of every item by its id, including the items of ``own``."""
        out = {one.item_id: one.score for one in self.items}
        for own in self.own.values():
            out |= dict(own.item_scores())
        return dict(sorted(out.items()))

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON; numbers have six decimals."""
        return {
            "schema": SCHEMA,
            "headlines": plain(self.headlines()),
            "blind": plain(self.blind),
            "counts": self.counts(),
            "asked": self.asked.to_dict() if self.asked else None,
            "groups": plain(self.groups),
            "marked": plain(self.marked),
            "items": plain(self.items),
            "unknown": [{"item_id": key, "round_index": index} for key, index in self.unknown],
            "unscored": dict(self.unscored),
            "bootstrap": {"replicates": self.replicates, "seed": self.seed},
            **{name: one.to_dict() for name, one in self.own.items()},
        }

    def counts(self) -> dict[str, int]:
        """Return the numbers of items, of scored, unparsed and missing ones, unknown and unscored.

        Items of ``own`` are counted in their reports.
        """
        return {
            "items": len(self.items),
            **counted(item.status for item in self.items),
            "unknown": len(self.unknown),
            "unscored": sum(self.unscored.values()),
        }

    def blind_table(self) -> list[list[str]]:
        """Return a table of the overall scores beside those of the blind guesser."""
        rows = [[name, percent(score), percent(self.blind.get(name))]
                for name, score in self.headlines().items()]  # fmt: skip
        return [["overall", "score", "blind"], *rows]

    def table(self) -> list[list[str]]:
        """Return the rows to print, header first; scores are percentages with two decimals."""
        several = len({group.benchmark for group in self.groups}) > 1
        return [list(HEADER), *(_row(group, several) for group in self.groups)]


def _row(group: ScoreGroup, several: bool) -> list[str]:
    """Return the cells of a group, with the benchmark's name if ``several`` are reported."""
    named = group.kind == "overall" or (several and group.kind != "template")
    return [
        group.kind.replace("_", " "),
        f"{group.benchmark}: {group.name}" if named else group.name,
        str(group.items),
        percent(group.score),
        span(group.interval),
        *(percent(v) for v in (group.chance, group.majority, group.blind)),
        *(percent(v) for v in (group.iou, group.acc_iou50, group.accuracy)),
        str(group.unparsed),
        str(group.missing),
    ]


NAMES = {1: "easy", 2: "medium", 3: "hard"}


@dataclass(slots=True)
class Marks:
    """The levels of difficulty and the pairs of items, collected row by row.

    Attributes:
        levels: for each item id, (benchmark, level).
        pairs: for each (benchmark, pair id), the ids of the pair's items.
    """

    levels: dict[str, tuple[str, int]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def take(self, row: Mapping[str, Any]) -> None:
        """Store the level and the pair of a row, if it has these columns."""
        if row.get("level") is not None:
            self.levels[row["item_id"]] = (row["benchmark"], row["level"])
        if row.get("pair") is not None:
            self.pairs[row["benchmark"], row["pair"]].append(row["item_id"])


@dataclass(frozen=True, slots=True)
class LevelScore:
    """The score of one benchmark's items of a level of difficulty, or of its pairs.

    Attributes:
        name: ``easy``, ``medium``, ``hard``, or ``pairs``.
        number: number of scored items, or of pairs in which both items are scored.
        score: mean score in [0, 1]; for pairs, the share in which both items score 1.
    """

    benchmark: str
    name: str
    number: int
    score: float


def marked(marks: Marks, scores: Mapping[str, float]) -> tuple[LevelScore, ...]:
    """Return the scores of each benchmark's levels, from easy to hard, and of its pairs.

    Args:
        scores: for each item id, the score in [0, 1]; items without a score are not counted.
    """
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for item, of in marks.levels.items():
        if item in scores:
            found[of].append(scores[item])
    for (benchmark, _), items in marks.pairs.items():
        if len(items) == 2 and all(item in scores for item in items):
            both = min(scores[item] for item in items)
            found[benchmark, len(NAMES) + 1].append(float(both >= 1))
    return tuple(
        LevelScore(benchmark, NAMES.get(level, "pairs"), len(some), sum(sorted(some)) / len(some))
        for (benchmark, level), some in sorted(found.items())
    )


def table_of(found: tuple[LevelScore, ...]) -> list[list[str]]:
    """Return the rows to print, header first; scores are percentages."""
    rows = [[one.benchmark, one.name, str(one.number), percent(one.score)] for one in found]
    return [["benchmark", "level", "number", "score"], *rows]
