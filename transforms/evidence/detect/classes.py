"""Map the class names of a detector to concepts of the ontology.

A class map gives each class a concept of the ontology, or drops it with a reason.  A name that
neither the ontology nor the class map knows is an error, so no detection disappears unreported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.errors import FieldInvalid, FileMissing, UserError
from surgqa.ontology.yaml import read_yaml

INSTRUMENT, TISSUE = "instrument", "tissue"
VISIBILITIES = ("full", "partial", "occluded")
STATES = ("intact", "clipped", "divided", "bleeding")

_KINDS = ((INSTRUMENT, "instruments"), (TISSUE, "targets"))
_NOTHING = "null_target"
"""The concept for "no target"; it cannot be seen."""


@dataclass(frozen=True, slots=True)
class ClassMeaning:
    """The meaning of a class.

    Attributes:
        kind: ``instrument`` or ``tissue``.
        concept: id in the vocabulary of instruments or of targets.
        state: ``intact``, ``clipped``, ``divided``, ``bleeding``, or None if the class states none.
        visibility: ``full``, ``partial``, ``occluded``, or None if the class states none.
    """

    kind: str
    concept: str
    state: str | None = None
    visibility: str | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """A class whose boxes are left out, and the reason."""

    reason: str


ClassMap = Mapping[str, ClassMeaning | Dropped]
"""Class names as spelled in the weights -> their meanings."""


def read_class_map(path: Path) -> ClassMap:
    """Read a class map: a YAML file that maps class names to concepts.

    The value of a name is a concept (``Clipper: clipper``), a reason for dropping the class
    (``Trocar: {drop: not asked about}``) or a full meaning (``cd_cut: {kind: tissue, concept:
    cystic_duct, state: divided, visibility: partial}``).

    Raises:
        SourceMissing: the file does not exist.
        UserError: an entry has none of these forms; the error names its line.
    """
    if not path.is_file():
        raise FileMissing("no such class map file", expected="a YAML file", where=str(path))
    text = read_yaml(path.read_text(encoding="utf-8"), path.name)
    if not isinstance(text.data, dict):
        raise FieldInvalid(
            "a class map must map class names to concepts", expected="NAME: CONCEPT",
            where=path.name,
        )  # fmt: skip
    return {
        str(name): _entry(str(name), entry, f"{path.name}:{text.line((name,))}")
        for name, entry in text.data.items()
    }


def mapped(names: Sequence[str], given: ClassMap | None = None) -> list[ClassMeaning | Dropped]:
    """Return the meaning of each class of a detector.

    Args:
        names: class names of the detector, by number.
        given: a class map; for a class that it does not name, see :func:`understood`.

    Raises:
        UserError: a name is unknown, or the map has a name that the detector does not have.
    """
    given = given or {}
    strange = sorted(set(given) - set(names))
    if strange:
        raise FieldInvalid(
            "the class map has names that the detector does not have",
            expected=", ".join(names), found=", ".join(strange),
            fix="spell them as in the weights, or remove them",
        )  # fmt: skip
    out = [given.get(name) or understood(name) for name in names]
    unknown = [name for name, meaning in zip(names, out, strict=True) if meaning is None]
    if unknown:
        raise FieldInvalid(
            "the detector has classes that the ontology does not know",
            expected="names of instruments or targets, or a class map", found=", ".join(unknown),
            fix=f"in a class map, write '{unknown[0]}: CONCEPT' or "
            f"'{unknown[0]}: {{drop: REASON}}' for each",
        )  # fmt: skip
    return [meaning for meaning in out if meaning is not None]


def understood(name: str) -> ClassMeaning | None:
    """Return the meaning that the ontology gives to a class name, or None.

    The name may be an id, a display name or a synonym, in any case and punctuation.  State and
    visibility may follow: ``cystic_duct.clipped``, ``cystic duct (clipped, partial)``.
    """
    whole = _meaning(_plain(name), ())
    if whole is not None:
        return whole
    base, *more = [_plain(part) for part in re.split(r"[.,;:()\[\]]", name)]
    return _meaning(base, tuple(part for part in more if part))


def _meaning(base: str, more: tuple[str, ...]) -> ClassMeaning | None:
    known = _by_name().get(base)
    states = [part for part in more if part in STATES]
    seen = [part for part in more if part in VISIBILITIES]
    complete = len(states) + len(seen) == len(more) and len(states) < 2 and len(seen) < 2
    if known is None or not complete or (states and known[0] != TISSUE):
        return None
    return ClassMeaning(*known, states[0] if states else None, seen[0] if seen else None)


def _plain(name: str) -> str:
    return " ".join(re.split(r"[\s_/-]+", name.strip().lower())).strip()


@cache
def _by_name() -> Mapping[str, tuple[str, str]]:
    """Return spelling -> (kind, concept), without spellings that two concepts share."""
    names: dict[str, tuple[str, str]] = {}
    twice: set[str] = set()
    for kind, words in _KINDS:
        for concept, term in vocabulary(words).items():
            for spelling in {_plain(s) for s in (concept, term.display, *term.synonyms)}:
                if concept == _NOTHING:
                    continue
                if names.setdefault(spelling, (kind, concept)) != (kind, concept):
                    twice.add(spelling)
    return {name: known for name, known in names.items() if name not in twice}


def _entry(name: str, entry: Any, where: str) -> ClassMeaning | Dropped:
    if isinstance(entry, str):
        meaning = understood(entry)
        if meaning is not None:
            return meaning
        raise _wrong(name, "no such concept", entry, where)
    if isinstance(entry, dict) and set(entry) == {"drop"} and str(entry["drop"] or "").strip():
        return Dropped(str(entry["drop"]).strip())
    if not isinstance(entry, dict) or not set(entry) <= {"kind", "concept", "state", "visibility"}:
        raise _wrong(name, "the entry says neither a concept nor a reason to drop", entry, where)
    return _full(name, entry, where)


def _full(name: str, entry: Mapping[str, Any], where: str) -> ClassMeaning:
    kind, concept = entry.get("kind"), entry.get("concept")
    words = dict(_KINDS).get(str(kind))
    if words is None:
        raise _wrong(name, "kind must be instrument or tissue", kind, where)
    if concept not in vocabulary(words) or concept == _NOTHING:
        raise _wrong(name, f"no such concept among the {words}", concept, where)
    for key, allowed in (("state", STATES), ("visibility", VISIBILITIES)):
        if entry.get(key) not in (*allowed, None):
            raise _wrong(name, f"{key} must be one of {', '.join(allowed)}", entry[key], where)
    if kind == INSTRUMENT and entry.get("state"):
        raise _wrong(name, "only tissue can have a state", entry["state"], where)
    return ClassMeaning(str(kind), str(concept), entry.get("state"), entry.get("visibility"))


def _wrong(name: str, problem: str, found: Any, where: str) -> UserError:
    return FieldInvalid(
        f"class map, {name}: {problem}",
        expected="a concept id, {drop: REASON}, or {kind, concept, state, visibility}",
        found=str(found), where=where,
    )  # fmt: skip
