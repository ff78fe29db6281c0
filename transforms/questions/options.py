"""Wrong options by rule: different from the truth for sure, each with its reason.

``kind`` of an option says why it is a fair wrong one: ``near_number`` (next to the
answer), ``other_instant`` (true at another instant of the window), ``one_added``,
``one_dropped``, ``one_swapped`` (the answer with one class changed), ``opposite``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ontology.keys import Key
from ontology.records import Option
from transforms.questions.answers import Truth
from transforms.questions.bound import Filling
from transforms.questions.render import labels

LETTERS = "ABCDEFGH"
ANSWER = "answer"


class Choice(NamedTuple):
    """An option before it has a letter."""

    text: str
    kind: str


Maker = Callable[[Filling, Truth, dict, Key], "tuple[Option, ...] | None"]


def yes_no(f: Filling, truth: Truth, args: dict, key: Key) -> tuple[Option, ...]:
    """Yes and No in fixed order."""
    yes = bool(truth.value.get("yes", truth.value.get("same")))
    return (
        Option("A", "Yes", yes, ANSWER if yes else "opposite"),
        Option("B", "No", not yes, "opposite" if yes else ANSWER),
    )


def numbers(f: Filling, truth: Truth, args: dict, key: Key) -> tuple[Option, ...] | None:
    """Numbers 0 … answer + beyond, nearest first, one below and one above where possible."""
    answer = int(truth.value["number"])
    others = [n for n in range(answer + args["beyond"] + 1) if n != answer]
    ties = key.extended("number")
    others.sort(key=lambda n: (abs(n - answer), ties.h64(n)))
    wanted = args["wrong"]
    top = answer + args["beyond"]
    while len(others) < wanted:
        top += 1
        others.append(top)
    wrong = [Choice(str(n), "near_number") for n in others[:wanted]]
    return lettered(Choice(str(answer), ANSWER), wrong, key)


def class_sets(f: Filling, truth: Truth, args: dict, key: Key) -> tuple[Option, ...] | None:
    """Sets seen at other instants first, then the answer with one class changed."""
    answer = frozenset(truth.value["labels"])
    wrong: list[Choice] = []
    taken = {answer}
    for kind, group in _set_groups(f, answer):
        if len(wrong) == args["wrong"]:
            break
        by_text = {labels(found): found for found in group if found not in taken}
        for text in key.extended(kind).ordered(by_text):
            if len(wrong) < args["wrong"]:
                wrong.append(Choice(text, kind))
                taken.add(by_text[text])
    if len(wrong) < args["wrong"]:
        return None
    return lettered(Choice(labels(answer), ANSWER), wrong, key)


def _set_groups(f: Filling, answer: frozenset[str]) -> Iterator[tuple[str, list[frozenset[str]]]]:
    """Candidate sets by reason, the fairest reason first."""
    rows, names = f.facts.rows, f.facts.labels
    mine = f.view.presences[f.w]
    seen = {
        frozenset(names[p] for p in mine if rows[p][s] >= 0) for s in range(int(f.view.count[f.w]))
    }
    yield "other_instant", sorted(seen, key=sorted)
    rest = [label for label in f.view.timeline.video.vocabulary if label not in answer]
    yield "one_swapped", [answer - {a} | {b} for a in sorted(answer) for b in rest]
    yield "one_added", [answer | {b} for b in rest]
    if len(answer) > 1:
        yield "one_dropped", [answer - {a} for a in sorted(answer)]


def lettered(answer: Choice, wrong: list[Choice], key: Key) -> tuple[Option, ...]:
    """Options in the order of their digests, with letters."""
    kinds = {choice.text: choice.kind for choice in (answer, *wrong)}
    texts = key.extended("option").ordered(kinds)
    return tuple(
        Option(LETTERS[i], text, text == answer.text, kinds[text]) for i, text in enumerate(texts)
    )


MAKERS: dict[str, Maker] = {f.__name__: f for f in (yes_no, numbers, class_sets)}
