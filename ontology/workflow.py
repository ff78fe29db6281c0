"""The order of an operation: what usually comes next, and what must have come before.

``ontology/workflows/<operation>.yaml`` contains for each kind of label (phase, step, gesture):

``any_time``
    labels that may come between any two others and do not affect the order (idle periods,
    haemostasis); they are skipped.
``order``
    label -> ``next``: all labels that usually follow it, with ``end`` if it is usually the last;
    ``needs``: labels that must come before it; ``closes``: labels that cannot begin after it.
    If one of these keys is missing, nothing is known about it.

The usual order allows predictions but forbids nothing, because operations differ. An alert is
triggered only if a label in ``needs`` is missing, or if a label begins after it was closed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from surgqa.ontology.concepts import load_data

END = "end"
"""Value in ``next`` for the end of the video."""


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a label in an operation.

    Attributes:
        next: labels that usually follow, and :data:`END`; None if unknown.
        needs: labels that must have begun before.
        closes: labels that cannot begin afterwards.
    """

    next: tuple[str, ...] | None
    needs: tuple[str, ...]
    closes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Workflow:
    """The order of one kind of label in one operation.

    Attributes:
        order: for each label, its position.
        any_time: labels that may come at any time and have no position.
    """

    order: Mapping[str, Place]
    any_time: frozenset[str]


def workflow(procedure: str, kind: str) -> Workflow | None:
    """Return the order of a kind of label in a procedure; None if the ontology has none.

    Args:
        procedure: name as readers write it into :class:`~ontology.records.Video`; case and
            punctuation do not matter.
        kind: ``phase``, ``step`` or ``gesture``.
    """
    return _workflows().get((_fold(procedure), kind))


def successors(procedure: str, kind: str, label: str) -> tuple[str, ...] | None:
    """Return the labels that usually come next; labels that may come at any time are skipped.

    Returns:
        () for a label that is last; None if nothing is known, or if the video may also end after
        the label, so that no successor is certain.
    """
    place = _place(procedure, kind, label)
    if place is None or place.next is None:
        return None
    following = tuple(other for other in place.next if other != END)
    return None if len(following) == 1 and END in place.next else following


def needs(procedure: str, kind: str, label: str) -> tuple[str, ...]:
    """Return the labels that must have begun before this label; () also if nothing is known."""
    place = _place(procedure, kind, label)
    return place.needs if place else ()


def closes(procedure: str, kind: str, label: str) -> tuple[str, ...]:
    """Return the labels that cannot begin any more after this label; () if nothing is known."""
    place = _place(procedure, kind, label)
    return place.closes if place else ()


def any_time(procedure: str, kind: str) -> frozenset[str]:
    """Return the labels that may lie between any two others; the search for the next skips them."""
    known = workflow(procedure, kind)
    return known.any_time if known else frozenset()


def _place(procedure: str, kind: str, label: str) -> Place | None:
    known = workflow(procedure, kind)
    return known.order.get(label) if known else None


@cache
def _workflows() -> Mapping[tuple[str, str], Workflow]:
    out: dict[tuple[str, str], Workflow] = {}
    for name in workflow_files():
        data = load_data("workflows", name)
        for kind, entry in data["kinds"].items():
            known = Workflow(
                {label: _read(place) for label, place in entry["order"].items()},
                frozenset(entry.get("any_time", ())),
            )
            out |= {(_fold(procedure), kind): known for procedure in data["procedures"]}
    return out


@cache
def operation(procedure: str) -> str:
    """Return a procedure's id: the name of its workflow file, otherwise its words joined by '_'."""
    folded = _fold(procedure)
    for name in workflow_files():
        if folded in map(_fold, load_data("workflows", name)["procedures"]):
            return name
    return folded.replace(" ", "_")


def workflow_files() -> list[str]:
    """Return the names of the files of ``ontology/workflows``, sorted."""
    folder = resources.files("surgqa.ontology") / "workflows"
    names = sorted(path.name for path in folder.iterdir())
    return [name.removesuffix(".yaml") for name in names if name.endswith(".yaml")]


def _read(place: Mapping[str, Sequence[str]] | None) -> Place:
    place = place or {}
    following = place.get("next")
    return Place(
        None if following is None else tuple(following),
        tuple(place.get("needs", ())),
        tuple(place.get("closes", ())),
    )


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()
