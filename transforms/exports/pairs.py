"""Finds pairs of items about one video with the same question and different answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from typing import Any

from surgqa.ontology.keys import digest
from surgqa.transforms.blind.words import skeleton

Row = Mapping[str, Any]


def pairs_of(rows: Iterable[Row]) -> dict[str, str]:
    """Return item id -> id of its pair, for the rows of one video.

    Two questions count as the same if they differ only in times and numbers. Of a chain, the main
    question counts. As many pairs as possible are formed, in the order of the item ids.
    """
    asked: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(rows, key=lambda row: str(row["item_id"])):
        if not row["stage"]:
            question = (row["template_id"], skeleton(row["question"]))
            asked[question][_answer(row)].append(row["item_id"])
    out: dict[str, str] = {}
    for (template, _), answers in asked.items():
        for both in _matched(answers.values()):
            out |= dict.fromkeys(both, digest("pair", template, *sorted(both)))
    return out


def _answer(row: Row) -> str:
    """Return the correct answer in lower case, without its letter."""
    right = [one["text"] for one in row["options"] if one["is_answer"]]
    return str(right[0] if right else row["answer"]).casefold()


def _matched(answers: Iterable[list[str]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of ids with different answers, given the ids of each answer."""
    heap = [(-len(ids), ids[0], ids) for ids in answers]
    heapify(heap)
    while len(heap) > 1:
        (_, _, a), (_, _, b) = heappop(heap), heappop(heap)
        yield a[0], b[0]
        for rest in (a[1:], b[1:]):
            if rest:
                heappush(heap, (-len(rest), rest[0], rest))
