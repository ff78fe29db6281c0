"""The scores of answers in words, as plain data and as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from transforms.scoring.outputs.content import Mark
from transforms.scoring.outputs.judgements import RatedBy
from transforms.scoring.outputs.rounds import Decay
from transforms.scoring.outputs.scores import ItemScore
from transforms.scoring.outputs.tables import KINDS, MEASURES, Floor, Group
from transforms.scoring.report import MISSING, SCORED, UNPARSED

DECIMALS = 4
_STEP = Decimal(1).scaleb(-DECIMALS)
_LETTERS = ("C", "R", "S", "O")
_TITLES = {
    "mode": "mode", "question_type": "question type", "task": "task", "dataset": "dataset",
    "organ": "organ",
}  # fmt: skip

Table = list[list[object]]

_LEFT = {
    "unread": "the judge's reply could not be read",
    "stale": "the judgement is about another answer, or another rubric",
    "absent": "there is no judgement",
}


@dataclass(frozen=True, slots=True)
class OutputReport:
    """The scores of all items.

    Attributes:
        groups: overall first, then by mode, question type, task, dataset and organ.
        floors: scores of answers that ignore the video, overall and by mode.
        items: by item id.
        decay: how R decreases with the distance from the event.
        rated_by: who rated the open answers, and how many.
        replicates, seed: of the bootstrap.
    """

    groups: tuple[Group, ...]
    floors: tuple[Floor, ...]
    items: tuple[ItemScore, ...]
    decay: Decay
    rated_by: RatedBy
    replicates: int
    seed: str

    def group(self, kind: str, name: str) -> Group:
        """Return the group of that kind and name; raise KeyError if there is none."""
        for group in self.groups:
            if (group.kind, group.name) == (kind, name):
                return group
        raise KeyError((kind, name))

    def floor(self, floor: str, mode: str = "all items") -> Floor:
        """Return the scores of a floor in a mode; raise KeyError if there are none."""
        for one in self.floors:
            if (one.floor, one.mode) == (floor, mode):
                return one
        raise KeyError((floor, mode))

    def counts(self) -> dict[str, int]:
        """Return the numbers of items, streams and outputs (= scored + unparsed + missing)."""
        by_status = dict.fromkeys((SCORED, UNPARSED, MISSING), 0)
        for item in self.items:
            for _, mark in item.marks:
                by_status[mark.status] += 1
        streaming = sum(item.streaming for item in self.items)
        outputs = sum(by_status.values())
        return {"items": len(self.items), "streaming": streaming, "outputs": outputs, **by_status}

    def manner(self) -> str:
        """Return one line that states how R decays and who rated open answers."""
        horizon = self.decay.to_dict()["horizon_s"]
        fixed = "" if horizon is None else f" ({horizon:g} s)"
        return f"decay: {self.decay.mode}{fixed}; open answers: {self.rated_by.line()}"

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON; scores have four decimals."""
        return {
            "counts": self.counts(),
            "decay": self.decay.to_dict(),
            "rated_by": self.rated_by.to_dict(),
            "groups": [_plain(group) for group in self.groups],
            "floors": [_plain(floor) for floor in self.floors],
            "items": [_plain_item(item) for item in self.items],
            "bootstrap": {"replicates": self.replicates, "seed": self.seed},
        }

    def tables(self) -> list[Table]:
        """Return tables to print, header first: modes with all items, other kinds, floors."""
        return [*(self._table(kind) for kind in KINDS if kind != "overall"), self._floors()]

    def item_scores(self) -> Iterator[tuple[str, float]]:
        """Yield (item id, O) of each item."""
        yield from ((one.item_id, one.measures.overall) for one in self.items)

    def titled(self, name: str) -> list[tuple[str, Table]]:
        """Return the tables with their titles; the first title states how items were scored."""
        first, *rest = self.tables()
        return [(f"{name} ({self.manner()})", first), *(("", one) for one in rest)]

    def remarks(self, name: str) -> list[str]:
        """Return remarks on what the tables do not show."""
        counts, rated = self.counts(), self.rated_by.counts
        said = {
            "missing": f"of {counts['outputs']} windows and rounds have no response (scored 0)",
            "unparsed": "responses are empty or of no allowed form (scored 0)",
        }
        out = [f"{name}: {counts[key]} {text}" for key, text in said.items() if counts[key]]
        if self.rated_by.judgements is None:
            return out
        return out + [
            f"{name}: {rated[key]} open answers were left to the stand-in: {reason}"
            for key, reason in _LEFT.items() if rated[key]
        ]  # fmt: skip

    def _table(self, kind: str) -> Table:
        head: list[object] = [
            _TITLES[kind], "items", "streams", *_LETTERS, "95% interval of O",
            "unparsed", "missing",
        ]  # fmt: skip
        shown = [group for group in self.groups if group.kind == kind]
        if kind == "mode":
            shown += [group for group in self.groups if group.kind == "overall"]
        return [head, *(_row(group) for group in shown)]

    def _floors(self) -> Table:
        head: list[object] = ["always", "in", "items", *_LETTERS]
        return [head, *([f.floor, f.mode, f.items, *_scores(f)] for f in self.floors)]


def rounded(value: float) -> Decimal:
    """Return a score with four decimals, half to even, rounded from its shortest decimal form."""
    return Decimal(repr(float(value))).quantize(_STEP, ROUND_HALF_EVEN)


def _row(group: Group) -> list[object]:
    low_high = group.intervals["overall"]
    return [
        group.name, group.items, group.streaming, *_scores(group),
        "-" if low_high is None else f"{rounded(low_high[0])} to {rounded(low_high[1])}",
        group.unparsed, group.missing,
    ]  # fmt: skip


def _scores(record: Group | Floor) -> list[str]:
    values = [getattr(record, name) for name in MEASURES]
    return ["-" if value is None else str(rounded(value)) for value in values]


def _plain(record: Group | Floor) -> dict[str, Any]:
    return {name: _value(getattr(record, name)) for name in record.__slots__}


def _value(value: Any) -> Any:
    if isinstance(value, float):
        return float(rounded(value))
    if isinstance(value, tuple):
        return [_value(part) for part in value]
    if isinstance(value, Mapping):
        return {name: _value(part) for name, part in value.items()}
    return value


def _plain_item(item: ItemScore) -> dict[str, Any]:
    measures = {name: _value(getattr(item.measures, name)) for name in MEASURES}
    names = [n for n in item.__slots__ if n not in ("measures", "marks")]
    return {
        **{name: getattr(item, name) for name in names},
        **measures,
        "outputs": _outputs(item.marks, item.streaming),
    }


def _outputs(marks: Sequence[tuple[int | None, Mark]], streaming: bool) -> list[dict[str, Any]]:
    return [
        {
            "round_index": index,
            "status": mark.status,
            "content": _value(mark.content),
            "positive": mark.positive if streaming else None,
            "by": mark.by,
        }
        for index, mark in marks
    ]
