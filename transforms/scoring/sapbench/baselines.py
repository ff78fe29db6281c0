"""Baseline rankings that ignore the frames: the most frequent actions, and frequent successors.

Both are counted on the other videos, so that no item helps to answer itself.  If there is only one
video, they are counted on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ontology.next_actions import action_ids
from transforms.scoring.sapbench.items import Item
from transforms.scoring.sapbench.marks import Mark, chance, mark_of

Counts = Counter[tuple[str | None, str]]
"""(previous action, action) -> number of items with this pair."""


def majority(items: Sequence[Item]) -> list[Mark]:
    """Return the marks of ranking the most frequent actions first, in every item."""
    return [mark_of(item, _ordered(_actions(counts))) for item, counts in _with_others(items)]


def transition(items: Sequence[Item]) -> list[Mark]:
    """Return the marks of ranking the most frequent successors first, then frequent actions."""
    marks = []
    for item, counts in _with_others(items):
        after = Counter({a: n for (before, a), n in counts.items() if before == item.previous})
        rest = [action for action in _ordered(_actions(counts)) if not after[action]]
        ranked = [action for action in _ordered(after) if after[action]]
        marks.append(mark_of(item, [*ranked, *rest]))
    return marks


def uniform(items: Sequence[Item]) -> list[Mark]:
    """Return the mean marks over all possible rankings."""
    return [chance(item) for item in items]


BASELINES: Mapping[str, Callable[[Sequence[Item]], list[Mark]]] = {
    "majority": majority,
    "transition": transition,
    "uniform": uniform,
}
"""The baselines, by their names in the report."""


def _with_others(items: Sequence[Item]) -> list[tuple[Item, Counts]]:
    """Return each item with the counts of all videos except its own."""
    total, own = Counts(), dict[str, Counts]()
    for item in items:
        pair = (item.previous, item.action)
        total[pair] += 1
        own.setdefault(item.video, Counts())[pair] += 1
    alone = len(own) == 1
    others = {video: total if alone else total - counts for video, counts in own.items()}
    return [(item, others[item.video]) for item in items]


def _actions(counts: Counts) -> Counter[str]:
    out: Counter[str] = Counter()
    for (_, action), n in counts.items():
        out[action] += n
    return out


def _ordered(counts: Counter[str]) -> list[str]:
    """Return all actions, the most frequent first; ties in their fixed order."""
    order = action_ids()
    return sorted(order, key=lambda action: (-counts[action], order.index(action)))
