"""The filters that print a value in a wording, such as ``the`` in ``{{ tool | the }}``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.algebra.types import Type, element


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter: the types of values that it accepts, and what it prints.

    Attributes:
        accepts: names of types, or ``type of domain`` if only one domain is accepted.
        doc: example of what the filter prints.
        members: types that the elements of a set or sequence may have; empty: any.
    """

    accepts: tuple[str, ...]
    doc: str
    members: tuple[str, ...] = ()


_FILE = "filters.yaml"


def _read() -> Mapping[str, Filter]:
    data = read_yaml((resources.files(__package__) / _FILE).read_text("utf-8"), _FILE).data
    groups = data["groups"]
    return {
        name: Filter(
            tuple(t for one in entry["takes"] for t in groups.get(one, [one])),
            entry["prints"],
            tuple(entry.get("of", ())),
        )
        for name, entry in data["filters"].items()
    }


FILTERS = _read()


def takes(name: str, given: Type) -> bool:
    """True if the filter accepts values of this type."""
    accepts, members = FILTERS[name].accepts, FILTERS[name].members
    if members and given.of not in ("", "?") and element(given).name not in members:
        return False
    if given.name in accepts or str(given) in accepts:
        return True
    return not given.of and any(a.startswith(f"{given.name} of ") for a in accepts)


def filters_for(given: Type) -> tuple[str, ...]:
    """Return the names of all filters that accept this type."""
    return tuple(name for name in FILTERS if takes(name, given))
