"""Items of the benchmark ``sapbench``, their hits at ranks one to three, and baselines.

Hits are strict and relaxed. Baseline rankings ignore the frames: they list the most frequent
actions, or the most frequent successors of the previous action. Frequencies are counted in the
other videos, so that no item helps to answer itself. If there is only one video, they are counted
in that video.
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
from surgqa.transforms.scoring.predictions import PredictionKey


@dataclass(frozen=True, slots=True)
class SapBenchItem:
    """One sample.

    Attributes:
        video: ``dataset/video_id``; the intervals are clustered by it.
        action: the correct answer.
        following: the action after the answer; None if no action follows or if it is unknown.
        previous: the action that ends on the current frame; None if it is unknown.
    """

    item_id: str
    template: str
    dataset: str
    video: str
    action: str
    following: str | None
    previous: str | None

    @property
    def key(self) -> PredictionKey:
        """Key of the item's prediction."""
        return self.item_id, None


def item_of(row: Mapping[str, Any]) -> SapBenchItem:
    """Return the item of a row of ``data/``.

    Raises:
        OutputBroken: ``answer_value`` or ``slots`` holds something other than an action.
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
"""For each of :data:`RANKS`: 1 if correct, 0 if wrong; a fraction for expected scores."""


@dataclass(frozen=True, slots=True)
class ReplyHits:
    """The hits of a reply to one item.

    Attributes:
        strict: at each k, whether the answer is among the first k.
        relaxed: the same for the answer or the action after it; None if no action follows. Relaxed
            scores leave such an item out.
    """

    video: str
    strict: Hits
    relaxed: Hits | None


def mark_of(item: SapBenchItem, entries: Sequence[str | None]) -> ReplyHits:
    """Return the hits of a ranking, which may have fewer than k entries."""
    strict = tuple(Fraction(item.action in entries[:k]) for k in RANKS)
    relaxed = None
    if item.following is not None:
        right = {item.action, item.following}
        relaxed = tuple(Fraction(not right.isdisjoint(entries[:k])) for k in RANKS)
    return ReplyHits(item.video, strict, relaxed)


def chance(item: SapBenchItem) -> ReplyHits:
    """Return the mean hits over all possible rankings, each equally likely."""

    def hits(right: int) -> Hits:
        """Return the probabilities that one of the correct actions is among the first k."""
        n = len(action_ids())
        return tuple(1 - Fraction(comb(n - right, k), comb(n, k)) for k in RANKS)

    following = item.following
    relaxed = None if following is None else hits(len({item.action, following}))
    return ReplyHits(item.video, hits(1), relaxed)


Counts = Counter[tuple[str | None, str]]
"""(previous action, action) -> number of items with this pair."""


def majority(items: Sequence[SapBenchItem]) -> list[ReplyHits]:
    """Return the marks of ranking the most frequent actions first, in every item."""
    return [mark_of(item, _ordered(_actions(counts))) for item, counts in _with_others(items)]


def transition(items: Sequence[SapBenchItem]) -> list[ReplyHits]:
    """Return the marks of ranking the most frequent successors first, then frequent actions."""
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
"""The baselines, by their names in the report."""


def _with_others(items: Sequence[SapBenchItem]) -> list[tuple[SapBenchItem, Counts]]:
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
    return Counter(action for _, action in counts.elements())


def _ordered(counts: Counter[str]) -> list[str]:
    """Return all actions, the most frequent first; ties in their fixed order."""
    order = action_ids()
    return sorted(order, key=lambda action: (-counts[action], order.index(action)))
