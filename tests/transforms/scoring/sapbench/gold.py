"""The correct answer of a row that asks for a ranking, as a model would write it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.next_actions import display
from surgqa.transforms.scoring.sapbench.items import item_of


def gold(row: Mapping[str, Any]) -> dict[tuple[str, int | None], str]:
    item = item_of(row)
    return {(item.item_id, None): f"1. {display(item.action)}"}
