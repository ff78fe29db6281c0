"""The report of streams and open answers: mean scores of groups of items, and of fixed answers.

The fixed answers, such as always "unanswerable", ignore the video. Their scores are floors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from math import fsum
from typing import Any

from surgqa.transforms.scoring import reporting
from surgqa.transforms.scoring.bootstrap import VideoDraws
from surgqa.transforms.scoring.outputs.items import MODES, OutputItem, item_of
from surgqa.transforms.scoring.outputs.judging import Judgement, RatedBy
from surgqa.transforms.scoring.outputs.scores import Decay, Measures, OutputScore, score_item
from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.reporting import OwnBooks

MEASURES = ("content", "responsiveness", "stability", "overall")
"""Names of the scores, which are fields of :class:`Measures`."""

KINDS = ("overall", "mode", "question_type", "task", "dataset", "organ")
"""Kinds of groups: all items, or the items with each value of a property, such as each task."""


@dataclass(frozen=True, slots=True)
class OutputGroup:
    """Mean scores of the items of a group, in [0, 1].

    Attributes:
        kind: one of :data:`KINDS`.
        streaming: number of items with rounds.
        content: share of correct answers (mean content score of all items).
        responsiveness: mean of how soon after an event the answer comes, over streams.
        stability: mean of how steadily the answer is kept after the event, over streams.
        overall: mean of 0.7 content + 0.3 responsiveness, or of content for items without rounds.
        intervals: 95 % bootstrap interval of each measure; None with fewer than two videos.
        outputs: number of expected outputs, one for each round or item without rounds.
        unparsed, missing: number of outputs that could not be read, or have no response.
    """

    kind: str
    name: str
    items: int
    streaming: int
    content: float
    responsiveness: float | None
    stability: float | None
    overall: float
    intervals: Mapping[str, reporting.Interval]
    outputs: int
    unparsed: int
    missing: int


@dataclass(frozen=True, slots=True)
class Floor:
    """Mean scores of a fixed answer in the items of one mode, or in all (``all items``)."""

    floor: str
    mode: str
    items: int
    content: float
    responsiveness: float | None
    stability: float | None
    overall: float


def groups_of(items: Sequence[OutputScore], replicates: int, seed: str) -> tuple[OutputGroup, ...]:
    """Return the groups: modes in the order of :data:`MODES`, all others sorted by name.

    Args:
        items: the scores of the items, sorted by item id, at least one.
        replicates: number of bootstrap draws.
        seed: key of the draws.
    """
    draws = VideoDraws((item.item.video for item in items), replicates, seed)
    return tuple(_group(kind, name, members, draws)
                 for kind in KINDS for name, members in _divided(items, kind))  # fmt: skip


def floors_of(floor: str, scored: Sequence[tuple[str, Measures]]) -> list[Floor]:
    """Return the mean scores of a fixed answer over all items and in each mode.

    Args:
        scored: (mode, measures) of each item, sorted by item id.
    """
    parts = [("all items", [one for _, one in scored])]
    parts += [(mode, [one for of, one in scored if of == mode]) for mode in MODES]
    return [Floor(floor, mode, len(mine), **_means(mine)) for mode, mine in parts if mine]


def _divided(items: Sequence[OutputScore], kind: str) -> list[tuple[str, list[OutputScore]]]:
    parts: dict[str, list[OutputScore]] = {}
    for one in items:
        name = "all items" if kind == "overall" else getattr(one.item, kind)
        parts.setdefault(name, []).append(one)
    order = {mode: k for k, mode in enumerate(MODES)}
    return sorted(parts.items(), key=lambda part: (order.get(part[0], len(order)), part[0]))


def _group(kind: str, name: str, items: list[OutputScore], draws: VideoDraws) -> OutputGroup:
    marks = [mark for item in items for _, mark in item.marks]
    found = reporting.counted(mark.status for mark in marks)
    return OutputGroup(
        kind, name, len(items), sum(one.item.streaming for one in items),
        **_means([item.measures for item in items]),
        intervals=_intervals(items, draws), outputs=len(marks),
        unparsed=found[reporting.UNPARSED], missing=found[reporting.MISSING],
    )  # fmt: skip


def _means(measures: Sequence[Measures]) -> dict:
    """Return the mean of each score over the items that have it.

    Scores are added exactly, so the means are the same for any order of the items.
    """
    out = {}
    for name in MEASURES:
        known = [value for one in measures if (value := getattr(one, name)) is not None]
        out[name] = fsum(known) / len(known) if known else None
    return out


def _intervals(items: Sequence[OutputScore], draws: VideoDraws) -> dict[str, reporting.Interval]:
    out: dict[str, reporting.Interval] = {}
    for name in MEASURES:
        values = [(item.item.video, getattr(item.measures, name)) for item in items]
        out[name] = draws.mean([one for one in values if one[1] is not None])[0]
    return out


DECIMALS = 4
_STEP = Decimal(1).scaleb(-DECIMALS)
_LETTERS = ("C", "R", "S", "O")


_LEFT = {
    "unread": "the judge's reply could not be read",
    "stale": "the judgement is about another answer, or another rubric",
    "absent": "there is no judgement",
}


@dataclass(frozen=True, slots=True)
class OutputReport(reporting.OwnReport):
    """The scores of all items.

    Attributes:
        groups: all items, then the groups by mode, question type, task, dataset and organ.
        floors: scores of answers that ignore the video, overall and by mode.
        items: items by item id.
        decay: how R decreases with the distance from the event.
        rated_by: who rated the open answers, and how many.
        replicates, seed: number of bootstrap draws, and their key.
    """

    groups: tuple[OutputGroup, ...]
    floors: tuple[Floor, ...]
    items: tuple[OutputScore, ...]
    decay: Decay
    rated_by: RatedBy
    replicates: int
    seed: str

    def counts(self) -> dict[str, int]:
        """Return the numbers of items, streams and outputs (scored + unparsed + missing)."""
        found = reporting.counted(mark.status for item in self.items for _, mark in item.marks)
        streaming = sum(one.item.streaming for one in self.items)
        outputs = sum(found.values())
        return {"items": len(self.items), "streaming": streaming, "outputs": outputs, **found}

    def manner(self) -> str:
        """Return one line that states how R decreases and who rated open answers."""
        horizon = self.decay.to_dict()["horizon_s"]
        fixed = "" if horizon is None else f" ({horizon:g} s)"
        return f"decay: {self.decay.mode}{fixed}; open answers: {self.rated_by.line()}"

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON; scores have four decimals."""
        return {
            "counts": self.counts(),
            "decay": self.decay.to_dict(),
            "rated_by": self.rated_by.to_dict(),
            "groups": _plain(self.groups),
            "floors": _plain(self.floors),
            "items": [_plain_item(item) for item in self.items],
            "bootstrap": {"replicates": self.replicates, "seed": self.seed},
        }

    def tables(self) -> list[reporting.Table]:
        """Return the tables to print: all items and modes, other groups, floors."""
        return [*(self._table(kind) for kind in KINDS if kind != "overall"), self._floors()]

    def item_scores(self) -> Iterator[tuple[str, float]]:
        yield from ((one.item.item_id, one.measures.overall) for one in self.items)

    def titled(self, name: str) -> list[tuple[str, reporting.Table]]:
        """Return the tables with their titles; the first title states :meth:`manner`."""
        first, *rest = self.tables()
        return [(f"{name} ({self.manner()})", first), *(("", one) for one in rest)]

    def remarks(self, name: str) -> list[str]:
        counts, rated = self.counts(), self.rated_by.counts
        out = reporting.remarks_on(name, counts, {
            reporting.MISSING: f"of {counts['outputs']} windows and rounds have no response "
            "(scored 0)",
            reporting.UNPARSED: "responses are empty or of no allowed form (scored 0)",
        })  # fmt: skip
        if self.rated_by.judgements is None:
            return out
        left = "open answers were left to the stand-in:"
        return out + reporting.remarks_on(
            name, rated, {key: f"{left} {why}" for key, why in _LEFT.items()}
        )

    def _table(self, kind: str) -> reporting.Table:
        head: list[object] = [
            kind.replace("_", " "), "items", "streams", *_LETTERS, "95% interval of O",
            "unparsed", "missing",
        ]  # fmt: skip
        shown = [group for group in self.groups if group.kind == kind]
        if kind == "mode":
            shown += [group for group in self.groups if group.kind == "overall"]
        return [head, *(_row(group) for group in shown)]

    def _floors(self) -> reporting.Table:
        head: list[object] = ["always", "in", "items", *_LETTERS]
        return [head, *([f.floor, f.mode, f.items, *_scores(f)] for f in self.floors)]


