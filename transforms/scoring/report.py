"""The result of scoring: one entry per item, one per group of items, and what was not scored."""

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
        video: ``dataset/video_id``; the intervals are clustered by it.
        status: ``scored``, ``unparsed`` (the response cannot be read) or ``missing``;
            the latter two score 0.
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
        kind: ``overall``, ``category``, ``core_task`` or ``template``.
        interval: 95 % bootstrap interval clustered by video; None if there is only one video.
        chance, majority: scores of two ways of guessing; None where they are undefined.
        blind: score of a guesser that never sees the video; None if no guesser was used.
        iou, acc_iou50: means over the items with boxes.
        accuracy: mean over the items with a categorical part.
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
        groups: overall first, then categories, core tasks and templates, by name.
        items: items by item id.
        unknown: sorted keys of predictions that belong to no item.
        unscored: number of items of each task without a scorer; these items are in no group.
        by_people: tasks in ``unscored`` whose responses people score.
        replicates, seed: of the bootstrap.
        own: reports of the rows that have separate measures and are in no group, by name: the
            name of a benchmark, or of a benchmark and a kind of rows.
        asked: share of the items that were asked, if a file lists them; only these items are
            scored.
        blind: headline scores of a guesser that never sees the video; empty if none was used.
        marked: scores by benchmark and level of difficulty, and of pairs.
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
        """Return the overall score of each benchmark; rows with separate measures add the mean
        score of their items, under the name of their report.
        """
        out = {one.benchmark: one.score for one in self.groups if one.kind == "overall"}
        for name, own in self.own.items():
            scores = [score for _, score in sorted(own.item_scores())]
            if scores:
                out[f"{name}, own measures" if name in out else name] = sum(scores) / len(scores)
        return dict(sorted(out.items()))

    def item_scores(self) -> dict[str, float]:
        """Return the score of every item by its id, including items with separate measures."""
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
        """Return the numbers of items (= scored + unparsed + missing), unknown and unscored.

        Items with separate measures are counted in their own reports.
        """
        return {
            "items": len(self.items),
            **counted(item.status for item in self.items),
            "unknown": len(self.unknown),
            "unscored": sum(self.unscored.values()),
        }

    def blind_table(self) -> list[list[str]]:
        """Return a table of the main scores, with those of the blind guesser beside."""
        rows = [[name, percent(score), percent(self.blind.get(name))]
                for name, score in self.headlines().items()]  # fmt: skip
        return [["overall", "score", "blind"], *rows]

    def table(self) -> list[list[str]]:
        """Return the rows to print, header first; scores are percentages with two decimals."""
        several = len({group.benchmark for group in self.groups}) > 1
        return [list(HEADER), *(_row(group, several) for group in self.groups)]


def _row(group: ScoreGroup, several: bool) -> list[str]:
    """Return one line; the benchmark is prefixed to names that do not imply it."""
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
    """The levels and pairs that rows state, collected row by row.

    Attributes:
        levels: for each item id, (benchmark, level).
        pairs: for each (benchmark, pair id), the ids of the pair's items.
    """

    levels: dict[str, tuple[str, int]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def take(self, row: Mapping[str, Any]) -> None:
        """Note a row's level and pair; a row may lack these columns."""
        if row.get("level") is not None:
            self.levels[row["item_id"]] = (row["benchmark"], row["level"])
        if row.get("pair") is not None:
            self.pairs[row["benchmark"], row["pair"]].append(row["item_id"])


@dataclass(frozen=True, slots=True)
class LevelScore:
    """The score of the items of one level, or of the pairs, of one benchmark.

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
    """Return the scores by benchmark and level, from easy to hard, then those of pairs.

    Args:
        scores: for each item id, the score in [0, 1]; items that are absent from it are not
            counted.
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
