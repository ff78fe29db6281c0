"""Items that ask for a ranking of next actions, their scores, and baselines.

A *hit* at rank k means that the correct action is among the first k. A relaxed hit also counts the
action after the correct one. Baseline rankings ignore the frames: they list the most frequent
actions, or the most frequent successors of the previous action. Frequencies are counted in the
other videos; if there is only one video, in this video.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from surgqa.ontology.next_actions import action_ids
from surgqa.transforms.scoring.case import broken, json_of, video_of


@dataclass(frozen=True, slots=True)
class SapBenchItem:
    """One item.

    Attributes:
        video: ``dataset/video_id``; bootstrap draws are of whole videos.
        action: the correct next action.
        following: the action after the next one; None if there is none or it is unknown.
        previous: the action that ends at the current frame; None if it is unknown.
    """

    item_id: str
    template: str
    dataset: str
    video: str
    action: str
    following: str | None
    previous: str | None


def item_of(row: Mapping[str, Any]) -> SapBenchItem:
    """Return the item of a row of ``data/``.

    Raises:
        OutputBroken: ``answer_value`` or ``slots`` contains something other than an action.
    """
    slots = json_of(row, "slots")
    following = slots.get("also")
    said: dict[str, Any] = {
        "action": next(iter(json_of(row, "answer_value").values()), None),
        "following": following.get("label") if isinstance(following, Mapping) else following,
        "previous": (slots.get("before") or {}).get("label"),
    }
    for name, value in said.items():
        if value not in action_ids() and (value is not None or name == "action"):
            expected = f"{name}: {', '.join(action_ids())}"
            raise broken(row, "has no readable answer_value", expected, repr(value))
    return SapBenchItem(row["item_id"], row["template_id"], row["dataset"], video_of(row), **said)


RANKS = (1, 2, 3)

Hits = tuple[Fraction, ...]
"""For each of :data:`RANKS`, 1 for a hit and 0 for none; a fraction for expected hits."""


@dataclass(frozen=True, slots=True)
class ReplyHits:
    """Whether a response has the correct action among its first k (a hit), for k = 1, 2, 3.

    Attributes:
        strict: for each k, whether the correct action is among the first k.
        relaxed: for each k, whether the correct action or the one after it is among the first k;
            None if no action follows. Such items are left out of relaxed scores.
    """

    video: str
    strict: Hits
    relaxed: Hits | None


def mark_of(item: SapBenchItem, entries: Sequence[str | None]) -> ReplyHits:
    """Return the hits of a ranking; None stands for an entry that names no action."""
    strict = tuple(Fraction(item.action in entries[:k]) for k in RANKS)
    relaxed = None
    if item.following is not None:
        right = {item.action, item.following}
        relaxed = tuple(Fraction(not right.isdisjoint(entries[:k])) for k in RANKS)
    return ReplyHits(item.video, strict, relaxed)


def chance(item: SapBenchItem) -> ReplyHits:
    """Return the expected hits of a random order of all actions."""

    def hits(right: int) -> Hits:
        """Return the probabilities that one of ``right`` correct actions is among the first k."""
        n = len(action_ids())
        return tuple(1 - Fraction(comb(n - right, k), comb(n, k)) for k in RANKS)

    following = item.following
    relaxed = None if following is None else hits(len({item.action, following}))
    return ReplyHits(item.video, hits(1), relaxed)


Counts = Counter[tuple[str | None, str]]
"""(previous action, action) -> number of items with this pair."""


def majority(items: Sequence[SapBenchItem]) -> list[ReplyHits]:
    """Return, for each item, the hits of a ranking that lists the most frequent actions first."""
    return [mark_of(item, _ordered(_actions(counts))) for item, counts in _with_others(items)]


def transition(items: Sequence[SapBenchItem]) -> list[ReplyHits]:
    """Return the hits of rankings with the most frequent successors of the previous action."""
    marks = []
    for item, counts in _with_others(items):
        after = Counter({a: n for (before, a), n in counts.items() if before == item.previous})
        rest = [action for action in _ordered(_actions(counts)) if not after[action]]
        ranked = [action for action in _ordered(after) if after[action]]
        marks.append(mark_of(item, [*ranked, *rest]))
    return marks


BASELINES: Mapping[str, Callable[[Sequence[SapBenchItem]], list[ReplyHits]]] = {
    "majority": majority,
    "transition": transition,
    "uniform": lambda items: list(map(chance, items)),
}
"""Name of a baseline in the report -> function that returns its hits."""


def _with_others(items: Sequence[SapBenchItem]) -> list[tuple[SapBenchItem, Counts]]:
    """Return each item with the counts of actions in all videos except its own."""
    total, own = Counts(), dict[str, Counts]()
    for item in items:
        pair = (item.previous, item.action)
        total[pair] += 1
        own.setdefault(item.video, Counts())[pair] += 1
    alone = len(own) == 1
    others = {video: total if alone else total - counts for video, counts in own.items()}
    return [(item, others[item.video]) for item in items]


def _actions(counts: Counts) -> Counter[str]:
    return Counter(action for _, action in counts.elements())


def _ordered(counts: Counter[str]) -> list[str]:
    """Return all actions, the most frequent first; equally frequent ones in their fixed order."""
    order = action_ids()
    return sorted(order, key=lambda action: (-counts[action], order.index(action)))
