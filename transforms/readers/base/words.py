"""Convert words to concepts: of a dataset by its label map, of a user by ``labels:``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from surgqa.ontology.concepts import LABEL_KINDS, vocabulary
from surgqa.ontology.errors import FieldInvalid, UserError
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import Code
from surgqa.ontology.sections import Section

KINDS = tuple(kind.removesuffix("s") for kind in LABEL_KINDS)
SAME = "same"


def concept_of(
    kind: str, name: str, label_map: Mapping[str, Mapping[str, Any]]
) -> str | tuple[Code, str]:
    """Return the concept of a source label, or rejection code and reason if it has none."""
    entry = label_map.get(kind, {}).get(name)
    return entry if isinstance(entry, str) else _problem(kind, name, entry)


def fitting(found: str | tuple[Code, str]) -> str:
    """Return a concept; raise Unfit for a rejection."""
    if isinstance(found, str):
        return found
    raise Unfit(*found)


def _problem(kind: str, name: str, entry: Any) -> tuple[Code, str]:
    if isinstance(entry, Mapping):
        return Code.DROPPED_LABEL, f"{kind} {name!r} is left out: {entry.get('drop')}"
    return Code.UNKNOWN_LABEL, f"{kind} {name!r} is not in the label map"


@dataclass(frozen=True, slots=True)
class KindWords:
    """The user's words for one kind of label, and the concepts that they mean.

    Attributes:
        entries: for each folded word, the concept, or the reason for leaving it out.
        spelled: the words as written in the mapping, from which the nearest is suggested.
        open: True if concept ids, display names and synonyms of the ontology are words too.
        concepts: the concepts that were annotated, sorted; None if only the data show them.
    """

    kind: str
    entries: Mapping[str, str | tuple[str]]
    spelled: tuple[str, ...] = ()
    open: bool = False
    concepts: tuple[str, ...] | None = None
    file: str = ""

    def concept(self, word: str) -> str | tuple[Code, str]:
        """Return the concept of a word, or code and sentence if it has none."""
        entry = self.known(word)
        if isinstance(entry, str):
            return entry
        if entry is not None:
            return Code.DROPPED_LABEL, f"{self.kind} {word!r} is left out: {entry[0]}"
        several = names_of(self.kind).get(fold(word), ()) if self.open else ()
        near = self.near(word)
        hint = f"; near: {', '.join(near)}" if near else ""
        if several:
            hint = f"; it may mean {' or '.join(several)}"
        reason = f"{self.kind} {word!r} is not in labels.{self.kind} of {self.file}{hint}"
        return Code.UNKNOWN_LABEL, reason

    def known(self, word: str) -> str | tuple[str] | None:
        """Return the concept of a word; ``(reason,)`` if it is left out; None if it is unknown."""
        entry = self.entries.get(fold(word))
        if entry is None and self.open:
            meant = names_of(self.kind).get(fold(word), ())
            return meant[0] if len(meant) == 1 else None
        return entry

    def near(self, word: str) -> list[str]:
        """Return up to three known words that are spelled similarly."""
        names = {fold(name): name for name in self.spelled}
        if self.open:
            names |= {key: key for key in names_of(self.kind)}
        return [names[key] for key in difflib.get_close_matches(fold(word), sorted(names), n=3)]


@dataclass(frozen=True, slots=True)
class Mapped:
    """The words of one kind of a dataset, as its label map spells them.

    Attributes:
        map: the result of ``ontology.concepts.label_map``.
        names: for each code in a table, the word of the map; None if tables contain words.
        file: the file that lists the names.
    """

    kind: str
    map: Mapping[str, Mapping[str, Any]]
    names: Mapping[str, str] | None = None
    file: str = ""

    def concept(self, word: str) -> str | tuple[Code, str]:
        """Return the concept of a word, or rejection code and reason if it has none."""
        if self.names is None:
            return concept_of(self.kind, word, self.map)
        found: str | tuple[Code, str] = Code.UNKNOWN_LABEL, f"{self.kind} {word!r} has no meaning"
        if word in self.names:
            found = concept_of(self.kind, self.names[word], self.map)
        return found if isinstance(found, str) else (found[0], f"{found[1]} (see {self.file})")

    def known(self, word: str) -> str | tuple[str] | None:
        """Return the concept of a word; ``(reason,)`` if it is left out; None if it is unknown."""
        entry = self.map[self.kind].get((self.names or {}).get(word, word))
        return (str(entry.get("drop")),) if isinstance(entry, Mapping) else entry

    @property
    def spelled(self) -> tuple[str, ...]:
        """The dataset's own labels, in the order of the label map."""
        return tuple(self.map[self.kind])

    @property
    def concepts(self) -> tuple[str, ...]:
        """All concepts that are annotated, sorted."""
        entries = self.map[self.kind].values()
        return tuple(sorted({entry for entry in entries if isinstance(entry, str)}))


