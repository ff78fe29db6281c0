"""Collect the scores of rows that are answered in words, and report at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from transforms.scoring.outputs.floors import FLOORS
from transforms.scoring.outputs.items import item_of
from transforms.scoring.outputs.judgements import Judgement, RatedBy
from transforms.scoring.outputs.report import OutputReport
from transforms.scoring.outputs.rounds import Decay
from transforms.scoring.outputs.scores import ItemScore, Measures, score_item
from transforms.scoring.outputs.tables import Floor, floors_of, groups_of
from transforms.scoring.predictions import PredictionKey


@dataclass(frozen=True, slots=True)
class Manner:
    """How a run scores answers in words.

    Attributes:
        decay: how R decreases with the distance from the event.
        judgements: a judge's ratings of open answers; None to use the stand-in for a judge.
    """

    decay: Decay = field(default_factory=Decay)
    judgements: Mapping[PredictionKey, Judgement] | None = None


class OutputBooks:
    """Collects the scores of rows, one by one.

    Args:
        every: score all rows; otherwise only streams, and open answers that have a rubric.
    """

    def __init__(self, manner: Manner, every: bool = False) -> None:
        self._every = every
        self._decay = manner.decay
        self._rated_by = RatedBy(manner.judgements)
        self._items: list[ItemScore] = []
        self._floors: dict[str, list[tuple[str, str, Measures]]] = {name: [] for name in FLOORS}

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Return whether the row is scored here."""
        return bool(self._every or row["rounds"] or (row.get("rubric") and not row["options"]))

    def know(self, item_id: str) -> None:
        """Do nothing: an item that was not asked affects no other item here."""

    def take(
        self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]
    ) -> frozenset[int | None]:
        """Score a row, and the floors' answers to it.

        Returns:
            The numbers of its rounds, or only None for a single turn.

        Raises:
            OutputBroken: the row cannot be scored.
        """
        item = item_of(row)
        self._items.append(score_item(item, predictions, self._decay, self._rated_by.rate))
        for name, answer in FLOORS.items():
            measures = score_item(item, answer(item), self._decay).measures
            self._floors[name].append((item.item_id, item.mode, measures))
        return frozenset(ask.round_index for ask in item.asks)

    def report(self, replicates: int, seed: str) -> OutputReport | None:
        """Return the report, None if there were no rows; the order of rows does not affect it."""
        if not self._items:
            return None
        items = tuple(sorted(self._items, key=lambda item: item.item_id))
        floors: list[Floor] = []
        for name, scored in self._floors.items():
            ordered = sorted(scored, key=lambda one: one[0])
            floors += floors_of(name, [(mode, measures) for _, mode, measures in ordered])
        return OutputReport(
            groups=groups_of(items, replicates, seed),
            floors=tuple(floors),
            items=items,
            decay=self._decay,
            rated_by=self._rated_by,
            replicates=replicates,
            seed=seed,
        )
