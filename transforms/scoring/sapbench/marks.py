"""The hits of one item at ranks one to three, strict and relaxed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from ontology.next_actions import action_ids
from transforms.scoring.predictions import PredictionKey
from transforms.scoring.report import MISSING, SCORED, UNPARSED
from transforms.scoring.sapbench.items import Item
from transforms.scoring.sapbench.ranked import NOTHING, Ranked, read_ranked

RANKS = (1, 2, 3)

Hits = tuple[Fraction, ...]
"""For each of :data:`RANKS`: 1 if correct, 0 if wrong; a fraction for expected scores."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The hits of a reply to one item.

    Attributes:
        strict: at each k, whether the answer is among the first k.
        relaxed: the same for the answer or the action after it; None if no action follows, so
            that relaxed scores leave the item out.
    """

    video: str
    strict: Hits
    relaxed: Hits | None


@dataclass(frozen=True, slots=True)
class Scored:
    """One item with its reply.

    Attributes:
        status: ``scored``, ``unparsed`` or ``missing``; the last two count as wrong.
    """

    item: Item
    ranked: Ranked
    status: str
    mark: Mark


def score_item(item: Item, predictions: Mapping[PredictionKey, str]) -> Scored:
    """Return the scores of one item; unreadable replies and unknown labels count as wrong."""
    response = predictions.get(item.key)
    ranked = NOTHING if response is None else read_ranked(response)
    status = MISSING if response is None else SCORED if ranked.entries else UNPARSED
    return Scored(item, ranked, status, mark_of(item, ranked.entries))


def mark_of(item: Item, entries: Sequence[str | None]) -> Mark:
    """Return the hits of a ranking; it may have fewer than k entries."""
    strict = tuple(Fraction(item.action in entries[:k]) for k in RANKS)
    relaxed = None
    if item.following is not None:
        right = {item.action, item.following}
        relaxed = tuple(Fraction(not right.isdisjoint(entries[:k])) for k in RANKS)
    return Mark(item.video, strict, relaxed)


def chance(item: Item) -> Mark:
    """Return the mean hits over all possible rankings, each equally likely."""
    return Mark(
        item.video,
        tuple(_among_first(1, k) for k in RANKS),
        None
        if item.following is None
        else tuple(_among_first(len({item.action, item.following}), k) for k in RANKS),
    )


def _among_first(right: int, k: int) -> Fraction:
    """Return the probability that one of the correct actions is among the first k of a ranking."""
    actions = len(action_ids())
    return 1 - Fraction(comb(actions - right, k), comb(actions, k))
