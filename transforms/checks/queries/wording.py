"""Do options and texts of a timed question say what its answer value says.

The words are those of the kind of label that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ontology.concepts import LABEL_KINDS, vocabulary
from ontology.ratings import rating
from transforms.checks.options import LETTERS, option_shape, read_number, show
from transforms.checks.queries.present import PLACES
from transforms.checks.texts import says, spellings

Problem = tuple[str, str]
Value = Mapping[str, Any]
COUNTS: Mapping[str, range] = {"choice": range(2, len(LETTERS) + 1), "yes_no": range(2, 3)}
UNANSWERABLE = "unanswerable"
BETWEEN = ", "
"""Stands between the names of a set."""


def words_of(kind: str) -> str:
    """The vocabulary of a kind of label: ``phase`` -> ``phases``."""
    return f"{kind}s"


@cache
def labels_named(text: str, kind: str) -> frozenset[str]:
    """The labels that a text is a name of; display names count before synonyms."""
    terms = vocabulary(words_of(kind)).values()
    wanted = text.strip().casefold()
    shown = frozenset(term.id for term in terms if term.display.casefold() == wanted)
    spelt = (term.id for term in terms if wanted in spellings(words_of(kind), term.id))
    return shown or frozenset(spelt)


def read_label(text: str, kind: str, likely: frozenset[str]) -> str | None:
    """The label that a text names; of several of one name, a likely one."""
    named = labels_named(text, kind)
    return min(named & likely or named, default=None)


def read_labels(text: str, kind: str, likely: frozenset[str]) -> frozenset[str] | None:
    """The labels that a text lists; None where one of them cannot be read, or twice."""
    found = [read_label(part, kind, likely) for part in text.split(BETWEEN)]
    labels = frozenset(label for label in found if label is not None)
    return labels if len(labels) == len(found) else None


def query_option_problems(
    row: Mapping[str, Any], truth: Value | None, kind: str
) -> Iterator[Problem]:
    """Everything wrong with the options: form, the right one true, every other one false.

    Args:
        truth: the recomputed answer value, None where there is none.
        kind: the kind of label that the options are names of.
    """
    options = row["options"] or []
    allowed = COUNTS.get(row["form"], range(1))
    if len(options) not in allowed:
        yield "options_malformed", f"form {row['form']} with {len(options)} options"
        return
    if not options:
        if row["answer_key"] is not None:
            yield "options_malformed", f"no options, but answer key {row['answer_key']!r}"
        return
    malformed = [*option_shape(row, options), *_refusable(row, options)]
    yield from malformed
    if truth is not None and not malformed:
        yield from _truth(options, truth, kind)


def _refusable(row: Mapping[str, Any], options: list[dict[str, Any]]) -> Iterator[Problem]:
    """A choice that has to be foretold at once, and no other, may be refused."""
    texts = [option["text"] for option in options]
    at_once = row["temporal_mode"] == "future" and row["task_mode"] == "single_turn"
    if (UNANSWERABLE in texts) != (at_once and row["form"] == "choice"):
        yield "options_malformed", f"{row['task_mode']} {row['temporal_mode']}: {texts}"


def _truth(options: list[dict[str, Any]], truth: Value, kind: str) -> Iterator[Problem]:
    wanted = meaning_of(truth)
    meanings = []
    for option in options:
        found = read(option["text"], truth, kind)
        if found is None:
            yield "option_unreadable", f"option {option['key']}: {option['text']!r}"
            continue
        if option["is_answer"] and found != wanted:
            yield "option_false", f"{option['key']}) {option['text']}: the truth is {show(wanted)}"
        elif not option["is_answer"] and found == wanted:
            yield "option_true", f"{option['key']}) {option['text']} is true"
        meanings.append(show(found))
    if len(set(meanings)) != len(meanings):
        yield "options_malformed", f"two options mean the same: {meanings}"


def meaning_of(truth: Value) -> object:
    """What the options of an answer value are compared as."""
    if truth.get(UNANSWERABLE):
        return UNANSWERABLE
    for name in ("yes", "number", "bucket", "region"):
        if name in truth:
            return truth[name]
    if "labels" in truth:
        return frozenset(truth["labels"])
    return truth["target"] if "target" in truth else truth.get("label")


def read(text: str, truth: Value, kind: str) -> object:
    """An option's text as a value of the same type; None where it cannot be read."""
    if text == UNANSWERABLE:
        return UNANSWERABLE
    if "yes" in truth:
        return {"yes": True, "no": False}.get(text.strip().casefold())
    if "number" in truth:
        return read_number(text)
    if "labels" in truth:
        return read_labels(text, kind, frozenset(truth["labels"]))
    if "bucket" in truth:
        words = rating(truth["label"]).buckets[truth["grouping"]].words
        return text.strip() if text.strip() in words else None
    if "region" in truth:
        return text.strip() if text.strip() in PLACES else None
    if "target" in truth:
        return read_label(text, "target", frozenset([truth["target"]]))
    return read_label(text, kind, frozenset([truth["label"]] if "label" in truth else ()))


def query_text_problems(row: Mapping[str, Any], truth: Value, kind: str) -> Iterator[Problem]:
    """What an open answer does not say of the truth."""
    answer = row["answer"].casefold()
    for name, texts in _to_say(truth, kind):
        if not any(says(answer, text.casefold()) for text in texts):
            yield "text_disagrees", f"{name}: none of {list(texts)} is in {row['answer']!r}"


def _to_say(truth: Value, kind: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if truth.get(UNANSWERABLE):
        yield UNANSWERABLE, (UNANSWERABLE,)
        return
    if "yes" in truth:
        yield "yes", ("yes",) if truth["yes"] else ("no",)
    if "number" in truth:
        yield "number", (str(truth["number"]),)
    for name in ("bucket", "region"):
        if name in truth:
            yield name, (truth[name],)
    for label in truth.get("labels", ()):
        yield "labels", spellings(words_of(kind), label)
    for name in ("verb", "target"):
        if name in truth:
            yield name, spellings(f"{name}s", truth[name])
    if "alert" in truth:
        yield "alert", (f"alert: {truth['reason']}",) if truth["reason"] else ("no_alert",)
    if "label" in truth and not {"bucket", "region"} & set(truth):
        yield "label", spellings(words_of(kind), truth["label"])


def label_known(kind: str, label: str) -> bool:
    """The label is one of its kind's vocabulary."""
    return words_of(kind) in LABEL_KINDS and label in vocabulary(words_of(kind))
