"""Features that compare an option with its question, the texts shown with it, and other items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from surgqa.ontology.mixing import mix64
from surgqa.transforms.blind.features import (
    Feature,
    defined,
    feature,
    mixed,
    numbered,
    ranks,
    spread,
)
from surgqa.transforms.blind.items import Ask, Items
from surgqa.transforms.blind.options import number_table
from surgqa.transforms.blind.words import FUNCTION, Text, read

BUCKETS = 1 << 16
"""Number of hash buckets for pairs of a word and an option."""


def context_features(items: Items) -> Iterator[Feature]:
    """Yield all features of the question, of the texts shown with it, and of other items."""
    yield from _occurring(items, "the question", lambda one: one.question)
    if any(one.shown for one in items.asks):
        yield from _occurring(items, "what is told", lambda one: one.shown)
    if not items.fixed and any(one.window for one in items.asks):
        yield from _placed(items)
    yield from _asked(items)
    yield from _others(items)


def _occurring(items: Items, name: str, text_of: Callable[[Ask], str]) -> Iterator[Feature]:
    """Yield features that compare an option with a text of its item, such as the question.

    They state whether the option's words and numbers occur in the text, and whether its number lies
    near a number or in a time interval of the text, such as "from 3.00 s to 5.00 s".
    """
    texts = [text_of(one) for one in items.asks]
    yield feature(f"named in {name}", not items.fixed, ranks(items, _named(items, texts)))
    if items.fixed:
        return
    first = number_table([read(one) for one in items.texts])
    if np.isnan(first[items.text, 0]).all() or not any(read(one).numbers for one in texts):
        return
    inside, nearest, interval, place = _near(items, texts, first)
    yield feature(f"inside an interval of {name}", True, _coded(items, inside))
    yield feature(f"place in an interval of {name}", True, place)
    yield feature(f"nearest to a number of {name}", True, ranks(items, nearest))
    yield feature(f"like an interval of {name}", True, ranks(items, interval))


def _placed(items: Items) -> Iterator[Feature]:
    """Yield features of where in the item's window the first time in an option lies.

    A number with decimals, such as 12.00, is a time in seconds of the video.
    """
    ends = np.array([one.window or (np.nan, np.nan) for one in items.asks], dtype=float)
    start, end = (ends[items.item] / 1e6).T
    texts = [read(one) for one in items.texts]
    at = number_table(texts)[items.text, 0]
    timed = np.array([bool(one.endings) for one in texts])[items.text]
    at[~(timed & (start <= at) & (at <= end))] = np.nan
    at[~defined(items, at)] = np.nan
    if np.isnan(at).all():
        return
    middle = np.round(np.abs(at - (start + end) / 2), 6)
    yield feature("nearest to the middle of the window", True, ranks(items, middle))
    parts = {
        "tenth of the window": 10 * (at - start) / (end - start),
        "half seconds from the window's start": 2 * (at - start),
        "half seconds to the window's end": 2 * (end - at),
    }
    for name, part in parts.items():
        whole = np.floor(np.round(np.nan_to_num(part, nan=-1.0, posinf=-1.0), 6))
        yield feature(name, True, whole.astype(np.int64))


def _coded(items: Items, inside: np.ndarray) -> np.ndarray:
    """Return a code of ``inside``, its sum over the item's options, and their number: int64 (m)."""
    together = np.bincount(items.item, weights=inside, minlength=len(items.count))[items.item]
    return mixed(inside, together, items.count[items.item])


def _named(items: Items, texts: Sequence[str]) -> np.ndarray:
    """Return float64 (m): share of each option's words and numbers found in its item's text."""
    held, options = ([read(one) for one in some] for some in (texts, items.texts))
    (asked, words), (offered, others) = _wordings(held), _wordings(options)
    both, place = np.unique(
        asked[items.item] * len(others) + offered[items.text], return_inverse=True
    )
    pairs = (divmod(k, len(others)) for k in both.tolist())
    shared = np.array([len(words[i] & others[k]) for i, k in pairs], dtype=np.float64)[place]
    numerals = [_numerals(one) for one in held]
    some, any_held = (np.array([bool(one.numbers) for one in these]) for these in (options, held))
    rows = np.flatnonzero(some[items.text] & any_held[items.item])
    shared[rows] += [
        len(numerals[i] & _numerals(options[t]))
        for i, t in zip(items.item[rows].tolist(), items.text[rows].tolist(), strict=True)
    ]
    size = [len(others[k]) + len(_numerals(one))
            for k, one in zip(offered.tolist(), options, strict=True)]  # fmt: skip
    return shared / np.maximum(size, 1)[items.text]


def _wordings(texts: Sequence[Text]) -> tuple[np.ndarray, list[frozenset[str]]]:
    """Return the index of each text's wording (int64), and the content words of each wording.

    Texts that differ only in their numbers have the same wording.
    """
    seen: dict[tuple[str, ...], int] = {}
    which = np.array([seen.setdefault(one.words, len(seen)) for one in texts], dtype=np.int64)
    return which, [frozenset(words) - FUNCTION for words in seen]


