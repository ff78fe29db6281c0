"""The instruments and tissues that may be visible in an operation; labelling tools offer these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from surgqa.ontology.concepts import load_data, vocabulary
from surgqa.ontology.knowledge import operation


def in_view(procedures: Iterable[str | None], kind: str) -> tuple[str, ...]:
    """Return the ids of a kind that may be visible in these procedures, in vocabulary order.

    Args:
        procedures: procedures as written by users or readers. If one is unknown or missing,
            all ids of the kind are returned.
        kind: ``instruments`` or ``targets``.
    """
    known = load_data("knowledge", "in_view")["operations"]
    asked = [known.get(operation(procedure or "")) for procedure in procedures]
    if not asked or None in asked:
        return tuple(vocabulary(kind))
    shown = {name for entry in asked for name in _named(tuple(entry[kind]))}
    return tuple(name for name in vocabulary(kind) if name in shown)


@cache
def _named(entries: Sequence[str]) -> frozenset[str]:
    """Return concept ids; the name of a vocabulary file stands for all its ids."""
    whole = [one for one in entries if "/" in one or one in ("instruments", "targets")]
    ids = {name for one in whole for name in load_data("vocab", one)}
    return frozenset({*ids, *entries} - set(whole))
