"""Features that depend on the options only, such as ranks, lengths and shared words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from surgqa.transforms.blind.features import (
    Feature,
    defined,
    feature,
    mixed,
    numbered,
    ranks,
    spread,
    summed,
)
from surgqa.transforms.blind.items import Items
from surgqa.transforms.blind.words import Text, read

NUMBERS = 4
"""How many numbers of a text are used at most: a time interval has two, a box four."""
ORDINALS = ("first", "second", "third", "fourth")


def option_features(items: Items) -> Iterator[Feature]:
    """Yield all features of the options; only their texts if every item has the same options."""
    texts = [read(one) for one in items.texts]
    if items.fixed:
        yield feature("option text", False, items.text)
        return
    yield from _numbers(items, texts)
    yield from _likeness(items, texts)
    yield from _lengths(items, texts)
    yield from _texts(items, texts)


def number_table(texts: list[Text]) -> np.ndarray:
    """Return float64 (u, NUMBERS): the first numbers of each text, padded with nan."""
    out = np.full((len(texts), NUMBERS), np.nan)
    for k, one in enumerate(texts):
        found = one.numbers[:NUMBERS]
        out[k, : len(found)] = found
    return out


def _numbers(items: Items, texts: list[Text]) -> Iterator[Feature]:
    """Yield features of the options' numbers, such as ranks, lengths of intervals and areas."""
    table = number_table(texts)[items.text]
    measures = {f"rank of the {ORDINALS[k]} number": table[:, k] for k in range(NUMBERS)}
    measures["rank of the interval's length"] = table[:, 1] - table[:, 0]
    measures["rank of the box's area"] = (table[:, 2] - table[:, 0]) * (table[:, 3] - table[:, 1])
    for name, values in measures.items():
        if not np.isnan(values).all():
            yield feature(name, True, ranks(items, values))
    if np.isnan(table[:, 0]).all():
        return
    yield feature("nearest to the other numbers", True, ranks(items, _distances(items, table)))
    endings = numbered([one.endings for one in texts])[items.text]
    yield feature("decimals", True, np.where(np.isnan(table[:, 0]), -1, endings))
    shared = _shared(items, endings)
    known, count = defined(items, table[:, 0]), items.count[items.item]
    yield feature("shared decimals", True, np.where(known, mixed(shared, count), -1))
    first = np.where(np.isnan(table[:, 0]), -1, np.nan_to_num(table[:, 0] * 4).astype(np.int64))
    yield feature("value of the number", True, first)


def _distances(items: Items, table: np.ndarray) -> np.ndarray:
    """Return float64 (m): the distance of each option's numbers to the mean of its item's options.

    For each column of ``table``, distances are divided by their sum over the item; then the columns
    are added.
    """
    total = np.zeros(len(table))
    for column in table.T:
        mean = summed(items, column) / items.count[items.item]
        away = np.abs(column - mean)
        scale = summed(items, away)
        share = np.divide(away, scale, out=np.zeros_like(away), where=scale > 0)
        total += np.nan_to_num(share)
    total[np.isnan(table[:, 0])] = np.nan
    # Distances that differ by rounding errors only count as equal.
    return np.round(total, 9)


def _shared(items: Items, codes: np.ndarray) -> np.ndarray:
    """Return int64 (m): for each option, the number of options of its item with the same code."""
    both = mixed(items.item, codes)
    return np.bincount(both)[both]


def _likeness(items: Items, texts: list[Text]) -> Iterator[Feature]:
    """Yield features of how similar an option is to the other options of its item."""
    common, ordered, begun, around, twins = _pairs(items)
    count, twins = items.count[items.item], twins.astype(np.int64)
    beginnings = ranks(items, begun)
    yield feature("words shared with other options", True, ranks(items, common))
    yield feature("word pairs shared with other options", True, ranks(items, ordered))
    yield feature("beginning shared with other options", True, beginnings)
    yield feature("beginning shared, same words in another order", True, mixed(beginnings, twins))
    yield feature("words within other options", True, ranks(items, around))
    yield feature("same words in another order", True, mixed(twins, count))
    skeletons = numbered([one.skeleton for one in texts])[items.text]
    alike = _shared(items, skeletons)
    yield feature("wording shared with other options", True, mixed(alike, count))