AllWords = Mapping[str, KindWords | Mapped]
"""Kind -> its words, and their concepts."""


def fold(word: str) -> str:
    """Return the words without case and punctuation: ``L-Hook `` -> ``l hook``."""
    return re.sub(r"[\W_]+", " ", word.casefold()).strip()


@cache
def names_of(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return, for each folded name of the concepts of a kind, the ids that it may mean.

    Ids take precedence over display names, and display names over synonyms. A name has several
    concepts only if none takes precedence.
    """
    terms = vocabulary(f"{kind}s")
    out: dict[str, tuple[str, ...]] = {fold(key): (key,) for key in terms}
    for names in (
        [(key, term.display) for key, term in terms.items()],
        [(key, synonym) for key, term in terms.items() for synonym in term.synonyms],
    ):
        level: dict[str, tuple[str, ...]] = {}
        for key, name in names:
            level[fold(name)] = (*level.get(fold(name), ()), key)
        for name, keys in level.items():
            out.setdefault(name, tuple(dict.fromkeys(keys)))
    return out


def words_of(top: Section, kinds: Sequence[str] = KINDS) -> dict[str, KindWords]:
    """Read ``labels:`` of the mapping: the words of each kind.

    A kind is given as ``{their word: concept}``, as a list of words that the ontology has, or as
    ``same``.

    Raises:
        UserError: an unknown kind or concept; names file and line.
    """
    labels = top.section("labels").closed(tuple(kinds))
    return {str(kind): _kind(labels, str(kind)) for kind in labels.data}


def _kind(labels: Section, kind: str) -> KindWords:
    given = labels.data[kind]
    try:
        names_of(kind)
    except UserError:
        labels.wrong(kind, "a kind that the ontology has words for", found=kind)
    if given == SAME:
        return KindWords(kind, {}, open=True, file=labels.file)
    if isinstance(given, list):
        pairs = [(str(word), word, labels.where(kind, n)) for n, word in enumerate(given)]
    elif isinstance(given, Mapping) and given:
        inner = labels.section(kind)
        pairs = [(str(word), entry, inner.where(word)) for word, entry in given.items()]
    else:
        labels.wrong(kind, "{their word: concept}, a list of words, or same")
    entries = {fold(word): _entry(kind, word, entry, where) for word, entry, where in pairs}
    concepts = tuple(sorted({entry for entry in entries.values() if isinstance(entry, str)}))
    return KindWords(
        kind, entries, tuple(word for word, _, _ in pairs), False, concepts, labels.file
    )


def _entry(kind: str, word: str, entry: Any, where: str) -> str | tuple[str]:
    if isinstance(entry, Mapping) and list(entry) == ["drop"] and isinstance(entry["drop"], str):
        return (entry["drop"],)
    names = names_of(kind)
    known = names.get(fold(entry), ()) if isinstance(entry, str) else ()
    if len(known) == 1:
        return known[0]
    close = difflib.get_close_matches(fold(str(entry)), sorted(names), n=3)
    meant = known or tuple(dict.fromkeys(key for name in close for key in names[name]))
    others = [one for one in KINDS if one != kind and fold(str(entry)) in names_of(one)]
    raise FieldInvalid(
        f"several {kind}s of the ontology are called {entry!r}" if known
        else f"no {kind} of the ontology is called {entry!r}",
        expected="a concept's id, or {drop: REASON}", found=f"{word}: {entry}", where=where,
        fix=f"did you mean {' or '.join(meant)}?" if meant
        else f"{entry} is a word for {' and '.join(others)}: move it, or write {{drop: REASON}}"
        if others
        else f"choose from ontology/vocab/{kind}s, or leave the word out with {{drop: REASON}}",
    )  # fmt: skip
