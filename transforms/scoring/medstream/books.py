"""Rows of ``medstream`` taken one by one, and the report at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from transforms.scoring.medstream.floors import FLOORS
from transforms.scoring.medstream.items import item_of
from transforms.scoring.medstream.judgements import Judgement, RatedBy
from transforms.scoring.medstream.report import MedstreamReport
from transforms.scoring.medstream.rounds import Decay
from transforms.scoring.medstream.scores import ItemScore, Measures, score_item
from transforms.scoring.medstream.tables import Floor, floors_of, groups_of
from transforms.scoring.predictions import PredictionKey


@dataclass(frozen=True, slots=True)
class Manner:
    """How a run scores ``medstream``.

    Attributes:
        decay: how R falls with the distance from the event.
        judgements: a judge's ratings of open answers; None for the stand-in.
    """

    decay: Decay = field(default_factory=Decay)
    judgements: Mapping[PredictionKey, Judgement] | None = None


class MedstreamBooks:
    """What was scored so far."""

    def __init__(self, manner: Manner) -> None:
        self._decay = manner.decay
        self._rated_by = RatedBy(manner.judgements)
        self._items: list[ItemScore] = []
        self._floors: dict[str, list[tuple[str, str, Measures]]] = {name: [] for name in FLOORS}

    def take(
        self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]
    ) -> frozenset[int | None]:
        """Score a row, and what the floors get of it.

        Returns:
            The rounds that it has, or None alone for a single turn.

        Raises:
            OutputBroken: the row cannot be scored.
        """
        item = item_of(row)
        self._items.append(score_item(item, predictions, self._decay, self._rated_by.rate))
        for name, answer in FLOORS.items():
            measures = score_item(item, answer(item), self._decay).measures
            self._floors[name].append((item.item_id, item.mode, measures))
        return frozenset(ask.round_index for ask in item.asks)

    def report(self, replicates: int, seed: str) -> MedstreamReport | None:
        """The report, None where there were no rows; the rows' order does not show in it."""
        if not self._items:
            return None
        items = tuple(sorted(self._items, key=lambda item: item.item_id))
        floors: list[Floor] = []
        for name, scored in self._floors.items():
            ordered = sorted(scored, key=lambda one: one[0])
            floors += floors_of(name, [(mode, measures) for _, mode, measures in ordered])
        return MedstreamReport(
            groups=groups_of(items, replicates, seed),
            floors=tuple(floors),
            items=items,
            decay=self._decay,
            rated_by=self._rated_by,
            replicates=replicates,
            seed=seed,
        )
