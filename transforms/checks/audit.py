"""Statistics of a dataset, such as the shares of its answers and of the letters of correct options.

:mod:`transforms.blind` measures how well answers can be guessed without the video.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from typing import Any

import orjson

from surgqa.transforms.checks.proof.terms import Forms, forms
from surgqa.transforms.checks.report import Findings

ENOUGH = 40
"""Smallest number of items for which a bias is reported."""

MODAL_SHARE = 0.50
MODAL_SHARE_YES_NO = 0.60
CHI_SQUARE_LIMITS = (10.83, 13.82, 16.27, 18.47, 20.52, 22.46, 24.32)
"""Critical values at 0.1 % of the chi-square distribution with one to seven degrees of freedom."""

LETTERS = "ABCDEFGH"

DISTINCT_KEPT = 4096
"""Number of different answers of a template from which on the most frequent one is not counted."""

NOMINAL_FORMS = ("choice", "yes_no", "text")


@dataclass(slots=True)
class TemplateCounts:
    """Counts of the items of one template.

    Attributes:
        letters: for each letter, the number of items whose correct option has this letter.
        expected: the same numbers as expected if every letter of an item is equally likely.
        longest: number of items whose correct option is the longest.
        variance: variance of ``longest`` if the correct option were chosen at random.
        in_question: number of items whose question names the answer.
    """

    form: str
    items: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    by_procedure: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    letters: Counter[str] = field(default_factory=Counter)
    expected: dict[str, float] = field(default_factory=dict)
    longest: int = 0
    variance: float = 0.0
    in_question: int = 0


class Audit:
    """Counts items one by one; ``report`` returns the measurements."""

    def __init__(self) -> None:
        self.tallies: dict[str, TemplateCounts] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one item."""
        value = parsed(row["answer_value"])
        tally = self.tallies.setdefault(counted_as(row), TemplateCounts(row["form"]))
        tally.items += 1
        answer = nominal(row, value)
        if answer is not None and len(tally.answers) < DISTINCT_KEPT:
            tally.answers[answer] += 1
            tally.by_procedure[row["procedure"]][answer] += 1
        args = _args_of(row.get("rule_args") or "{}")
        tally.in_question += names_answer(row, value, args)
        # A question whose options are ranked offers all labels in a fixed order, so letters are not
        # counted.
        if row["form"] == "choice" and row["options"] and args.get("ranked") is None:
            self._options(tally, row["options"])

    @staticmethod
    def _options(tally: TemplateCounts, options: list[dict[str, Any]]) -> None:
        lengths = [(len(option["text"]), option["is_answer"]) for option in options]
        right = max((length for length, is_answer in lengths if is_answer), default=0)
        tally.longest += right > max((n for n, is_answer in lengths if not is_answer), default=0)
        chance = 1 / len(options)
        for key in LETTERS[: len(options)]:
            tally.expected[key] = tally.expected.get(key, 0.0) + chance
        tally.variance += chance * (1 - chance)
        for option in options:
            if option["is_answer"]:
                tally.letters[option["key"]] += 1

    def report(self, findings: Findings) -> dict[str, dict[str, Any]]:
        """Return measurements by template and stage. Adds a finding for every exceeded limit."""
        out = {}
        for template in sorted(self.tallies):
            tally = self.tallies[template]
            out[template] = measured(tally)
            for code, detail in _habits(tally, out[template]):
                findings.add(code, "", f"{template}: {detail}")
        return out


def parsed(text: str | None) -> dict[str, Any] | None:
    """Return the mapping of a JSON text; None if it is not a JSON object."""
    try:
        value = orjson.loads(text or "")
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


@lru_cache(maxsize=1024)
def _args_of(text: str) -> Mapping[str, Any]:
    """Return the parsed ``rule_args``; cached, because most items of a template share the text."""
    return orjson.loads(text)


def counted_as(row: Mapping[str, Any]) -> str:
    """Return the key under which an item is counted: template id, and stage if it has one."""
    if row.get("stage") is None:
        return row["template_id"]
    return f"{row['template_id']}/{_name(row)}"


