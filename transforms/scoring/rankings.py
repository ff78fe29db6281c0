"""Report of rankings: recall@k, the share of items with the correct option among the first k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from surgqa.transforms.scoring import reporting
from surgqa.transforms.scoring.bootstrap import interval_of_mean
from surgqa.transforms.scoring.case import arguments_of, case_of, video_of
from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.ranking import RANKED
from surgqa.transforms.scoring.tasks import mark_response


@dataclass(frozen=True, slots=True)
class RankedItem:
    """For each k, whether an item's correct option is among the first k, and the chance of it.

    Attributes:
        video: ``dataset/video_id``; bootstrap draws are of whole videos.
    """

    item_id: str
    template_id: str
    video: str
    status: str
    ranks: tuple[float, ...]
    chance: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RankingReport(reporting.OwnReport):
    """The rankings of one benchmark, sorted by item id.

    Attributes:
        intervals: for each template, the 95 % interval of recall@1.
    """

    REMARKS = {
        reporting.MISSING: "items have no response (scored 0)",
        reporting.UNPARSED: "responses name no option (scored 0)",
    }
    items: tuple[RankedItem, ...]
    intervals: Mapping[str, tuple[float, float] | None]

    def counts(self) -> dict[str, int]:
        """Return the number of items, and how many are scored, unparsed and missing."""
        return {"items": len(self.items), **reporting.counted(one.status for one in self.items)}

    def recalls(self, template: str) -> list[tuple[float, float]]:
        """Return (recall@k, chance) of a template for each k."""
        mine = [one for one in self.items if one.template_id == template]

        def at(k: int, name: str) -> float:
            rows = [getattr(one, name) for one in mine]
            return sum(row[min(k, len(row) - 1)] for row in rows) / len(rows)

        longest = max(len(one.ranks) for one in mine)
        return [(at(k, "ranks"), at(k, "chance")) for k in range(longest)]

    @property
    def templates(self) -> list[str]:
        """The templates that have rankings, sorted."""
        return sorted({one.template_id for one in self.items})

    def to_dict(self) -> dict[str, Any]:
        recalls = {name: [{"k": k, "recall": reporting.six(value), "chance": reporting.six(chance)}
                          for k, (value, chance) in enumerate(self.recalls(name), 1)]
                   for name in self.templates}  # fmt: skip
        return {"counts": self.counts(), "recalls": recalls,
                "items": [{"item_id": one.item_id, "status": one.status, "ranks": one.ranks}
                          for one in self.items]}  # fmt: skip

    def item_scores(self) -> Iterator[tuple[str, float]]:
        yield from ((one.item_id, one.ranks[0]) for one in self.items)

    def titled(self, name: str) -> list[tuple[str, reporting.Table]]:
        """Return one table, with a row for each k of each template."""
        head: list[object] = ["template", "k", "recall@k", "95% interval", "chance"]
        rows: reporting.Table = [head]
        for template in self.templates:
            ends = self.intervals[template]
            for k, (value, chance) in enumerate(self.recalls(template), 1):
                interval = reporting.span(ends) if k == 1 else "-"
                rows.append(
                    [template, k, reporting.percent(value), interval, reporting.percent(chance)]
                )
        return [(name, rows)]


class RankingBooks(reporting.OwnBooks):
    """Collects the scores of rankings, row by row."""

    def __init__(self) -> None:
        self._items: list[RankedItem] = []

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row asks for a ranking of its options."""
        return bool(row["options"] and arguments_of(row).get("ranked"))

    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
        case, response = case_of(row), predictions.get((row["item_id"], None))
        mark = None if response is None else mark_response(RANKED, response, case)
        chance = tuple(min(k / len(case.options), 1.0) for k in range(1, case.top + 1))
        self._items.append(RankedItem(
            row["item_id"], row["template_id"], video_of(row),
            reporting.status_of(response, mark),
            mark.ranks if mark else (0.0,) * case.top, chance,
        ))  # fmt: skip

    def report(self, replicates: int, seed: str) -> RankingReport | None:
        items = tuple(sorted(self._items, key=lambda one: one.item_id))
        first: dict[str, list[tuple[str, float]]] = {}
        for one in items:
            first.setdefault(one.template_id, []).append((one.video, one.ranks[0]))
        intervals = {name: interval_of_mean(mine, replicates, seed)
                     for name, mine in first.items()}  # fmt: skip
        return RankingReport(items, intervals) if items else None
