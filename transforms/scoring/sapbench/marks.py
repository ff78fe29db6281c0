"""One item's hits at ranks one to three, strict and relaxed."""

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
"""Of each of :data:`RANKS`: 1 for right, 0 for wrong, between them what chance gets."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a reply to one item gets.

    Attributes:
        strict: the answer is among the first k.
        relaxed: the answer or the action after it is; None where nothing follows, so that the
            item does not count in relaxed scores.
    """

    video: str
    strict: Hits
    relaxed: Hits | None


@dataclass(frozen=True, slots=True)
class Scored:
    """One item with its reply.

    Attributes:
        status: ``scored``, ``unparsed`` or ``missing``; the last two are wrong.
    """

    item: Item
    ranked: Ranked
    status: str
    mark: Mark


def score_item(item: Item, predictions: Mapping[PredictionKey, str]) -> Scored:
    """Score one item; replies that cannot be read, and unknown labels, are wrong."""
    response = predictions.get(item.key)
    ranked = NOTHING if response is None else read_ranked(response)
    status = MISSING if response is None else SCORED if ranked.entries else UNPARSED
    return Scored(item, ranked, status, mark_of(item, ranked.entries))


def mark_of(item: Item, entries: Sequence[str | None]) -> Mark:
    """The mark of a ranking; one that is shorter than k is used as it is."""
    strict = tuple(Fraction(item.action in entries[:k]) for k in RANKS)
    relaxed = None
    if item.following is not None:
        right = {item.action, item.following}
        relaxed = tuple(Fraction(not right.isdisjoint(entries[:k])) for k in RANKS)
    return Mark(item.video, strict, relaxed)


def chance(item: Item) -> Mark:
    """What a ranking gets on average that is drawn evenly from all."""
    return Mark(
        item.video,
        tuple(_among_first(1, k) for k in RANKS),
        None
        if item.following is None
        else tuple(_among_first(len({item.action, item.following}), k) for k in RANKS),
    )


def _among_first(right: int, k: int) -> Fraction:
    """Probability that one of the right actions is among k drawn without replacement."""
    actions = len(action_ids())
    return 1 - Fraction(comb(actions - right, k), comb(actions, k))