def _numerals(text: Text) -> frozenset[str]:
    """Return the different numbers of a text, as strings such as "2.5"."""
    return _as_texts(text.numbers)


@lru_cache(maxsize=1 << 15)
def _as_texts(numbers: tuple[float, ...]) -> frozenset[str]:
    return frozenset(f"{one:g}" for one in numbers)


def _near(
    items: Items, texts: Sequence[str], table: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return where the numbers of each option lie relative to the numbers of its item's text.

    An option with two numbers is an interval. It is inside an interval of the text if both its ends
    are.

    Returns:
        Four arrays (m): 1 if the option is inside an interval of the text, else 0; the distance to
        the nearest number of the text, nan without numbers; the distance to the nearest interval,
        nan without intervals; a code of where both ends of the option lie relative to that interval
        (:func:`_place`), -1 without intervals.
    """
    m = len(items.item)
    inside, nearest, interval = np.zeros(m), np.full(m, np.nan), np.full(m, np.nan)
    place = np.full(m, -1)
    parts = [read(one) for one in texts]
    ends = np.where(np.isnan(table[:, 1]), table[:, 0], table[:, 1])
    for row, (i, t) in enumerate(zip(items.item.tolist(), items.text.tolist(), strict=True)):
        a, b, found = table[t, 0], ends[t], parts[i]
        if a != a or not found.numbers:
            continue
        nearest[row] = round(min(abs(a - one) for one in found.numbers), 6)
        if found.intervals:
            inside[row] = any(x <= a and b <= y for x, y in found.intervals)
            away, x, y = min((abs(a - x) + abs(b - y), x, y) for x, y in found.intervals)
            interval[row] = round(away, 6)
            place[row] = 5 * _place(a, x, y) + _place(b, x, y)
    return inside, nearest, interval, place


def _place(at: float, start: float, end: float) -> int:
    """Return 0 for a time before an interval, 1 at its start, 2 within, 3 at its end, 4 after."""
    return int(at >= start) + int(at > start) + int(at >= end) + int(at > end)


def _asked(items: Items) -> Iterator[Feature]:
    """Yield features that pair an option with its question, procedure or a word of the question."""
    masked = numbered([read(one.question).skeleton for one in items.asks])
    yield feature("majority for the question", False, mixed(masked[items.item], items.text))
    procedure = numbered([one.procedure for one in items.asks])
    yield feature("majority for the procedure", False, mixed(procedure[items.item], items.text))
    yield _bag(items, "question words", [one.question for one in items.asks])
    if any(one.shown for one in items.asks):
        yield _bag(items, "told words", [one.shown for one in items.asks])


def _bag(items: Items, name: str, texts: Sequence[str]) -> Feature:
    """Return a feature with a code for each pair of an option and a word of its item's text.

    Words that occur in all texts are left out.
    """
    numbers: dict[str, int] = {}
    found: dict[tuple[str, ...], list[int]] = {}  # texts of one wording have the same words
    for words in (read(one).words for one in texts):
        if words not in found:
            found[words] = [numbers.setdefault(one, len(numbers)) for one in sorted(set(words))]
    often = np.zeros(len(numbers), dtype=np.int64)
    for words in (read(one).words for one in texts):
        often[found[words]] += 1
    found = {words: [k for k in some if often[k] < len(texts)] for words, some in found.items()}
    rows, word = spread(items.item, [found[read(one).words] for one in texts])
    return feature(name, False, _buckets(items, rows, word), rows)


def _buckets(items: Items, rows: np.ndarray, word: np.ndarray) -> np.ndarray:
    """Return a hash of each pair of a word and its option, int32 in [0, BUCKETS)."""
    out = np.empty(len(rows), dtype=np.int32)
    for start in range(0, len(rows), BUCKETS):
        part = slice(start, start + BUCKETS)
        both = word[part].astype(np.int64) * len(items.texts) + items.text[rows[part]]
        out[part] = mix64(both.astype(np.uint64)) % np.uint64(BUCKETS)
    return out


def _others(items: Items) -> Iterator[Feature]:
    """Yield features of how an option occurs in other items of the same video or chain."""
    video = numbered([one.video for one in items.asks])[items.item]
    often = np.bincount(mixed(video, items.text))[mixed(video, items.text)]
    if not items.fixed:
        # How often an option is offered reveals how often it is correct, unless weights are equal.
        even = not np.ptp(items.weight)
        yield feature("offered often in the recording", even, ranks(items, often.astype(float)))
    before = [one.before for one in items.asks]
    if any(before):
        yield feature("named in earlier questions", False, ranks(items, _named(items, before)))
    said = [one.said for one in items.asks]
    if any(said):
        same = [items.texts[t] == said[i] for i, t in zip(items.item, items.text, strict=True)]
        yield feature(
            "previous answer again", False, mixed(np.array(same), items.count[items.item])
        )
        after = numbered(said)
        yield feature("follows the previous answer", False, mixed(after[items.item], items.text))
    place = numbered([one.place for one in items.asks])
    if any(one.place for one in items.asks):
        yield feature("place of the round", False, mixed(place[items.item], items.text))
        timing = numbered([one.timing for one in items.asks])
        yield feature("time of the round", True, mixed(timing[items.item], items.text))
