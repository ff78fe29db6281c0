"""A small learned model that masks words which the rules do not recognise.

It is a logistic regression over the features of ``features.py``, trained on the recognised speech
in ``tests/fixtures/privacy`` by ``tests/transforms/evidence/privacy/train.py``.  Its weights are
whole numbers, so every platform masks the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import numpy as np

from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.evidence.privacy.features import (
    CUES,
    REACH,
    PlacedWord,
    features,
    slots,
    words_in,
)
from surgqa.transforms.evidence.privacy.masking import MaskedSpan

FILE = "learned_weights.bin"
SCALE = 32
"""A weight of 1 in the file."""
LIMITS = {"#": -38, "U": -32, "E": -30, "M": 40}
"""Score above which a word is masked, by its group (see ``wordforms.py``); chosen on parts that the
model had not been trained on."""
BESIDE = 2 * SCALE
"""Score above which a word beside a masked word is masked.  The model was trained on text without
masks; with LIMITS, masking a masked text again would mask more each time."""
CLEAR = -50
"""Score below which a word stays readable even if a rule would mask it."""
ROW = 3
"""Minimum length of a number or a spelled word of which all parts are masked if one is."""
ADDRESS = 4
"""Most words between a house number and the end of its street."""
_HAN = re.compile(r"[\u4e00-\u9fff]")


class LearnedWords:
    """Finds words of names, numbers and places in English text, and words that are harmless."""

    @property
    def identity(self) -> dict[str, Any]:
        """Digest of the weights."""
        return {"learned": bytes_digest(_data())}

    def spans(self, text: str, language: str | None = None) -> list[MaskedSpan]:
        """The spans found in a text, in order and without overlaps; none in other languages.

        Spans without a kind are words that certainly identify nobody.

        Args:
            text: utterances, one a line; what is masked already is kept.
            language: code of the speech, or None if it is not known.
        """
        if not (language or "en").startswith("en") or _HAN.search(text):
            return []
        return list(_spans(text))


@lru_cache(maxsize=8)
def _spans(text: str) -> tuple[MaskedSpan, ...]:
    """Return the spans; cached, because the same text is masked in up to three columns."""
    words = words_in(text)
    told = list(scores(words))
    kinds = [
        _kind(word, score - (BESIDE if beside else LIMITS[word.form.group]))
        for word, score, beside in zip(words, told, _beside(words), strict=True)
    ]
    _complete(words, kinds)
    out: list[MaskedSpan] = []
    for word, kind, score in zip(words, kinds, told, strict=True):
        if word.form.hidden or not word.form.word or not (kind or score < CLEAR):
            continue
        last = out[-1] if out else None
        if last and last.kind == kind and text[last.end : word.start] == " ":
            out[-1] = MaskedSpan(last.start, word.end, kind)
        else:
            out.append(MaskedSpan(word.start, word.end, kind))
    return tuple(out)


def scores(words: Sequence[PlacedWord]) -> Iterator[int]:
    """For each word the sum of its features' weights."""
    weights = _weights()
    for found in features(words):
        yield sum(weights[slot] for slot in slots(found))


def _beside(words: Sequence[PlacedWord]) -> Iterator[bool]:
    """Yield, for each word, whether a word near it is masked already."""
    for place in range(len(words)):
        near = words[max(0, place - REACH) : place + REACH + 1]
        yield any(word.form.hidden for word in near)


def _kind(word: PlacedWord, score: int) -> str:
    """The kind of a word that is masked, or empty; words masked already keep theirs."""
    if word.form.hidden or score <= 0 or not word.form.word:
        return word.form.hidden
    return "ID" if word.form.group == "#" else "NAME"


def _complete(words: Sequence[PlacedWord], kinds: list[str]) -> None:
    """Mask the rest of a number, of a spelled word, and of an address after its house number."""
    numbers = [word.form.group == "#" for word in words]
    letters = [len(word.form.word) == 1 and word.form.word.isalpha() for word in words]
    for flags, kind in ((numbers, "ID"), (letters, "NAME")):
        for first, last in _rows(flags):
            if last - first >= ROW and any(kinds[first:last]):
                kinds[first:last] = [one or kind for one in kinds[first:last]]
    for place in range(len(words)):
        last = _street(words, place) if numbers[place] and kinds[place] else place
        if last > place and not any(numbers[place + 1 : place + 2]):
            span = slice(place + 1, last + 1)
            kinds[span] = [one or "PLACE" for one in kinds[span]]


def _rows(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield [first, last) of each run of flags that are set."""
    first = None
    for place, flag in enumerate([*flags, False]):
        if flag and first is None:
            first = place
        elif not flag and first is not None:
            yield first, place
            first = None


def _street(words: Sequence[PlacedWord], place: int) -> int:
    """Index of the word that ends the street of a house number ("street"); else ``place``."""
    for last in range(place + 1, min(place + ADDRESS, len(words) - 1) + 1):
        if words[last].line != words[place].line:
            break
        if last > place + 1 and CUES.get(words[last].form.word) == "street":
            return last
        if words[last].form.stop in (".", "?", "!"):
            break
    return place


@cache
def _data() -> bytes:
    return (resources.files(__package__) / FILE).read_bytes()


@cache
def _weights() -> list[int]:
    return np.frombuffer(_data(), np.int8).tolist()
