"""Wording of labels: the form of a term that a sentence needs, from any vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from surgqa.ontology.concepts import LABEL_KINDS, Term, vocabulary
from surgqa.ontology.kinds import kind
from surgqa.ontology.knowledge import effect_text


@cache
def term(label: str, domain: str = "") -> Term:
    """Return the term of a concept id; if no vocabulary has it, a term made from the id's words."""
    wanted = f"{domain}s"
    order = sorted(LABEL_KINDS, key=lambda name: name != wanted)
    for name in order:
        found = vocabulary(name).get(label)
        if found is not None:
            return found
    text = label.replace("_", " ")
    return Term(label, text, f"the {text}")


def label_of(thing: Any) -> str:
    """Return the concept id of a value: a label itself, or the label of a fact or a track."""
    if isinstance(thing, Mapping):
        return str(thing.get("label") or thing.get("subject") or thing.get("verb") or "")
    return str(thing)


def act_words(act: Mapping[str, Any], form: str) -> str:
    """Return an action in words: ``base`` ('dissect the cystic duct'), ``third`` or ``gerund``."""
    verb = term(act["verb"], "verb")
    done = {"base": verb.display, "third": verb.third, "gerund": verb.gerund}[form] or verb.display
    target = act.get("target")
    return f"{done} {term(target, 'target').phrase}" if target else done


def fact_words(fact: Mapping[str, Any], of: str, form: str) -> str:
    """Return a fact in its kind's words: ``noun``, ``clause``, ``asks``, ``begins``, ``gerund``."""
    return _said(*map(fact.get, FIELDS), of, form)


FIELDS = ("label", "subject", "verb", "target")
"""Fields of a fact that the words of its kind can refer to."""


@lru_cache(maxsize=1 << 14)
def _said(
    label: str | None, subject: str | None, verb: str | None, target: str | None, of: str,
    form: str,
) -> str:  # fmt: skip
    fact = {"label": label, "subject": subject, "verb": verb, "target": target}
    text = own_words(label or "", of, form) or kind(of).words[form]
    return " ".join(text.format_map(_Forms(fact)).split())


def own_words(label: str, of: str, form: str) -> str:
    """Return a label's own wording, which replaces that of its kind; '' if it has none."""
    described = kind(of)
    mine = described.terms.get(label, {}).get(form, "")
    if mine or not label or form not in ("clause", "asks"):
        return mine
    own = term(label, described.fields.get("label", of))
    return own.clause if form == "clause" else own.asks


AGREE = {"is": "are", "does": "do", "begins": "begin", "comes": "come", "touches": "touch",
         "changes": "change"}  # fmt: skip
"""Verbs that occur in the words of kinds: singular -> plural."""


class _Forms(dict):
    """The forms of a fact's labels, by the placeholders in the wording of its kind."""

    def __init__(self, fact: Mapping[str, Any]) -> None:
        label = label_of(fact)
        noun = term(label)
        subject = fact.get("subject")
        who = term(subject, "instrument") if subject else None
        where = term(fact["target"], "target").phrase if fact.get("target") else ""
        plural = who.plural if who else noun.plural
        super().__init__(
            name=noun.display, a=noun.article_phrase, the=noun.phrase,
            subject=who.phrase if who else "the surgeon",
            target=where,
            effect=effect_text(label, where or "it"),
            **{one: many if plural else one for one, many in AGREE.items()},
        )  # fmt: skip
        if fact.get("verb"):
            verb = term(fact["verb"], "verb")
            self.update(base=verb.display, gerund=verb.gerund or verb.display,
                        third=verb.display if plural else verb.third or verb.display)  # fmt: skip

    def __missing__(self, key: str) -> str:
        return ""