def _pairs(items: Items) -> np.ndarray:
    """Return float64 (5, m): for each option, :func:`_alike` summed over its item's others."""
    most = int(items.count.max())
    out = np.zeros((5, len(items.item)))
    starts = np.cumsum(items.count) - items.count
    last = starts + items.count
    for step in range(1, most):
        left = np.arange(len(items.item) - step)
        left = left[left + step < last[items.item[left]]]
        if not len(left):
            break
        a, b = items.text[left], items.text[left + step]
        pairs, which = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
        found = np.array([_alike(items.texts[x], items.texts[y]) for x, y in pairs.T]).reshape(
            -1, 5
        )
        found = found[which.ravel()].T
        out[:, left] += found
        found[3] *= -1
        out[:, left + step] += found
    return out


@lru_cache(maxsize=1 << 15)
def _alike(left: str, right: str) -> tuple[float, ...]:
    """Return five measures of the similarity of two options.

    Returns:
        Jaccard index of words; of pairs of adjacent words; share of common first words; 1 if
        the left option's words are a proper subset of the right's, -1 if the reverse; 1 if both
        have the same words in different order.
    """
    a, b = read(left), read(right)
    words, others = frozenset(a.words), frozenset(b.words)
    next_to, others_next = _neighbours(a.words), _neighbours(b.words)
    inside = float(words < others) - float(words > others)
    twin = float(a.words != b.words and sorted(a.words) == sorted(b.words))
    begun = next((k for k, (x, y) in enumerate(zip(a.words, b.words, strict=False)) if x != y),
                 min(len(a.words), len(b.words)))  # fmt: skip
    longest = max(len(a.words), len(b.words), 1)
    return (_share(words, others), _share(next_to, others_next), round(begun / longest, 6), inside,
            twin)  # fmt: skip


@lru_cache(maxsize=1 << 12)
def _neighbours(words: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    edged = ("", *words, "")
    return frozenset(zip(edged, edged[1:], strict=False))


def _share(a: frozenset, b: frozenset) -> float:
    return round(len(a & b) / max(1, len(a | b)), 6)


def _lengths(items: Items, texts: list[Text]) -> Iterator[Feature]:
    letters = np.array([len(one) for one in items.texts], dtype=float)[items.text]
    words = np.array([len(one.words) for one in texts], dtype=float)[items.text]
    yield feature("rank by letters", True, ranks(items, letters))
    yield feature("rank by words", True, ranks(items, words))
    yield feature("letter", True, mixed(items.position, items.count[items.item]))


def _texts(items: Items, texts: list[Text]) -> Iterator[Feature]:
    """Yield features with a code for each text: some texts are correct more often than others."""
    yield feature("option text", True, items.text)
    yield feature("option set", True, mixed(_sets(items)[items.item], items.text))
    skeletons = numbered([one.skeleton for one in texts])
    yield feature("option wording", True, skeletons[items.text])
    yield _each_word(items, texts)


def _sets(items: Items) -> np.ndarray:
    """Return int64 (n): equal numbers for items that offer the same options in any order."""
    starts = np.cumsum(items.count) - items.count
    text = items.text[np.lexsort((items.text, items.item))]
    keys = [text[a : a + n].tobytes() for a, n in zip(starts, items.count, strict=True)]
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(one, len(seen)) for one in keys], dtype=np.int64)


def _each_word(items: Items, texts: list[Text]) -> Feature:
    """Return the feature that gives an option one code for each of its words."""
    seen: dict[str, int] = {}
    codes = [[seen.setdefault(one, len(seen)) for one in sorted(set(t.words))] for t in texts]
    rows, code = spread(items.text, codes)
    return feature("option words", True, code, rows)
