"""Collect the scores of ``surgcot`` rows one by one, and report at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.reporting import OwnBooks
from surgqa.transforms.scoring.surgcot.items import (
    STAGES,
    ChainScores,
    StageScore,
    item_of,
    score_item,
)
from surgqa.transforms.scoring.surgcot.report import SurgcotReport, groups_of


class SurgcotBooks(OwnBooks):
    """Collects the scores of published chains, row by row."""

    def __init__(self) -> None:
        self._chains: dict[str, dict[int, StageScore]] = {}

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Return whether the row is a stage of a published chain; other chains are general."""
        stage, name = row.get("stage"), str(row.get("task")).rpartition("/")[2]
        return name in STAGES and stage == STAGES.index(name)

    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
        """Score a row.

        Raises:
            OutputBroken: the row cannot be scored, or its chain already has this stage.
        """
        item = item_of(row)
        chain = self._chains.setdefault(item.chain_id, {})
        if item.stage in chain:
            raise OutputBroken(
                f"chain {item.chain_id} has its {STAGES[item.stage]} twice",
                expected="one item for each stage",
                found=f"items {chain[item.stage].item.item_id} and {item.item_id}",
                where=item.template_id,
                fix="score one finished dataset at a time",
            )
        chain[item.stage] = score_item(item, predictions.get((item.item_id, None)))

    def report(self, replicates: int, seed: str) -> SurgcotReport | None:
        """Return the report, None if there were no rows; the order of rows does not affect it."""
        if not self._chains:
            return None
        chains = [ChainScores.of(self._chains[name]) for name in sorted(self._chains)]
        items = [one for chain in chains for one in chain.stages.values()]
        ordered = sorted(items, key=lambda one: one.item.item_id)
        groups = groups_of(chains, replicates, seed)
        return SurgcotReport(groups, tuple(chains), tuple(ordered), replicates, seed)