def _name(row: Mapping[str, Any]) -> str:
    return str(row.get("task", "")).rpartition("/")[2]


def nominal(row: Mapping[str, Any], value: Mapping[str, Any] | None) -> str | None:
    """Return an answer as text: the correct option, or its labels and words; None for others."""
    if row["form"] not in NOMINAL_FORMS:
        return None
    if row["options"]:
        return next((o["text"] for o in row["options"] if o["is_answer"]), None)
    if value is None:
        return None
    words = [f"{k}={v}" for k, v in leaves(value) if isinstance(v, str | bool) and k != "track"]
    return orjson.dumps(words).decode() if words else None


def labels_of(value: Mapping[str, Any], args: Mapping[str, Any]) -> Iterator[Forms]:
    """Yield the display names of the answer's labels, except labels such as ``null_verb``."""
    for name, form in (args.get("answer") or {}).items():
        label = value.get(name)
        if form["type"] == "label" and isinstance(label, str) and not label.startswith("null_"):
            yield forms(label, form["of"])


def names_answer(row: Mapping[str, Any], value: Mapping[str, Any] | None, args: Any) -> bool:
    """Return whether an open question contains a label of its answer, also as a conjugated verb."""
    if row["options"] or not value:
        return False
    asked = f" {row['question'].casefold()} "
    texts = ((one.gerund, one.third) if one.third else (one.name,)
             for one in labels_of(value, args))  # fmt: skip
    return any(text.casefold() in asked for found in texts for text in found if text)


def measured(tally: TemplateCounts) -> dict[str, Any]:
    """Return shares and counts of one template. A share is None if its denominator is 0."""
    counted = sum(tally.answers.values())
    closed = sum(tally.letters.values())
    yes = tally.answers["Yes"] if tally.form == "yes_no" else None
    procedures = sum(_most(counts) for counts in tally.by_procedure.values())
    return {
        "items": tally.items,
        "form": tally.form,
        "answers": len(tally.answers),
        "majority": _share(_most(tally.answers), counted),
        "majority_by_procedure": _share(procedures, counted),
        "yes_share": None if yes is None else _share(yes, counted),
        "letters": dict(sorted(tally.letters.items())),
        "letters_chi_square": _chi_square(tally) if closed else None,
        "longest_is_right": _share(tally.longest, closed),
        "answer_in_question": tally.in_question,
    }


def _habits(tally: TemplateCounts, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    limit = MODAL_SHARE_YES_NO if tally.form == "yes_no" else MODAL_SHARE
    share, closed = found["majority"], sum(tally.letters.values())
    if share is not None and tally.items >= ENOUGH and share > limit:
        most = min(tally.answers, key=lambda answer: (-tally.answers[answer], answer))
        yield "answer_modal", f"{most} has a share of {share:.3f}"
    if closed >= ENOUGH:
        by_chance = tally.expected["A"]
        beyond = (by_chance + 3 * sqrt(tally.variance)) / closed
        if found["letters_chi_square"] > _chi_square_limit(tally):
            yield "option_position", f"right letters {found['letters']}"
        if found["longest_is_right"] > beyond:
            yield "option_length", f"longest option correct in {found['longest_is_right']:.3f}"
    if tally.in_question:
        yield "answer_in_question", f"{tally.in_question} of {tally.items} items"


def _chi_square(tally: TemplateCounts) -> float:
    found = ((tally.letters[key], expected) for key, expected in sorted(tally.expected.items()))
    return sum((number - expected) ** 2 / expected for number, expected in found)


def _chi_square_limit(tally: TemplateCounts) -> float:
    return CHI_SQUARE_LIMITS[min(max(len(tally.expected) - 2, 0), len(CHI_SQUARE_LIMITS) - 1)]


def _most(counts: Counter[str]) -> int:
    return max(counts.values(), default=0)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (key, value) of all innermost values of nested mappings and lists.

    A box counts as one value. A member of a list has the list's key.
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict | list):
                yield from leaves(inner, name)
            else:
                yield name, inner
    elif isinstance(value, list) and not key.endswith("box_xyxy"):
        for inner in value:
            yield from leaves(inner, key)
    else:
        yield key, value
