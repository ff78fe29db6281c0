"""The forms that a label has in sentences, read from the data files of the vocabularies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from surgqa.ontology.concepts import LABEL_KINDS, load_data, raw_terms
from surgqa.ontology.kinds import kind

_SOUNDS_LIKE_A_CONSONANT = ("eu", "ure", "uri", "ute", "uti", "use", "usu")
_VOWEL_AFTER_UNI = ("d", "n", "m")


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of one label in sentences, such as "dissect", "dissects" and "dissecting".

    Attributes:
        name, the, a: "grasper", "the grasper", "a grasper".
        plural: whether the label takes a plural verb.
        third, gerund: forms of a verb; '' for other labels.
        clause, asks: a clause ("the mucosa looks normal") and a question for the label; '' if the
            file of the kind has the words.
    """

    name: str
    the: str
    a: str
    plural: bool = False
    third: str = ""
    gerund: str = ""
    clause: str = ""
    asks: str = ""

    @property
    def many(self) -> str:
        """Return the plural, such as "graspers" or "scissors"."""
        return self.name if self.plural else f"{self.name}s"

    def verb(self, form: str) -> str:
        """Return the ``base``, ``third`` person or ``gerund`` of a verb."""
        return {"base": self.name, "third": self.third, "gerund": self.gerund}[form] or self.name


@cache
def forms(label: str, domain: str = "") -> Forms:
    """Return the forms of a label.

    If no vocabulary has the label, the forms are made from its id.

    Args:
        domain: the vocabulary that is searched first, in the singular.
    """
    for name in sorted(LABEL_KINDS, key=lambda one: one != f"{domain}s"):
        entry = raw_terms(name).get(label)
        if entry is not None:
            return _of_entry(entry)
    words = label.replace("_", " ")
    return Forms(words, f"the {words}", _first_named(words))


def _of_entry(entry: Mapping[str, Any]) -> Forms:
    name = str(entry.get("display") or entry["base"])
    bare = bool(entry.get("mass"))
    plural = entry.get("number") == "plural"
    the = str(entry.get("phrase") or (name if bare else f"the {name}"))
    a = the if entry.get("unique") else name if bare or plural else _first_named(name)
    rest = {key: str(entry.get(key, "")) for key in ("third", "gerund", "clause", "asks")}
    return Forms(name, the, a, plural, **rest)


def _first_named(name: str) -> str:
    """Return a name with "a" or "an", as its first sound requires."""
    word = name.lower()
    vowel = word[:1] in tuple("aeiou") and not word.startswith(_SOUNDS_LIKE_A_CONSONANT)
    if word.startswith("uni"):
        vowel = word[3:4] in _VOWEL_AFTER_UNI
    return f"an {name}" if vowel else f"a {name}"


@cache
def _spelt(label: str, domain: str) -> tuple[str, ...]:
    named = forms(label, domain)
    vocabularies = sorted(LABEL_KINDS, key=lambda one: one != f"{domain}s")
    entries = (raw_terms(name).get(label) for name in vocabularies)
    entry = next((one for one in entries if one is not None), {})
    conjugated = (named.gerund, named.third) if domain == "verb" else ()
    every = (named.name, *conjugated, *entry.get("synonyms", ()))
    return tuple(dict.fromkeys(one for one in every if one))


def spellings(label: str, domain: str) -> list[str]:
    """Return all accepted spellings of a label, its name first; a verb also in other forms."""
    return list(_spelt(label, domain))


@cache
def effect_text(effect: str, name: str = "it") -> str:
    """Return what an effect does to a target, such as "divides it into separate parts", or ''."""
    entry = load_data("knowledge", "effects")["effects"].get(effect)
    return "" if entry is None else str(entry["text"]).replace("{target}", name)


@cache
def reasons() -> Mapping[str, str]:
    """Return rule id -> the sentence that states why one action comes before another."""
    bank = load_data("knowledge", "rules")
    return {name: str(rule["reason"]) for rules in (*bank["operations"].values(), bank["any"])
            for name, rule in rules.items()}  # fmt: skip


@cache
def own_words(label: str, of: str, form: str) -> str:
    """Return special words for a form of a label, from the kind's or vocabulary's file, or ''."""
    said = kind(of).terms.get(label, {})
    if form in said:
        return said[form]
    words = forms(label, kind(of).fields.get("label", of)) if label else None
    return {"clause": words.clause, "asks": words.asks}.get(form, "") if words else ""
