"""Map a source's label names to concepts of the ontology."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.published import Unfit
from surgqa.ontology.records import Code


def concept_of(
    kind: str, name: str, label_map: Mapping[str, Mapping[str, Any]]
) -> str | tuple[Code, str]:
    """Return the concept of a source label, or rejection code and reason if it has none."""
    entry = label_map.get(kind, {}).get(name)
    return entry if isinstance(entry, str) else _problem(kind, name, entry)


def fitting(found: str | tuple[Code, str]) -> str:
    """Return a concept; raise Unfit for a rejection."""
    if isinstance(found, str):
        return found
    raise Unfit(*found)


def _problem(kind: str, name: str, entry: Any) -> tuple[Code, str]:
    if isinstance(entry, Mapping):
        return Code.DROPPED_LABEL, f"{kind} {name!r} is left out: {entry.get('drop')}"
    return Code.UNKNOWN_LABEL, f"{kind} {name!r} is not in the label map"
