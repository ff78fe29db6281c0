"""Implements the filters of templates a second time. A filter turns a value into text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

from surgqa.ontology.kinds import kind
from surgqa.transforms.checks.proof.numbers import amount, box, fixed, seconds, when
from surgqa.transforms.checks.proof.terms import Forms, effect_text, forms, own_words, reasons


@dataclass(slots=True)  # not frozen: one is made for every row
class Page:
    """What the text of a value depends on besides the value.

    Attributes:
        zero_us: the time from which seconds are counted, in microseconds.
        track_words: for each track, the words that distinguish it from others of its class; a
            track that cannot be distinguished is missing.
        domain: kind of fact or vocabulary that the value belongs to.
        shown: times of the images that the item shows, in the order of their letters.
    """

    zero_us: int = 0
    track_words: Mapping[str, str] = field(default_factory=dict)
    domain: str = ""
    shown: Sequence[int] = ()
    _on: dict[str, Page] = field(default_factory=dict, repr=False, compare=False)

    def on(self, domain: str) -> Page:
        """Return a page that differs only in the domain; cached."""
        found = self._on.get(domain)
        if found is None:
            found = self._on[domain] = Page(self.zero_us, self.track_words, domain, self.shown)
        return found


Printed = Callable[[Any, Page], str]


def printed(name: str, type_name: str, value: Any, page: Page) -> str:
    """Return the text that a filter gives for a value.

    Args:
        type_name: type of the value, such as "duration".

    Raises:
        KeyError, TypeError, ValueError, IndexError: the filter does not accept the value.
    """
    if name == "clock" and type_name == "duration":
        return seconds(int(amount(value)))
    return FILTERS[name](value, page)


def named_by(value: Any) -> str:
    """Return the label that names a value: the label of a fact, or the verb of an action."""
    if isinstance(value, dict):
        return next((str(value[k]) for k in ("label", "subject", "verb") if value.get(k)), "")
    return str(value)


def _forms(value: Any, page: Page) -> Forms:
    return forms(named_by(value), page.domain)


def _side(value: Any, page: Page) -> str:
    track = value.get("track") if isinstance(value, dict) else None
    return page.track_words[track] if track else ""


def act(value: Mapping[str, Any], form: str) -> str:
    """Return a verb with its target, such as "dissect the cystic duct"."""
    done = forms(value["verb"], "verb").verb(form)
    target = value.get("target")
    return f"{done} {forms(target, 'target').the}" if target else done


def _span(value: Mapping[str, Any], page: Page) -> str:
    start, end = (value.get(f"{side}_us", value.get(side)) for side in ("start", "end"))
    return f"{seconds(when(start) - page.zero_us)} to {seconds(when(end) - page.zero_us)}"


def _sentence(form: str) -> Printed:
    """Return a filter that prints a fact or label in the given form."""

    def said(value: Any, page: Page) -> str:
        if isinstance(value, dict) and set(value) == {"verb", "target"}:
            return act(value, "gerund")
        if form == "noun" and not isinstance(value, dict):
            return _forms(value, page).the
        fact = value if isinstance(value, dict) else {"label": value}
        own = own_words(fact.get("label") or "", page.domain, form)
        words = own or kind(page.domain).words[form]
        for name, text in _words_of(fact).items():
            words = words.replace(f"{{{name}}}", text)
        return " ".join(words.split())

    return said


def _words_of(fact: Mapping[str, Any]) -> dict[str, str]:
    mine = forms(named_by(fact))
    who = forms(fact["subject"], "instrument") if fact.get("subject") else None
    many = who.plural if who else mine.plural
    out = {
        "name": mine.name, "a": mine.a, "the": mine.the,
        "subject": who.the if who else "the surgeon",
        "target": forms(fact["target"], "target").the if fact.get("target") else "",
        "is": "are" if many else "is", "does": "do" if many else "does",
        "begins": "begin" if many else "begins", "comes": "come" if many else "comes",
        "touches": "touch" if many else "touches", "changes": "change" if many else "changes",
    }  # fmt: skip
    verb = forms(fact["verb"], "verb") if fact.get("verb") else None
    if verb:
        out["base"], out["gerund"] = verb.name, verb.verb("gerund")
        out["third"] = verb.name if many else verb.verb("third")
    out["effect"] = effect_text(named_by(fact), out["target"] or "it")
    return {"base": "", "gerund": "", "third": "", **out}


def _agreeing(one: str, several: str) -> Printed:
    return lambda value, page: several if _forms(value, page).plural else one


def _counted(one: str, several: str) -> Printed:
    def said(value: Any, _page: Page) -> str:
        n = int(amount(value))
        return f"{n} {one if n == 1 else several}"

    return said


def _times(value: Any, _page: Page) -> str:
    n = int(amount(value))
    return ("once", "twice")[n - 1] if n in (1, 2) else f"{n} times"


def _signed(value: Any, _page: Page) -> str:
    text = fixed(amount(value), 2)
    return text if text.startswith("-") else f"+{text}"


def _element(one: Any, page: Page) -> str:
    if page.domain == "act":
        if isinstance(one, str):
            verb, _, target = one.partition(",")
            one = {"verb": verb, "target": target or None}
        return act(one, "gerund")
    return _forms(one, page).name


def _line(one: Mapping[str, Any], page: Page) -> str:
    parts = []
    if "start" in one:
        alone = "end" not in one
        parts.append(seconds(when(one["start"]) - page.zero_us) if alone else _span(one, page))
    if one.get("verb"):
        parts.append(act(one, "base"))
    parts += [box(one[name]) for name in ("start_box", "end_box") if one.get(name)]
    who = one.get("track")
    if who:
        side = page.track_words.get(who.get("track") or "", "")
        parts[:1] = [f"{_forms(who, page).name}{side}: {parts[0]}"] if parts else []
    return ", ".join(parts)


def _name(value: Any, page: Page) -> str:
    return _forms(value, page).name + _side(value, page) if value else "none"


def _point(value: Any, _page: Page) -> str:
    return "({}, {})".format(*box(value[:2]).strip("[]").split(", "))


def _of_verb(form: str) -> Printed:
    return lambda value, page: _forms(value, page).verb(form)


FILTERS: Mapping[str, Printed] = {
    "clock": lambda value, page: seconds(when(value) - page.zero_us),
    "seconds": lambda value, _page: f"{fixed(amount(value) / 1_000_000, 0)} seconds",
    "span": _span,
    "the": lambda value, page: _forms(value, page).the + _side(value, page),
    "a": lambda value, page: _forms(value, page).a,
    "any": lambda value, page: f"any {_forms(value, page).name}",
    "name": _name,
    "names": lambda value, page: _forms(value, page).many,
    "is": _agreeing("is", "are"), "was": _agreeing("was", "were"),
    "does": _agreeing("does", "do"), "has": _agreeing("has", "have"),
    "it": _agreeing("it", "they"), "its": _agreeing("its", "their"),
    "moves": _agreeing("moves", "move"), "stops": _agreeing("stops", "stop"),
    "lies": _agreeing("lies", "lie"), "begins": _agreeing("begins", "begin"),
    "noun": _sentence("noun"), "clause": _sentence("clause"), "asks": _sentence("asks"),
    "starts": _sentence("begins"), "acting": _sentence("gerund"),
    "base": _of_verb("base"), "third": _of_verb("third"), "gerund": _of_verb("gerund"),
    "act": lambda value, _page: act(value, "base"),
    "acts": lambda value, _page: act(value, "third"),
    "effect": lambda value, page: effect_text(value) or str(value),
    "reason": lambda value, page: reasons()[value].removesuffix("."),
    "box": lambda value, _page: box(value),
    "where": lambda value, _page: f" at {box(value)}" if value else "",
    "point": _point,
    "whole": lambda value, _page: str(int(amount(value))),
    "two": lambda value, _page: fixed(amount(value), 2),
    "three": lambda value, _page: fixed(amount(value), 3),
    "signed": _signed,
    "percent": lambda value, _page: f"{fixed(amount(value) * 100, 0)} %",
    "times": _times,
    "stretches": _counted("stretch", "stretches"), "targets": _counted("target", "targets"),
    "list": lambda value, page: ", ".join(sorted(_element(one, page) for one in value)) or "none",
    "lines": lambda value, page: "\n".join(_line(one, page) for one in value),
    "then": lambda value, page: ", then ".join(_element(one, page) for one in value),
    "letters": lambda value, page: ", ".join(
        ascii_uppercase[page.shown.index(when(one))] for one in value
    ),
    "text": lambda value, _page: str(value),
    "yes": lambda value, _page: "Yes" if value is True else "No",
}  # fmt: skip
"""Name of a filter -> function that prints a value."""