def rounded(value: float) -> Decimal:
    """Return a score with four decimals; halves of its shortest decimal form go to even."""
    return Decimal(repr(float(value))).quantize(_STEP, ROUND_HALF_EVEN)


def _row(group: OutputGroup) -> list[object]:
    low_high = group.intervals["overall"]
    return [
        group.name, group.items, group.streaming, *_scores(group),
        "-" if low_high is None else f"{rounded(low_high[0])} to {rounded(low_high[1])}",
        group.unparsed, group.missing,
    ]  # fmt: skip


def _scores(record: OutputGroup | Floor) -> list[str]:
    values = [getattr(record, name) for name in MEASURES]
    return ["-" if value is None else str(rounded(value)) for value in values]


def _plain_item(one: OutputScore) -> dict[str, Any]:
    shown = ("item_id", "template_id", "task", "mode", "question_type", "dataset", "organ", "video",
             "streaming")  # fmt: skip
    return {
        **{name: getattr(one.item, name) for name in shown},
        "first_us": one.first_us, "event_us": one.event_us, **_plain(one.measures),
        "outputs": [
            {"round_index": index, "status": mark.status, "content": _plain(mark.content),
             "positive": mark.positive if one.item.streaming else None, "by": mark.by}
            for index, mark in one.marks
        ],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    return reporting.plain(value, lambda number: float(rounded(number)))


FLOORS: Mapping[str, Callable[[OutputItem], str]] = {
    "first choice": lambda item: item.options[0][0] if item.options else "",
    "unanswerable": lambda item: "unanswerable",
    "silent": lambda item: "no_alert" if item.mode == "proactive" else "unanswerable",
}
"""Name of a floor -> function that returns its response to an item, the same in every round."""


@dataclass(frozen=True, slots=True)
class WordScoring:
    """Settings for the scores of streams and open answers.

    Attributes:
        decay: how R decreases with the time between the event and the answer.
        judgements: a judge's ratings of open answers. None to use the deterministic stand-in for a
            judge.
    """

    decay: Decay = field(default_factory=Decay)
    judgements: Mapping[PredictionKey, Judgement] | None = None


class OutputBooks(OwnBooks):
    """Collects the scores of rows.

    Args:
        every: True to score all rows, otherwise only streams and open answers with a rubric.
    """

    def __init__(self, manner: WordScoring, every: bool = False) -> None:
        self._every = every
        self._decay = manner.decay
        self._rated_by = RatedBy(manner.judgements)
        self._items: list[OutputScore] = []
        self._floors: dict[str, list[tuple[str, str, Measures]]] = {name: [] for name in FLOORS}

    def wants(self, row: Mapping[str, Any]) -> bool:
        return bool(self._every or row["rounds"] or (row.get("rubric") and not row["options"]))

    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
        item = item_of(row)
        self._items.append(score_item(item, predictions, self._decay, self._rated_by.rate))
        for name, answer in FLOORS.items():
            measures = score_item(
                item, dict.fromkeys(item.keys, answer(item)), self._decay
            ).measures
            self._floors[name].append((item.item_id, item.mode, measures))

    def report(self, replicates: int, seed: str) -> OutputReport | None:
        if not self._items:
            return None
        items = tuple(sorted(self._items, key=lambda one: one.item.item_id))
        floors: list[Floor] = []
        for name, scored in self._floors.items():
            ordered = sorted(scored, key=lambda one: one[0])
            floors += floors_of(name, [(mode, measures) for _, mode, measures in ordered])
        groups = groups_of(items, replicates, seed)
        return OutputReport(groups, tuple(floors), items, self._decay, self._rated_by, replicates,
                            seed)  # fmt: skip
