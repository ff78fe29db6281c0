"""Vocabularies: concept ids with their display names, grammar and synonyms.

The terms live in ``ontology/vocab/*.yaml``; how each dataset spells them lives in
``ontology/maps/<dataset>.yaml``.  A source label is mapped to a concept or dropped
with a reason; a label that is in neither list is an error of the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ontology.errors import UserError
from ontology.yaml import read_yaml


@dataclass(frozen=True, slots=True)
class Term:
    """One concept.

    Attributes:
        id: lower-case identifier, stable for ever.
        display: what a person reads.
        phrase: display with its article where the grammar wants one.
        plural: whether the display name takes a plural verb ("the scissors are").
        third, gerund: inflections of verbs, empty for nouns.
        synonyms: other spellings, used when answers are parsed.
    """

    id: str
    display: str
    phrase: str
    plural: bool = False
    third: str = ""
    gerund: str = ""
    synonyms: tuple[str, ...] = ()

    @property
    def article_phrase(self) -> str:
        """With an indefinite article ('a grasper', 'an adhesion'); plural without one."""
        if self.plural:
            return self.display
        return f"{'an' if self.display[0].lower() in 'aeiou' else 'a'} {self.display}"


KINDS = ("instruments", "verbs", "targets", "phases")


@cache
def vocabulary(kind: str) -> Mapping[str, Term]:
    """All terms of one kind (``instruments``, ``verbs``, ``targets``, ``phases``) by id."""
    raw = load_data("vocab", kind)
    return {key: _term(key, entry) for key, entry in raw.items()}


def _term(key: str, entry: Mapping[str, Any]) -> Term:
    display = entry.get("display") or entry["base"]
    return Term(
        id=key,
        display=display,
        phrase=entry.get("phrase", f"the {display}"),
        plural=entry.get("number") == "plural",
        third=entry.get("third", ""),
        gerund=entry.get("gerund", ""),
        synonyms=tuple(entry.get("synonyms", ())),
    )


@cache
def label_map(dataset: str) -> Mapping[str, Mapping[str, Any]]:
    """Source label -> concept id or ``{'drop': reason}``, per kind of label."""
    return load_data("maps", dataset)


@cache
def load_data(folder: str, name: str) -> Mapping[str, Any]:
    """Parse ``ontology/<folder>/<name>.yaml``; unknown names list the known ones."""
    base = resources.files("ontology") / folder
    path = base / f"{name}.yaml"
    if not path.is_file():
        known = sorted(p.name.removesuffix(".yaml") for p in base.iterdir())
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


def boundary_margin() -> float:
    """Relative distance from a class boundary below which a word is not asserted."""
    return float(load_data("vocab", "speeds")["margin"])
