"""The organ of a video, from the name of its procedure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from surgqa.ontology.concepts import load_data
from surgqa.ontology.names import longest_in, words_of

OTHER = "other"
"""Organ of a procedure whose name contains no known word, or that concerns several organs."""


@lru_cache(maxsize=1024)
def organ_of(procedure: str | None) -> str:
    """Return the organ, or group of organs, under which results of a procedure are counted.

    This is the organ with the longest name from ``ontology/vocab/organs.yaml`` that occurs in the
    name of the procedure; its other words, such as 'laparoscopic', do not matter.
    """
    return longest_in(procedure or "", _names()) or OTHER


@cache
def _names() -> Mapping[tuple[str, ...], str]:
    entries = load_data("vocab", "organs").items()
    return {words_of(name): organ for organ, names in entries for name in names}
