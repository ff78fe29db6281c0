"""Collect the scores of streams and open answers, and the scores of fixed answers to them.

The fixed answers, such as always "unanswerable", ignore the video. Their scores are floors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from surgqa.transforms.scoring.outputs.items import OutputItem, item_of
from surgqa.transforms.scoring.outputs.judging import Judgement, RatedBy
from surgqa.transforms.scoring.outputs.report import Floor, OutputReport, floors_of, groups_of
from surgqa.transforms.scoring.outputs.scores import Decay, Measures, OutputScore, score_item
from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.reporting import OwnBooks

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
