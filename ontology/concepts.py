"""Vocabularies: concept ids with their display names, grammar and synonyms.

The terms of a kind live in ``ontology/vocab/<kind>.yaml`` and, where they belong to one
field of surgery, in ``ontology/vocab/<kind>/<field>.yaml``; how each dataset spells them
lives in ``ontology/maps/<dataset>.yaml``.  A source label is mapped to a concept or dropped
with a reason; a label that is in neither list is an error of the source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ontology.errors import UserError
from ontology.plugins import DATASETS, offered
from ontology.yaml import read_yaml


@dataclass(frozen=True, slots=True)
class Term:
    """One concept.

    Attributes:
        id: lower-case identifier, stable for ever.
        display: what a person reads.
        phrase: display with its article where the grammar wants one.
        plural: whether the display name takes a plural verb ("the scissors are").
        mass: whether it takes no indefinite article, as what is not counted ("smoke").
        unique: whether there is one of it in a picture, so that it keeps its definite
            article where others have an indefinite one ("is the pylorus in view?").
        third, gerund: inflections of verbs, empty for nouns.
        clause, asks: what it means as a clause ("the mucosa looks normal") and the same as a
            question ("does the mucosa look normal"), empty where the kind's own words fit.
        synonyms: other spellings, used when answers are parsed.
    """

    id: str
    display: str
    phrase: str
    plural: bool = False
    third: str = ""
    gerund: str = ""
    synonyms: tuple[str, ...] = ()
    mass: bool = False
    unique: bool = False
    clause: str = ""
    asks: str = ""

    @property
    def article_phrase(self) -> str:
        """As a sentence names it first: 'a grasper', 'an adhesion', 'smoke', 'the pylorus'."""
        if self.unique:
            return self.phrase
        if self.plural or self.mass:
            return self.display
        return f"{'an' if _VOWEL.match(self.display) else 'a'} {self.display}"


_VOWEL = re.compile(r"(?!eu|ure|uri|ute|uti|use|usu|uni(?![dnm]))[aeiou]", re.IGNORECASE)
"""Begins with the sound of a vowel: an ulcer and an unidentified shaft, but a ureter."""


KINDS = ("instruments", "verbs", "targets", "phases")
"""Kinds of the event tuples that questions of SurgSTU are about."""

LABEL_KINDS = (
    *KINDS,
    "steps", "gestures", "actions", "findings", "landmarks", "structures", "conditions",
    "events", "motions", "ratings", "counts", "experiences", "next_actions",
)  # fmt: skip
"""Every kind of label that a reader may give; a map's kind is the same without its s."""


@cache
def vocabulary(kind: str) -> Mapping[str, Term]:
    """All terms of one kind (of :data:`LABEL_KINDS`) by id, those of every field together.

    Raises:
        UserError: no such kind, or two files have one id.
    """
    return {key: _term(key, entry) for key, entry in raw_terms(kind).items()}


@cache
def raw_terms(kind: str) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a vocabulary as they stand in its files, by id."""
    out: dict[str, Mapping[str, Any]] = {}
    for name in vocabulary_files(kind):
        for key, entry in load_data("vocab", name).items():
            if key in out:
                raise UserError(
                    f"{kind}: {key!r} stands in two files",
                    where=f"ontology/vocab/{name}.yaml",
                    fix="keep one of them",
                )
            out[key] = entry
    return out


@cache
def core_vocabulary(kind: str) -> Mapping[str, Term]:
    """The terms of ``ontology/vocab/<kind>.yaml`` alone: those of no particular field."""
    return {key: _term(key, entry) for key, entry in load_data("vocab", kind).items()}


def vocabulary_files(kind: str) -> list[str]:
    """Names of a kind's files under ``ontology/vocab``, the general one first."""
    base = resources.files("ontology") / "vocab"
    own = [kind] if (base / f"{kind}.yaml").is_file() else []
    folder = base / kind
    fields = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    more = [f"{kind}/{n.removesuffix('.yaml')}" for n in fields if n.endswith(".yaml")]
    if not own and not more:
        raise UserError(
            f"ontology: no vocabulary of {kind!r}", expected=", ".join(LABEL_KINDS), found=kind
        )
    return own + more


def _term(key: str, entry: Mapping[str, Any]) -> Term:
    display = entry.get("display") or entry["base"]
    return Term(
        id=key,
        display=display,
        phrase=entry.get("phrase", display if entry.get("mass") else f"the {display}"),
        plural=entry.get("number") == "plural",
        mass=bool(entry.get("mass")),
        unique=bool(entry.get("unique")),
        clause=entry.get("clause", ""),
        asks=entry.get("asks", ""),
        third=entry.get("third", ""),
        gerund=entry.get("gerund", ""),
        synonyms=tuple(entry.get("synonyms", ())),
    )


@cache
def label_map(dataset: str) -> Mapping[str, Mapping[str, Any]]:
    """Source label -> concept id or ``{'drop': reason}``, per kind of label.

    That of another package's dataset is the file ``map.yaml`` of its package.
    """
    shipped = resources.files("ontology") / "maps" / f"{dataset}.yaml"
    own = () if shipped.is_file() else offered(DATASETS)
    for module in (point.module for point in own if point.name == dataset):
        file = resources.files(module) / "map.yaml"
        if file.is_file():
            return read_yaml(file.read_text(encoding="utf-8"), f"{module}/map.yaml").data
    return load_data("maps", dataset)


@cache
def load_data(folder: str, name: str) -> Mapping[str, Any]:
    """Parse ``ontology/<folder>/<name>.yaml``; unknown names list the known ones."""
    base = resources.files("ontology") / folder
    path = base.joinpath(*f"{name}.yaml".split("/"))
    if not path.is_file():
        known = sorted(p.name.removesuffix(".yaml") for p in base.iterdir() if p.is_file())
        raise UserError(
            f"ontology: no {folder} file named {name!r}", expected=", ".join(known), found=name
        )
    return read_yaml(path.read_text(encoding="utf-8"), f"ontology/{folder}/{name}.yaml").data


@dataclass(frozen=True, slots=True)
class WordScale:
    """Words for ranges of a measured value; each word holds from its bound to the next."""

    words: tuple[str, ...]
    bounds: tuple[float, ...]

    def word(self, value: float) -> str:
        """The word whose range holds the value."""
        index = sum(value >= bound for bound in self.bounds) - 1
        return self.words[max(index, 0)]


@cache
def scale(name: str) -> WordScale:
    """``speed`` (normalised units per second) or ``path`` (normalised units)."""
    rows = load_data("vocab", "speeds")[name]
    return WordScale(tuple(row["word"] for row in rows), tuple(float(row["from"]) for row in rows))
