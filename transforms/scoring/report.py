"""What scoring leaves: one entry per item, one per group of items, and what was left over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from transforms.scoring.marked import Marked
from transforms.scoring.predictions import PredictionKey

if TYPE_CHECKING:
    from transforms.scoring.asked import AskedReport
    from transforms.scoring.own import OwnReport

SCHEMA = "surgqa/score-v1"
SCORED, UNPARSED, MISSING = "scored", "unparsed", "missing"
KINDS = ("overall", "category", "core_task", "template")
HEADER = (
    "group", "name", "items", "score", "95% interval", "chance", "majority", "blind",
    "IoU", "acc@IoU0.5", "accuracy", "unparsed", "missing",
)  # fmt: skip
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The score of one item.

    Attributes:
        video: ``dataset/video_id``, the cluster of the intervals.
        status: ``scored``, ``unparsed`` (a response that cannot be read) or ``missing``;
            the latter two score 0.
        iou, hit, accuracy: as in :class:`transforms.scoring.case.Mark`.
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
class Group:
    """Scores of a group of items, in [0, 1].

    Attributes:
        kind: ``overall``, ``category``, ``core_task`` or ``template``.
        interval: 95 % bootstrap interval clustered by video, None with one video.
        chance, majority: what guessing gets; None where it is not defined.
        blind: what a guesser gets that never looks; None where none was asked.
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
        items: by item id.
        unknown: keys of predictions that answer no item, in order.
        unscored: tasks that have no scorer -> number of their items; in no group.
        by_people: those of them whose responses people score.
        replicates, seed: of the bootstrap.
        own: scores of rows that have measures of their own and are in no group, by name: a
            benchmark's, or a benchmark and a kind of rows.
        asked: how much was asked, where a file says so; only that is scored.
        blind: the headlines of a guesser that never looks; empty where none was asked.
        marked: by benchmark and level of difficulty, and of pairs.
    """

    groups: tuple[Group, ...]
    items: tuple[ItemScore, ...]
    unknown: tuple[PredictionKey, ...]
    unscored: Mapping[str, int]
    replicates: int
    seed: str
    own: Mapping[str, OwnReport] = field(default_factory=dict)
    asked: AskedReport | None = None
    by_people: frozenset[str] = frozenset()
    blind: Mapping[str, float] = field(default_factory=dict)
    marked: tuple[Marked, ...] = ()

    def group(self, kind: str, name: str, benchmark: str = "") -> Group:
        """The group of that kind and name, of any benchmark if none is named; else KeyError."""
        for group in self.groups:
            if (group.kind, group.name) == (kind, name) and benchmark in ("", group.benchmark):
                return group
        raise KeyError((kind, name, benchmark))

    def headlines(self) -> dict[str, float]:
        """One number for each benchmark: its overall score; of rows with measures of their own the
        mean score of their items, by the name of their report.
        """
        out = {one.benchmark: one.score for one in self.groups if one.kind == "overall"}
        for name, own in self.own.items():
            scores = [score for _, score in sorted(own.item_scores())]
            if scores:
                out[f"{name}, own measures" if name in out else name] = sum(scores) / len(scores)
        return dict(sorted(out.items()))

    def item_scores(self) -> dict[str, float]:
        """The score of every item by its id, those with measures of their own as well."""
        out = {one.item_id: one.score for one in self.items}
        for own in self.own.values():
            out |= dict(own.item_scores())
        return dict(sorted(out.items()))

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; numbers rounded to six decimals."""
        return {
            "schema": SCHEMA,
            "headlines": {name: round(one, _DECIMALS) for name, one in self.headlines().items()},
            "blind": {name: round(one, _DECIMALS) for name, one in self.blind.items()},
            "counts": self.counts(),
            "asked": self.asked.to_dict() if self.asked else None,
            "groups": [_plain(group) for group in self.groups],
            "marked": [_plain(one) for one in self.marked],
            "items": [_plain(item) for item in self.items],
            "unknown": [{"item_id": key, "round_index": index} for key, index in self.unknown],
            "unscored": dict(self.unscored),
            "bootstrap": {"replicates": self.replicates, "seed": self.seed},
            **{name: one.to_dict() for name, one in self.own.items()},
        }

    def counts(self) -> dict[str, int]:
        """items = scored + unparsed + missing; unknown predictions; items without scorer.

        Items with measures of their own are counted by their own reports.
        """
        by_status = dict.fromkeys((SCORED, UNPARSED, MISSING), 0)
        for item in self.items:
            by_status[item.status] += 1
        return {
            "items": len(self.items),
            **by_status,
            "unknown": len(self.unknown),
            "unscored": sum(self.unscored.values()),
        }

    def blind_table(self) -> list[list[str]]:
        """One line for each headline, the header first: the score beside the blind guesser's."""
        rows = [[name, _percent(score), _percent(self.blind.get(name))]
                for name, score in self.headlines().items()]  # fmt: skip
        return [["overall", "score", "blind"], *rows]

    def table(self) -> list[list[str]]:
        """Rows for printing, the header first; scores in percent with two decimals."""
        several = len({group.benchmark for group in self.groups}) > 1
        return [list(HEADER), *(_row(group, several) for group in self.groups)]


def _plain(record: Group | ItemScore | Marked) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in record.__slots__}
    return {name: _rounded(value) for name, value in values.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_rounded(part) for part in value]
    return round(value, _DECIMALS) if isinstance(value, float) else value


def _row(group: Group, several: bool) -> list[str]:
    """One line; the benchmark stands before names that do not tell it."""
    low_high = group.interval
    named = group.kind == "overall" or (several and group.kind != "template")
    return [
        group.kind.replace("_", " "),
        f"{group.benchmark}: {group.name}" if named else group.name,
        str(group.items),
        _percent(group.score),
        f"{_percent(low_high[0])} to {_percent(low_high[1])}" if low_high else "-",
        *(_percent(v) for v in (group.chance, group.majority, group.blind)),
        *(_percent(v) for v in (group.iou, group.acc_iou50, group.accuracy)),
        str(group.unparsed),
        str(group.missing),
    ]


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}"
