"""Vocabularies: concept ids with their display names, grammar and synonyms.

General terms of a kind are in ``ontology/vocab/<kind>.yaml``; terms of one surgical field are in
``ontology/vocab/<kind>/<field>.yaml``.  ``ontology/maps/<dataset>.yaml`` maps each label of a
dataset to a concept, or states why it is dropped.  A label without an entry is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from surgqa.ontology.errors import NameTaken, UnknownName
from surgqa.ontology.plugins import DATASETS, offered
from surgqa.ontology.yaml import read_yaml


@dataclass(frozen=True, slots=True)
class Term:
    """A concept, such as the grasper, with its names and grammatical forms.

    Attributes:
        id: lower-case identifier that never changes.
        display: name for people.
        phrase: display name with an article, if it needs one.
        plural: whether verbs after the display name are plural ("the scissors are").
        mass: True for a noun that is not countable and takes no indefinite article ("smoke").
        unique: True if a frame contains at most one instance, so that the article is always
            definite ("is the pylorus in view?").
        third, gerund: forms of a verb; empty for nouns.
        clause, asks: the meaning as a clause ("the mucosa looks normal") and as a question ("does
            the mucosa look normal"); empty if the wording in ``ontology/kinds`` is right.
        synonyms: other names, used to parse answers.
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
        """The phrase at the first mention: 'a grasper', 'an adhesion', 'smoke', 'the pylorus'."""
        if self.unique:
            return self.phrase
        if self.plural or self.mass:
            return self.display
        return f"{'an' if _VOWEL.match(self.display) else 'a'} {self.display}"


_VOWEL = re.compile(r"(?!eu|ure|uri|ute|uti|use|usu|uni(?![dnm]))[aeiou]", re.IGNORECASE)
"""Matches a word that starts with a vowel sound: 'ulcer', 'unidentified shaft'; not 'ureter'."""


KINDS = ("instruments", "verbs", "targets", "phases")
"""Kinds of labels in event tuples, from which SurgSTU questions are made."""

LABEL_KINDS = (
    *KINDS,
    "steps", "gestures", "actions", "findings", "landmarks", "structures", "conditions",
    "events", "motions", "ratings", "counts", "experiences", "next_actions",
)  # fmt: skip
"""Every kind of label that a reader may return, in the plural; maps use the singular."""


@cache
def vocabulary(kind: str) -> Mapping[str, Term]:
    """Return all terms of one kind (of :data:`LABEL_KINDS`) by id, including those of all fields.

    Raises:
        UserError: there is no such kind, or two files contain the same id.
    """
    return {key: _term(key, entry) for key, entry in raw_terms(kind).items()}


@cache
def raw_terms(kind: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the entries of a vocabulary by id, as they are in its files."""
    out: dict[str, Mapping[str, Any]] = {}
    for name in vocabulary_files(kind):
        for key, entry in load_data("vocab", name).items():
            if key in out:
                raise NameTaken(
                    f"{kind}: {key!r} is in two files",
                    where=f"ontology/vocab/{name}.yaml",
                    fix="keep one of them",
                )
            out[key] = entry
    return out


@cache
def core_vocabulary(kind: str) -> Mapping[str, Term]:
    """Return the terms of ``ontology/vocab/<kind>.yaml``, which belong to no surgical field."""
    return {key: _term(key, entry) for key, entry in load_data("vocab", kind).items()}


def vocabulary_files(kind: str) -> list[str]:
    """Return the names of a kind's files under ``ontology/vocab``, the general one first."""
    base = resources.files("surgqa.ontology") / "vocab"
    own = [kind] if (base / f"{kind}.yaml").is_file() else []
    folder = base / kind
    fields = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    more = [f"{kind}/{n.removesuffix('.yaml')}" for n in fields if n.endswith(".yaml")]
    if not own and not more:
        raise UnknownName(
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
    """Return, for each kind of label and source label, the concept id, or ``{'drop': reason}``.

    If the dataset is from another package, this is the file ``map.yaml`` of that package.  A
    dataset that is described by one file has it under ``labels`` there.
    """
    shipped = resources.files("surgqa.ontology") / "maps" / f"{dataset}.yaml"
    whole = resources.files("surgqa") / "transforms" / "readers" / dataset / "dataset.yaml"
    if not shipped.is_file() and whole.is_file():
        return read_yaml(whole.read_text(encoding="utf-8"), f"{dataset}/dataset.yaml").data[
            "labels"
        ]
    own = () if shipped.is_file() else offered(DATASETS)
    for module in (point.module for point in own if point.name == dataset):
        for name in ("map.yaml", "dataset.yaml"):
            file = resources.files(module) / name
            if file.is_file():
                data = read_yaml(file.read_text(encoding="utf-8"), f"{module}/{name}").data
                return data if name == "map.yaml" else data["labels"]
    return load_data("maps", dataset)


@cache
def load_data(folder: str, name: str) -> Mapping[str, Any]:
    """Parse ``ontology/<folder>/<name>.yaml``; the error for an unknown name lists all names."""
    base = resources.files("surgqa.ontology") / folder
    path = base.joinpath(*f"{name}.yaml".split("/"))
    if not path.is_file():
        known = sorted(p.name.removesuffix(".yaml") for p in base.iterdir() if p.is_file())
        raise UnknownName(
            f"ontology: no {folder} file named {name!r}", expected=", ".join(known), found=name
        )
    return read_yaml(path.read_text(encoding="utf-8"), f"ontology/{folder}/{name}.yaml").data


@dataclass(frozen=True, slots=True)
class WordScale:
    """Words for ranges of a measured value; a word applies from its bound up to the next bound."""

    words: tuple[str, ...]
    bounds: tuple[float, ...]

    def word(self, value: float) -> str:
        """Return the word of the range that contains the value."""
        index = sum(value >= bound for bound in self.bounds) - 1
        return self.words[max(index, 0)]


@cache
def scale(name: str) -> WordScale:
    """Return the scale ``speed`` (per second) or ``path``; the frame is 1 wide and 1 high."""
    rows = load_data("vocab", "speeds")[name]
    return WordScale(tuple(row["word"] for row in rows), tuple(float(row["from"]) for row in rows))
