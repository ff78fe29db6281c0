"""Words of the ontology that a template may use: concepts of each domain, and scales."""

from __future__ import annotations

from functools import cache

from surgqa.ontology.concepts import KINDS, LABEL_KINDS, load_data
from surgqa.ontology.kinds import ANY, kind_names, terms_of

SCALES = ("ninths",)
"""Scales that are no list of words with rising lower bounds."""

DOMAINS = (*dict.fromkeys(kind.removesuffix("s") for kind in (*KINDS, *LABEL_KINDS)),
           "effect", "cue", "force", "reason")  # fmt: skip


def known_word(text: str, domain: str) -> bool:
    """True if a word is a concept of a domain; any concept if the domain has no closed list."""
    if domain == "kind":
        return text in kind_names()
    known = terms_of(domain) if domain not in ("", ANY) else ()
    return text in known if known else (bool(domain) and domain != ANY) or text in every_concept()


@cache
def every_concept() -> frozenset[str]:
    """Return all concept ids of the ontology."""
    return frozenset(term for domain in DOMAINS for term in terms_of(domain))


@cache
def scales() -> tuple[str, ...]:
    """Return the names of all scales for the operator ``word``, except the scales of ratings."""
    data = load_data("vocab", "speeds")
    return (*(name for name, rows in data.items() if isinstance(rows, list)), *SCALES)
