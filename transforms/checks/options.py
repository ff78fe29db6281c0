"""Closed questions: options well formed, the right one true, every other one false."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ontology.concepts import vocabulary

Problem = tuple[str, str]
COUNTS = {"choice": 4, "yes_no": 2}
LETTERS = "ABCDEFGH"
_NUMBER = re.compile(r"\d+")
_GLUE = {"and", "a", "an", "the", "only", ""}
_EMPTY = {"none", "no instrument", "no instruments", "nothing"}


def option_problems(row: Mapping[str, Any], truth: Mapping[str, Any] | None) -> Iterator[Problem]:
    """Everything wrong with a row's options.

    Args:
        row: ``form``, ``options`` (list of dict), ``answer_key``, ``answer``.
        truth: the recomputed answer value, or None where there is none.
    """
    options, form = row["options"] or [], row["form"]
    wanted = COUNTS.get(form, 0)
    if len(options) != wanted:
        yield "options_malformed", f"form {form}: expected {wanted} options, found {len(options)}"
        return
    if not options:
        if row["answer_key"] is not None:
            yield "options_malformed", f"no options, but answer key {row['answer_key']!r}"
        return
    malformed = list(option_shape(row, options))
    yield from malformed
    if truth is not None and not malformed:
        yield from _truth(options, truth)


def option_shape(row: Mapping[str, Any], options: list[dict[str, Any]]) -> Iterator[Problem]:
    """Keys in order, one right option with its key and text, and no option twice."""
    keys, texts = [o["key"] for o in options], [o["text"] for o in options]
    right = [o for o in options if o["is_answer"]]
    folded = [text.strip().casefold() for text in texts]
    if keys != list(LETTERS[: len(options)]):
        yield "options_malformed", f"keys {keys}"
    if len(right) != 1:
        yield "options_malformed", f"{len(right)} options are marked right"
    elif right[0]["key"] != row["answer_key"]:
        yield "options_malformed", f"option {right[0]['key']} right, key {row['answer_key']!r}"
    elif row["answer"] != f"{right[0]['key']}) {right[0]['text']}":
        yield "text_disagrees", f"answer {row['answer']!r} is not option {right[0]['key']}"
    if "" in folded:
        yield "options_malformed", "an option is empty"
    if len(set(folded)) != len(folded):
        yield "options_malformed", f"options repeat: {texts}"
    if row["form"] == "yes_no" and texts != ["Yes", "No"]:
        yield "options_malformed", f"expected Yes and No in this order, found {texts}"


def _truth(options: list[dict[str, Any]], truth: Mapping[str, Any]) -> Iterator[Problem]:
    wanted = reading_of(truth)
    if wanted is None:
        return
    values = []
    for option in options:
        value = read_option(option["text"], wanted)
        if value is None:
            yield "option_unreadable", f"option {option['key']}: {option['text']!r}"
        elif option["is_answer"] and value != wanted:
            yield "option_false", f"{option['key']}) {option['text']}: the truth is {show(wanted)}"
        elif not option["is_answer"] and value == wanted:
            yield "option_true", f"{option['key']}) {option['text']} is true"
        values.append(value)
    known = [show(value) for value in values if value is not None]
    if len(set(known)) != len(known):
        yield "options_malformed", f"two options mean the same: {known}"


def reading_of(truth: Mapping[str, Any]) -> bool | int | frozenset[str] | None:
    """What the options of an answer value are read as; None where they are not closed."""
    for name in ("yes", "same"):
        if name in truth:
            return bool(truth[name])
    if "number" in truth:
        return int(truth["number"])
    return frozenset(truth["labels"]) if "labels" in truth else None


def read_option(text: str, like: object) -> bool | int | frozenset[str] | None:
    """An option's text as a value of the same type, or None where it cannot be read."""
    if isinstance(like, bool):
        return {"yes": True, "no": False}.get(text.strip().casefold())
    if isinstance(like, int):
        return read_number(text)
    return read_set(text)


def read_number(text: str) -> int | None:
    """The only whole number in a text."""
    numbers = _NUMBER.findall(text)
    return int(numbers[0]) if len(numbers) == 1 else None


def read_set(text: str) -> frozenset[str] | None:
    """Instrument classes named in a text such as 'grasper, hook and scissors'."""
    rest = text.strip().casefold()
    if rest in _EMPTY:
        return frozenset()
    found = []
    terms = sorted(vocabulary("instruments").values(), key=lambda term: -len(term.display))
    for term in terms:
        pattern = rf"\b{re.escape(term.display.casefold())}\b"
        rest, hits = re.subn(pattern, " ", rest)
        found += [term.id] * hits
    left_over = set(re.split(r"[\s,;&+]+", rest)) - _GLUE
    if left_over or len(set(found)) != len(found):
        return None
    return frozenset(found)


def show(value: object) -> str:
    """A value in messages; sets sorted."""
    return str(sorted(value)) if isinstance(value, frozenset) else str(value)
