"""Find the known name closest to a misspelt one, to suggest it; it is never used instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name most similar to this one, or None; case and punctuation do not count."""
    plain = {_plain(unit): unit for unit in known}
    close = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=0.6)
    return plain[close[0]] if close else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
