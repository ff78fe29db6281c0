"""What is read of a wording without filling it: its essence, and sources that it names."""

from __future__ import annotations

import re
from functools import cache

from transforms.language.wording import Ref, Wording
from transforms.registry import datasets


def literal(wording: Wording) -> str:
    """The wording with a placeholder for every reference."""
    return "".join("\N{WHITE SQUARE}" if isinstance(p, Ref) else p for p in wording)


def essence(wording: Wording) -> tuple:
    """What must differ between two wordings: case, spaces and marks do not count."""
    parts = (p if isinstance(p, Ref) else " ".join(re.findall(r"\w+", p.lower())) for p in wording)
    return tuple(p for p in parts if p)


def source_named(wording: Wording) -> str | None:
    """The dataset, file or frame number that a wording names."""
    found = _sources().search(literal(wording))
    return found.group(0) if found else None


@cache
def _sources() -> re.Pattern[str]:
    """Installed datasets, the Cholec family, files, and frame numbers."""
    known = "|".join(re.escape(name).replace("_", "[-_ ]?") for name in datasets())
    names = rf"\b(cholec\w*|{known})\b|\w+\.(json|png|mp4|txt)\b|\bframe (number|no\.?|\d+)"
    return re.compile(names, re.IGNORECASE)
