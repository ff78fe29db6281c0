"""Clues in what stands around the options: the question, what a setting tells, other items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ontology.keys import mix64
from transforms.blind.clues import Clue, clue, mixed, numbered, ranks
from transforms.blind.items import Ask, Items, words_of
from transforms.blind.shape import number_table
from transforms.blind.words import read

BUCKETS = 1 << 16
"""Pairs of a word and an option are put into so many; which of them share one is fixed."""


def around_clues(items: Items) -> Iterator[Clue]:
    """All clues of this file."""
    yield from _told(items, "the question", lambda one: one.question)
    if any(one.told for one in items.asks):
        yield from _told(items, "what is told", lambda one: one.told)
    yield from _asked(items)
    yield from _others(items)


def _told(items: Items, name: str, text_of: Callable[[Ask], str]) -> Iterator[Clue]:
    """Options named in a text; numbers inside its stretches, or near to its numbers."""
    texts = [text_of(one) for one in items.asks]
    yield clue(f"named in {name}", not items.fixed, ranks(items, _named(items, texts)))
    if items.fixed:
        return
    first = number_table([read(one) for one in items.texts])
    if np.isnan(first[items.text, 0]).all() or not any(read(one).numbers for one in texts):
        return
    inside, nearest, stretch = _near(items, texts, first)
    yield clue(f"inside a stretch of {name}", True, _coded(items, inside))
    yield clue(f"nearest to a number of {name}", True, ranks(items, nearest))
    yield clue(f"like a stretch of {name}", True, ranks(items, stretch))


def _coded(items: Items, inside: np.ndarray) -> np.ndarray:
    """Whether an option lies inside, and how many of its item do."""
    together = np.bincount(items.item, weights=inside, minlength=len(items.count))[items.item]
    return mixed(inside, together, items.count[items.item])


def _named(items: Items, texts: Sequence[str]) -> np.ndarray:
    """float64 (m): share of the option's words that the text holds."""
    held, options = words_of(texts), words_of(items.texts)
    pairs = zip(items.item.tolist(), items.text.tolist(), strict=True)
    return np.array([len(held[i] & options[t]) / (len(options[t]) or 1) for i, t in pairs])


def _near(
    items: Items, texts: Sequence[str], table: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(m) each: lies inside a stretch; distance to the nearest number; distance to a stretch.

    An option of two numbers is a stretch itself, and lies inside where both of its ends do.
    """
    m = len(items.item)
    inside, nearest, stretch = np.zeros(m), np.full(m, np.nan), np.full(m, np.nan)
    parts = [read(one) for one in texts]
    ends = np.where(np.isnan(table[:, 1]), table[:, 0], table[:, 1])
    for row, (i, t) in enumerate(zip(items.item.tolist(), items.text.tolist(), strict=True)):
        a, b, found = table[t, 0], ends[t], parts[i]
        if a != a or not found.numbers:
            continue
        nearest[row] = round(min(abs(a - one) for one in found.numbers), 6)
        if found.stretches:
            inside[row] = any(x <= a and b <= y for x, y in found.stretches)
            stretch[row] = round(min(abs(a - x) + abs(b - y) for x, y in found.stretches), 6)
    return inside, nearest, stretch


def _asked(items: Items) -> Iterator[Clue]:
    """What the question's words have to do with the answer's: so the world is."""
    masked = numbered([read(one.question).skeleton for one in items.asks])
    yield clue("the same question", False, mixed(masked[items.item], items.text))
    procedure = numbered([one.procedure for one in items.asks])
    yield clue("procedure", False, mixed(procedure[items.item], items.text))
    yield _bag(items, "words of the question", [one.question for one in items.asks])
    if any(one.told for one in items.asks):
        yield _bag(items, "words of what is told", [one.told for one in items.asks])


def _bag(items: Items, name: str, texts: Sequence[str]) -> Clue:
    """Each word of the text with each option is a code; words that all texts hold tell nothing."""
    numbers: dict[str, int] = {}
    found = [sorted(set(read(one).words)) for one in texts]
    codes = [[numbers.setdefault(word, len(numbers)) for word in some] for some in found]
    sizes = np.array([len(some) for some in codes], dtype=np.int64)
    flat = np.array([one for some in codes for one in some], dtype=np.int64)
    rare = np.bincount(flat, minlength=len(numbers)) < len(texts)
    starts = np.cumsum(sizes) - sizes
    per_row = sizes[items.item]
    rows = np.repeat(np.arange(len(items.item)), per_row)
    inside = np.arange(len(rows)) - np.repeat(np.cumsum(per_row) - per_row, per_row)
    word = flat[starts[items.item][rows] + inside]
    rows, word = rows[rare[word]], word[rare[word]]
    both = mix64((word * len(items.texts) + items.text[rows]).astype(np.uint64))
    return clue(name, False, (both % np.uint64(BUCKETS)).astype(np.int64), rows)


def _others(items: Items) -> Iterator[Clue]:
    """What other items of the recording or chain show, and what was right just before."""
    video = numbered([one.video for one in items.asks])[items.item]
    often = np.bincount(mixed(video, items.text))[mixed(video, items.text)]
    if not items.fixed:
        yield clue("offered often in the recording", True, ranks(items, often.astype(float)))
    before = [one.before for one in items.asks]
    if any(before):
        yield clue("named in the question before", False, ranks(items, _named(items, before)))
    said = [one.said for one in items.asks]
    if any(said):
        same = [items.texts[t] == said[i] for i, t in zip(items.item, items.text, strict=True)]
        yield clue("right the time before", False, mixed(np.array(same), items.count[items.item]))
        after = numbered(said)
        yield clue("after what was right before", False, mixed(after[items.item], items.text))
    place = numbered([one.place for one in items.asks])
    if any(one.place for one in items.asks):
        yield clue("place of the round", False, mixed(place[items.item], items.text))
