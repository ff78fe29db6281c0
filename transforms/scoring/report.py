"""The result of scoring: one entry per item, one per group of items, and what was not scored."""

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
        video: ``dataset/video_id``; the intervals are clustered by it.
        status: ``scored``, ``unparsed`` (the response cannot be read) or ``missing``;
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
        items: by item id.
        unknown: sorted keys of predictions that belong to no item.
        unscored: number of items of each task without a scorer; they are in no group.
        by_people: those of these tasks whose responses people score.
        replicates, seed: of the bootstrap.
        own: reports of the rows that have separate measures and are in no group, by name: the
            name of a benchmark, or of a benchmark and a kind of rows.
        asked: how much was asked, if a file lists it; only those items are scored.
        blind: headline scores of a guesser that never sees the video; empty if none was used.
        marked: scores by benchmark and level of difficulty, and of pairs.
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
        """Return the group of that kind and name, else raise KeyError; "" is any benchmark."""
        for group in self.groups:
            if (group.kind, group.name) == (kind, name) and benchmark in ("", group.benchmark):
                return group
        raise KeyError((kind, name, benchmark))

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
        """Return the numbers of items (= scored + unparsed + missing), unknown and unscored.

        Items with separate measures are counted in their own reports.
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
        """Return one line per headline, header first: its score, and the blind guesser's score."""
        rows = [[name, _percent(score), _percent(self.blind.get(name))]
                for name, score in self.headlines().items()]  # fmt: skip
        return [["overall", "score", "blind"], *rows]

    def table(self) -> list[list[str]]:
        """Return the rows to print, header first; scores are percentages with two decimals."""
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
    """Return one line; the benchmark is prefixed to names that do not imply it."""
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
