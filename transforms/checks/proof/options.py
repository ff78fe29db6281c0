"""Checks the form of an item's options, and that exactly one of them is the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from surgqa.ontology.concepts import load_data
from surgqa.ontology.kinds import terms_of
from surgqa.transforms.algebra.tree import Amount, Call, Const, Node
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.numbers import amount, when
from surgqa.transforms.checks.proof.rows import Problem, ProofRow
from surgqa.transforms.checks.proof.typed import has_shape

KEYS = "ABCDEFGHIJKLMNOP"
NEAR = 3
"""Largest difference of a wrong number from the answer, because options are consecutive numbers."""


def option_problems(asked: ProofRow) -> Iterator[Problem]:
    """Yield (code, detail) for errors in the options that can be seen without a query."""
    row, offered = asked.row, asked.offered
    options: Sequence[dict[str, Any]] = row["options"] or ()
    closed = asked.stage.form in ("choice", "yes_no") or bool(asked.stage.wrong)
    if bool(options) != closed:
        yield "options_malformed", f"form {asked.stage.form}: {len(options)} options"
        return
    if not options:
        if row["answer_key"] is not None:
            yield "options_malformed", f"no options, but answer key {row['answer_key']!r}"
        return
    yield from _shape(row, options)
    yield from _values(asked, options, offered)
    if asked.stage.form == "yes_no":
        yield from _yes_and_no(options, offered)


def _yes_and_no(options: Sequence[dict[str, Any]], offered: Sequence[Any]) -> Iterator[Problem]:
    """Check that the options are Yes, then No, and that the wrong one is "opposite"."""
    if list(offered) != [True, False]:
        yield "options_malformed", f"values {canonical(list(offered))}, expected yes and then no"
    for one in options:
        if not one["is_answer"] and one["kind"] != "opposite":
            yield "option_foreign", f"{one['key']}) {one['text']}: {one['kind']!r}, not 'opposite'"


def _shape(row: Any, options: Sequence[dict[str, Any]]) -> Iterator[Problem]:
    keys = [one["key"] for one in options]
    texts = [one["text"].strip().casefold() for one in options]
    right = [one for one in options if one["is_answer"]]
    if len(options) < 2 or keys != list(KEYS[: len(options)]):
        yield "options_malformed", f"keys {keys}"
    if len(set(texts)) != len(texts) or "" in texts:
        yield "options_malformed", f"options repeat or are empty: {texts}"
    if len(right) != 1:
        yield "options_malformed", f"{len(right)} options are marked right"
    elif right[0]["kind"] != "answer":
        yield (
            "options_malformed",
            f"option {right[0]['key']} is right, its kind {right[0]['kind']!r}",
        )
    elif right[0]["key"] != row["answer_key"]:
        yield "options_malformed", f"option {right[0]['key']} right, key {row['answer_key']!r}"
    elif row["answer"] != f"{right[0]['key']}) {right[0]['text']}":
        yield "text_disagrees", f"answer {row['answer']!r} is not option {right[0]['key']}"


def _values(
    asked: ProofRow, options: Sequence[dict[str, Any]], offered: Sequence[Any]
) -> Iterator[Problem]:
    answer = canonical(asked.answer)
    of = [node.type for _, node in asked.stage.answer]
    seen: dict[str, str] = {}
    for option, value in zip(options, offered, strict=True):
        what = f"{option['key']}) {option['text']}"
        text = canonical(value)
        if seen.setdefault(text, option["key"]) != option["key"]:
            yield "options_malformed", f"{what} has the same value as {seen[text]}: {text}"
        if not _typed(value, of):
            yield "options_malformed", f"{what}: {text} is no {' and '.join(map(str, of))}"
        elif option["is_answer"] and text != answer:
            yield "option_false", f"{what}: value {text}, the answer is {answer}"
        elif not option["is_answer"] and text == answer:
            yield "option_true", f"{what} is the answer"
        elif not option["is_answer"]:
            yield from _wrong(asked, option, value, what)


def _typed(value: Any, of: Sequence[Type]) -> bool:
    if len(of) == 1:
        return has_shape(value, of[0])
    return (isinstance(value, list) and len(value) == len(of)
            and all(has_shape(one, kind) for one, kind in zip(value, of, strict=True)))  # fmt: skip


def _wrong(asked: ProofRow, option: dict[str, Any], value: Any, what: str) -> Iterator[Problem]:
    pools = [pool for pool in asked.stage.wrong if pool_name(pool) == option["kind"]]
    if asked.stage.wrong and not pools:
        known = sorted({pool_name(pool) for pool in asked.stage.wrong})
        yield "option_foreign", f"{what}: pool {option['kind']!r}, the template has {known}"
    elif pools and not any(may_hold(pool, value, asked.answer) for pool in pools):
        yield "option_foreign", f"{what}: {canonical(value)} is not a value of {option['kind']!r}"
    if broader(value, asked.answer):
        yield "option_true", f"{what} is a broader name of the answer, or a narrower one"


def pool_name(pool: Node) -> str:
    """Return the name of a pool of distractors, as in an option's ``kind``."""
    return pool.op if isinstance(pool, Call) else "word"


def may_hold(pool: Node, value: Any, answer: Any) -> bool:
    """Return whether a pool may contain a value, as far as the template and the answer show."""
    if isinstance(pool, Const):
        return bool(value == pool.value)
    if not isinstance(pool, Call):
        return True
    check = _HOLDS.get(pool.op)
    return check is None or check(pool, value, answer)


def _of_labels(pool: Call, value: Any, _answer: Any) -> bool:
    of = pool.get("of")
    domain = of.type.of if isinstance(of, Const) else ""
    known = terms_of(domain)
    return not known or value in known


def _beside(pool: Call, value: Any, answer: Any) -> bool:
    """Return whether the pool ``near`` may contain a value.

    A number must be near the answer. A time must not be too near to the answer. A time interval
    must be as long as the answer.
    """
    match pool.type.of:
        case "number":
            return bool(value >= 0 and abs(value - amount(answer)) <= NEAR)
        case "instant":
            apart = pool.get("apart")
            least = apart.low if isinstance(apart, Amount) else 1
            return abs(when(value) - when(answer)) >= least
        case "stretch":
            lengths = {when(one["end"]) - when(one["start"]) for one in (value, answer)}
            return len(lengths) == 1
    return True


def _ordered(pool: Call, value: Any, answer: Any) -> bool:
    """Return whether a value has the answer's members in another order (pool ``orders``)."""
    if not isinstance(value, list) or not isinstance(answer, list):
        return False
    mine, right = ([canonical(one) for one in many] for many in (value, answer))
    return sorted(mine) == sorted(right) and mine != right


_HOLDS = {"labels": _of_labels, "near": _beside, "orders": _ordered}


def broader(value: Any, answer: Any) -> bool:
    """Return whether one of two labels is a group that contains the other, such as "vessel"."""
    if not isinstance(value, str) or not isinstance(answer, str):
        return False
    return any(
        other in _members(entry, one)
        for kind, entry in load_data("vocab", "parents").items()
        if kind != "version"
        for one, other in ((value, answer), (answer, value))
    )


def _members(entry: Any, group: str) -> Sequence[str]:
    return entry["groups"].get(group, {}).get("of", ())


def canonical(value: Any) -> str:
    """Return a value as a text; equal values give equal texts."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
