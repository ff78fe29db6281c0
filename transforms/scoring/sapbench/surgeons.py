"""Scores against the actions that surgeons would take next.

The references are what happened in the video, each surgeon, and any of the surgeons.  All are
scored on the items that every surgeon answered, so that they can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from transforms.scoring.choices import Choices
from transforms.scoring.sapbench.items import Item
from transforms.scoring.sapbench.marks import RANKS
from transforms.scoring.sapbench.tables import Share

VIDEO = "video"


@dataclass(frozen=True, slots=True)
class Against:
    """Top-k shares of one set of rankings against one reference.

    Attributes:
        who: ``model``, or a surgeon whose choices are scored like a model's.
        reference: ``video``, a surgeon, or several surgeons joined by ``or``.
    """

    who: str
    reference: str
    shares: tuple[Share, ...]


def against(
    items: Sequence[Item], rankings: Mapping[str, Sequence[str | None]], choices: Choices
) -> tuple[tuple[Against, ...], int]:
    """Return the scores against every reference, those of the model first.

    Args:
        rankings: rankings of the model, by item id; an item without one counts as wrong.

    Returns:
        The scores, and the number of items that at least one surgeon did not answer.
    """
    surgeons = sorted(choices)
    asked = [item for item in items if all(item.item_id in choices[name] for name in surgeons)]
    right: dict[str, dict[str, set[str]]] = {VIDEO: {one.item_id: {one.action} for one in asked}}
    for name in surgeons:
        right[name] = {one.item_id: {choices[name][one.item_id]} for one in asked}
    if len(surgeons) > 1:
        right[" or ".join(surgeons)] = {
            one.item_id: {choices[name][one.item_id] for name in surgeons} for one in asked
        }
    out = [Against("model", name, _shares(asked, rankings, truth)) for name, truth in right.items()]
    for who in surgeons:
        own = {item: (action,) for item, action in choices[who].items()}
        out += [
            Against(who, name, _shares(asked, own, right[name])[:1])
            for name in (VIDEO, *surgeons)
            if name != who
        ]
    return tuple(out), len(items) - len(asked)


def _shares(
    items: Sequence[Item],
    rankings: Mapping[str, Sequence[str | None]],
    right: Mapping[str, set[str]],
) -> tuple[Share, ...]:
    out = []
    for k in RANKS:
        hits = sum(
            not right[item.item_id].isdisjoint(rankings.get(item.item_id, ())[:k]) for item in items
        )
        out.append(Share("sample_s", k, Fraction(hits), len(items)))
    return tuple(out)
