"""What a concept is a kind of: groups over each vocabulary, in the manner of MeSH and SNOMED CT.

The data are ``ontology/vocab/parents.yaml``.  Groups are no labels: no dataset uses them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ontology.concepts import load_data
from ontology.errors import UserError


@dataclass(frozen=True, slots=True)
class Group:
    """A group of concepts.

    Attributes:
        parent: id of the group above it, '' for a root.
        mesh: MeSH heading of the same meaning, '' where there is none.
        members: concepts directly in it.
    """

    id: str
    display: str
    parent: str
    mesh: str
    members: tuple[str, ...]


@cache
def groups(kind: str) -> Mapping[str, Group]:
    """The groups over a vocabulary by id; those above stand before those below.

    Raises:
        UserError: a kind without groups.
    """
    entries = _entries(kind)["groups"].items()
    return {
        key: Group(key, e["display"], e.get("in", ""), e.get("mesh", ""), tuple(e["of"]))
        for key, e in entries
    }


def kinds() -> tuple[str, ...]:
    """Kinds of :data:`~ontology.concepts.LABEL_KINDS` that have groups."""
    return tuple(key for key in load_data("vocab", "parents") if key != "version")


def parents(kind: str, concept: str) -> tuple[str, ...]:
    """Groups that a concept, or a group, belongs to, the nearest first; () for one of none."""
    known, out = groups(kind), []
    above = known[concept].parent if concept in known else _homes(kind).get(concept, "")
    while above:
        out.append(above)
        above = known[above].parent
    return tuple(out)


def is_a(kind: str, concept: str, group: str) -> bool:
    """Whether a concept, or a group, belongs to a group, directly or not."""
    return group in parents(kind, concept)


def members(kind: str, group: str) -> tuple[str, ...]:
    """All concepts of a group and of those below it, in the order of the file."""
    known = groups(kind)
    inside = (one for key, one in known.items() if key == group or is_a(kind, key, group))
    return tuple(concept for one in inside for concept in one.members)


def related(kind: str, concept: str) -> tuple[str, ...]:
    """Other concepts from the nearest group outwards: the likeliest to be taken for it."""
    found = (other for group in parents(kind, concept) for other in members(kind, group))
    return tuple(dict.fromkeys(other for other in found if other != concept))


def heading(kind: str, concept: str) -> str:
    """MeSH heading of a concept or of the nearest group that has one, '' if none has."""
    own = _entries(kind).get("mesh", {}).get(concept, "")
    known = groups(kind)
    above = (known[key].mesh for key in (concept, *parents(kind, concept)) if key in known)
    return own or next(filter(None, above), "")


def _entries(kind: str) -> Mapping[str, Mapping]:
    if kind not in kinds():
        raise UserError(f"ontology: no groups of {kind!r}", expected=", ".join(kinds()), found=kind)
    return load_data("vocab", "parents")[kind]


@cache
def _homes(kind: str) -> Mapping[str, str]:
    return {concept: one.id for one in groups(kind).values() for concept in one.members}
