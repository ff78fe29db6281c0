"""The word lists of ``ontology/vocab/privacy.yaml``, and patterns made from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from surgqa.ontology.concepts import load_data

CAPITALS = r"[A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u017f]"
LETTERS = r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f]"
HAN = r"[\u4e00-\u9fff]"
NAME_WORD = rf"(?:(?:O'|D'|Mc|Mac)?{CAPITALS}{LETTERS}+(?:[-'’]{CAPITALS}{LETTERS}+)*)"
INITIAL = rf"(?:{CAPITALS}\.?(?![A-Za-z]))"


@cache
def lists() -> Mapping[str, Any]:
    """Return the contents of the vocabulary file."""
    return load_data("vocab", "privacy")


@cache
def words(name: str) -> frozenset[str]:
    """Return a list of the vocabulary file as a set of lower-case words."""
    return frozenset(str(word).lower() for word in lists()[name])


def any_of(phrases: Iterable[str]) -> str:
    """A pattern of any of the phrases, longest first; spaces match white space and hyphens."""
    ordered = sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))
    return "(?:" + "|".join(re.escape(p).replace(r"\ ", r"[\s-]+") for p in ordered) + ")"
