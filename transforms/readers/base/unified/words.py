"""Map words of a file to concepts: by published spellings first, then by the ontology."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.concepts import label_map
from surgqa.ontology.records import Code
from surgqa.transforms.readers.base.words import fold, names_of

MAP = "unified"


def concept_of(kind: str, name: str) -> str | tuple[Code, str]:
    """Return the concept of a word, or rejection code and reason if it has none.

    Args:
        kind: ``instrument``, ``verb``, ``target``, ``phase`` or ``event``.
    """
    own: Mapping[str, Any] = label_map(MAP).get(kind, {})
    entry = own.get(name, own.get(fold(name).replace(" ", "_")))
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Mapping):
        return Code.DROPPED_LABEL, f"{kind} {name!r} is left out: {entry.get('drop')}"
    meant = names_of(kind).get(fold(name), ())
    if len(meant) == 1:
        return meant[0]
    hint = f"; it may mean {' or '.join(meant)}" if meant else ""
    return Code.UNKNOWN_LABEL, f"{kind} {name!r} is not known{hint}"
