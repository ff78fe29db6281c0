"""Rankings that look at no picture: the commonest actions, and what mostly follows what.

Both are counted on the other videos, so that no item helps to answer itself; of a single
video on that one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ontology.next_actions import action_ids
from transforms.scoring.sapbench.items import Item
from transforms.scoring.sapbench.marks import Mark, chance, mark_of

Counts = Counter[tuple[str | None, str]]
"""How often an action comes after another."""


def majority(items: Sequence[Item]) -> list[Mark]:
    """The commonest actions first, whatever the frame shows."""
    return [mark_of(item, _ordered(_actions(counts))) for item, counts in _with_others(items)]


def transition(items: Sequence[Item]) -> list[Mark]:
    """What mostly follows the action that is ending first; then the commonest."""
    marks = []
    for item, counts in _with_others(items):
        after = Counter({a: n for (before, a), n in counts.items() if before == item.previous})
        rest = [action for action in _ordered(_actions(counts)) if not after[action]]
        ranked = [action for action in _ordered(after) if after[action]]
        marks.append(mark_of(item, [*ranked, *rest]))
    return marks


def uniform(items: Sequence[Item]) -> list[Mark]:
    """The mean over all rankings."""
    return [chance(item) for item in items]


BASELINES: Mapping[str, Callable[[Sequence[Item]], list[Mark]]] = {
    "majority": majority,
    "transition": transition,
    "uniform": uniform,
}
"""The baselines by the name under which they are shown."""


def _with_others(items: Sequence[Item]) -> list[tuple[Item, Counts]]:
    """Each item with the counts of all videos but its own."""
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
    """All actions, the commonest first, of equal ones in their fixed order."""
    order = action_ids()
    return sorted(order, key=lambda action: (-counts[action], order.index(action)))
