"""Collect the scores of ``sapbench`` rankings row by row, and report at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ontology.next_actions import display
from transforms.scoring.choices import Choices
from transforms.scoring.predictions import PredictionKey
from transforms.scoring.sapbench.baselines import BASELINES
from transforms.scoring.sapbench.items import item_of
from transforms.scoring.sapbench.marks import Scored, score_item
from transforms.scoring.sapbench.report import Group, SapbenchReport
from transforms.scoring.sapbench.surgeons import against
from transforms.scoring.sapbench.tables import Draws, shares

ALL = "all items"


class SapbenchBooks:
    """Collects the scores of rankings, row by row."""

    def __init__(self, choices: Choices | None = None) -> None:
        self._choices = choices or {}
        self._scored: list[Scored] = []

    def take(
        self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]
    ) -> frozenset[int | None]:
        """Score a row.

        Returns:
            Only None, since an item has a single answer.

        Raises:
            OutputBroken: the row cannot be scored.
        """
        self._scored.append(score_item(item_of(row), predictions))
        return frozenset({None})

    def report(self, replicates: int, seed: str) -> SapbenchReport | None:
        """Return the report, None if there were no rows; the order of rows does not affect it."""
        if not self._scored:
            return None
        scored = tuple(sorted(self._scored, key=lambda one: one.item.item_id))
        draws = Draws(replicates, seed)
        rankings = {one.item.item_id: one.ranked.entries for one in scored}
        items = [one.item for one in scored]
        compared, unanswered = against(items, rankings, self._choices) if self._choices else ((), 0)
        return SapbenchReport(
            groups=tuple(_group(name, part, draws) for name, part in _parts(scored).items()),
            items=scored,
            surgeons=compared,
            unanswered=unanswered,
            replicates=replicates,
            seed=seed,
        )


def _parts(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    """Return the items of each template, and of each of its datasets if there are several.

    Templates are kept apart because two of them may ask about the same frame.
    """
    templates = sorted({one.item.template for one in scored})
    out: dict[str, list[Scored]] = {}
    for template in templates:
        mine = [one for one in scored if one.item.template == template]
        out[template if len(templates) > 1 else ALL] = mine
        names = sorted({one.item.dataset for one in mine})
        for name in names if len(names) > 1 else ():
            title = f"{template}, {name}" if len(templates) > 1 else name
            out[title] = [one for one in mine if one.item.dataset == name]
    return out


def _group(name: str, scored: Sequence[Scored], draws: Draws) -> Group:
    items = [one.item for one in scored]
    videos = {item.video for item in items}
    eligible = [item for item in items if item.following is not None]
    return Group(
        name=name,
        items=len(items),
        videos=len(videos),
        eligible=len(eligible),
        videos_left_out=len(videos - {item.video for item in eligible}),
        shares=shares([one.mark for one in scored], draws),
        baselines={key: shares(marks(items)) for key, marks in BASELINES.items()},
    )


def gold(row: Mapping[str, Any]) -> dict[PredictionKey, str]:
    """Return the correct answer of a row of ``data/``, as a model would write it."""
    item = item_of(row)
    return {item.key: f"1. {display(item.action)}"}
