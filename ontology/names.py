"""Find known names: the closest name to suggest, and the longest name that occurs in a text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most similar to a name, or None; case and punctuation are ignored."""
    plain = {_plain(unit): unit for unit in known}
    close = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=0.6)
    return plain[close[0]] if close else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case; all other characters separate words."""
    return tuple(re.findall(r"[^\W_]+", text.casefold()))


def longest_in(text: str, names: Mapping[tuple[str, ...], str]) -> str | None:
    """Return the value of the longest name whose words occur in a text next to each other, or None.

    Args:
        names: for the words of each name, its value. If names of equal length occur, the first
            counts.
    """
    words = words_of(text)
    found = [
        name for name in names
        if any(words[k : k + len(name)] == name for k in range(len(words) - len(name) + 1))
    ]  # fmt: skip
    return names[max(found, key=len)] if found else None
