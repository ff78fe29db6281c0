"""Scores of rankings in any benchmark: share with the correct option in the first k (recall@k)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transforms.scoring.bootstrap import interval_of_mean
from transforms.scoring.case import arguments_of, case_of
from transforms.scoring.predictions import PredictionKey
from transforms.scoring.ranking import RANKED
from transforms.scoring.report import MISSING, SCORED, UNPARSED
from transforms.scoring.tasks import mark_response

Table = list[list[object]]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One item: at each rank k, whether the correct option is in the first k, and its chance.

    Attributes:
        video: ``dataset/video_id``; the intervals are clustered by it.
    """

    item_id: str
    template_id: str
    video: str
    status: str
    ranks: tuple[float, ...]
    chance: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RankingReport:
    """The rankings of one benchmark, sorted by item id.

    Attributes:
        intervals: template -> 95 % interval of recall@1.
    """

    items: tuple[Ranked, ...]
    intervals: Mapping[str, tuple[float, float] | None]

    def counts(self) -> dict[str, int]:
        """Return the numbers of items (= scored + unparsed + missing)."""
        status = Counter(one.status for one in self.items)
        return {"items": len(self.items),
                **{name: status[name] for name in (SCORED, UNPARSED, MISSING)}}  # fmt: skip

    def recalls(self, template: str) -> list[tuple[float, float]]:
        """Return (recall@k, chance) of a template for each k up to its longest ranking."""
        mine = [one for one in self.items if one.template_id == template]
        return [(_mean([one.ranks for one in mine], k), _mean([one.chance for one in mine], k))
                for k in range(max(len(one.ranks) for one in mine))]  # fmt: skip

    @property
    def templates(self) -> list[str]:
        """The templates that have rankings, sorted."""
        return sorted({one.template_id for one in self.items})

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON."""
        recalls = {name: [{"k": k, "recall": round(value, 6), "chance": round(chance, 6)}
                          for k, (value, chance) in enumerate(self.recalls(name), 1)]
                   for name in self.templates}  # fmt: skip
        return {"counts": self.counts(), "recalls": recalls,
                "items": [{"item_id": one.item_id, "status": one.status, "ranks": one.ranks}
                          for one in self.items]}  # fmt: skip

    def item_scores(self) -> Iterator[tuple[str, float]]:
        """Yield (item id, recall@1) of each item."""
        yield from ((one.item_id, one.ranks[0]) for one in self.items)

    def titled(self, name: str) -> list[tuple[str, Table]]:
        """Return one table, with a row for each k of each template."""
        head: list[object] = ["template", "k", "recall@k", "95% interval", "chance"]
        rows: Table = [head]
        for template in self.templates:
            ends = self.intervals[template]
            for k, (value, chance) in enumerate(self.recalls(template), 1):
                told = f"{100 * ends[0]:.2f} to {100 * ends[1]:.2f}" if ends and k == 1 else "-"
                rows.append([template, k, f"{100 * value:.2f}", told, f"{100 * chance:.2f}"])
        return [(name, rows)]

    def remarks(self, name: str) -> list[str]:
        """Return remarks on what the table does not show."""
        counts = self.counts()
        said = {MISSING: "items have no response (scored 0)",
                UNPARSED: "responses name no option (scored 0)"}  # fmt: skip
        return [f"{name}: {counts[key]} {text}" for key, text in said.items() if counts[key]]


def _mean(values: Sequence[tuple[float, ...]], k: int) -> float:
    return sum(one[min(k, len(one) - 1)] for one in values) / len(values)


class RankingBooks:
    """Collects the scores of rankings, row by row."""

    def __init__(self) -> None:
        self._items: list[Ranked] = []

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Return whether the row is scored here: whether its options are ranked."""
        return bool(row["options"] and arguments_of(row).get("ranked"))

    def know(self, item_id: str) -> None:
        """Do nothing: an item that was not asked affects no other item here."""

    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
        """Score a row."""
        case, response = case_of(row), predictions.get((row["item_id"], None))
        mark = None if response is None else mark_response(RANKED, response, case)
        status = SCORED if mark else MISSING if response is None else UNPARSED
        chance = tuple(min(k / len(case.options), 1.0) for k in range(1, case.top + 1))
        self._items.append(Ranked(
            row["item_id"], row["template_id"], f"{row['dataset']}/{row['video_id']}", status,
            mark.ranks if mark else (0.0,) * case.top, chance,
        ))  # fmt: skip

    def report(self, replicates: int, seed: str) -> RankingReport | None:
        """Return the report, None if there were no rows; the order of rows does not affect it."""
        items = tuple(sorted(self._items, key=lambda one: one.item_id))
        first: dict[str, list[tuple[str, float]]] = {}
        for one in items:
            first.setdefault(one.template_id, []).append((one.video, one.ranks[0]))
        intervals = {name: interval_of_mean(mine, replicates, seed)
                     for name, mine in first.items()}  # fmt: skip
        return RankingReport(items, intervals) if items else None
