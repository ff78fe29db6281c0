"""Map a source's label ids and names to concepts of the ontology."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from surgqa.ontology.records import Code

NULL = -1
"""Not annotated or nothing present: the sources use -1 for both."""
UNKNOWN_ID = -2
"""An id that is not in the source's list of names."""


@dataclass(frozen=True, slots=True)
class Categories:
    """The C labels of one kind, as one source lists them.

    Attributes:
        kind: ``instrument``, ``verb``, ``target``, ``phase``.
        ids: float64 (C,), ascending source ids.
        names: source names, in the order of ``ids``.
        concepts: the concept ids that the names map to, sorted.
        concept: int64 (C + 2,), index into ``concepts`` by position, negative if the
            name has no concept; the last two entries are for UNKNOWN_ID and NULL.
        problems: for each position, the rejection code and reason why the name has no concept.
    """

    kind: str
    ids: np.ndarray
    names: tuple[str, ...]
    concepts: tuple[str, ...]
    concept: np.ndarray
    problems: Mapping[int, tuple[Code, str]]

    def position(self, values: np.ndarray) -> np.ndarray:
        """Source ids (N,) to positions (N,): NULL for -1, UNKNOWN_ID for ids not listed."""
        if not self.ids.size:
            return np.where(values == -1, NULL, UNKNOWN_ID)
        near = np.minimum(np.searchsorted(self.ids, values), self.ids.size - 1)
        listed = self.ids[near] == values
        return np.where(listed, near, np.where(values == -1, NULL, UNKNOWN_ID))

    def problem(self, position: int, value: float) -> tuple[Code, str]:
        """Rejection code and reason for an entry that has no concept."""
        if position == UNKNOWN_ID:
            return Code.UNKNOWN_LABEL, f"{self.kind} id {value:g} is not in the list of names"
        return self.problems[position]


def categories(
    kind: str, names: Mapping[int, str], label_map: Mapping[str, Mapping[str, Any]]
) -> Categories:
    """The mapping from a source's names to concepts.

    Args:
        kind: a key of the label map.
        names: for each source id, the source name.
        label_map: the result of ``ontology.concepts.label_map``.
    """
    known = label_map.get(kind, {})
    ids = sorted(names)
    ordered = tuple(names[i] for i in ids)
    mapped = [known.get(name) for name in ordered]
    concepts = tuple(sorted({entry for entry in mapped if isinstance(entry, str)}))
    index = [concepts.index(entry) if isinstance(entry, str) else NULL for entry in mapped]
    problems = {
        position: _problem(kind, ordered[position], entry)
        for position, entry in enumerate(mapped)
        if not isinstance(entry, str)
    }
    codes = np.array([*index, NULL, NULL], dtype=np.int64)
    return Categories(kind, np.array(ids, dtype=np.float64), ordered, concepts, codes, problems)


def concept_of(
    kind: str, name: str, label_map: Mapping[str, Mapping[str, Any]]
) -> str | tuple[Code, str]:
    """Return the concept of a source label, or rejection code and reason if it has none."""
    entry = label_map.get(kind, {}).get(name)
    return entry if isinstance(entry, str) else _problem(kind, name, entry)


def _problem(kind: str, name: str, entry: Any) -> tuple[Code, str]:
    if isinstance(entry, Mapping):
        return Code.DROPPED_LABEL, f"{kind} {name!r} is left out: {entry.get('drop')}"
    return Code.UNKNOWN_LABEL, f"{kind} {name!r} is not in the label map"
