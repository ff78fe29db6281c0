"""Rounds: when a stream's question is asked again, and what is right at each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from transforms.checks.programs.numbers import SECOND_US, when
from transforms.checks.programs.reading import Unread, value_of
from transforms.checks.programs.rows import Asked, Problem
from transforms.checks.programs.texts import Unprintable, says
from transforms.language.program.program import Rounds

Round = Mapping[str, Any]


def round_problems(asked: Asked, told: Mapping[str, str] | None = None) -> Iterator[Problem]:
    """What is wrong with an item's rounds that the row alone shows (code, detail)."""
    rounds, found = asked.program.rounds, asked.row["rounds"] or []
    if rounds is None:
        if found:
            yield "rounds_malformed", f"{len(found)} rounds, the template has none"
        return
    yield from _in_order(asked, found)
    if rounds.due is None:
        yield from _every(asked, rounds, found)
        return
    due = due_of(asked, rounds)
    if due is None:
        yield from _never(rounds, found)
    else:
        yield from _due(asked, rounds, found, due, told)


def due_of(asked: Asked, rounds: Rounds) -> int | None:
    """The printed time at which the answer is due; None where nothing is due."""
    if rounds.due is None:
        return None
    try:
        value = value_of(rounds.due, asked.known())
    except Unread:
        return None
    return None if value is None else when(value)


def _in_order(asked: Asked, found: Sequence[Round]) -> Iterator[Problem]:
    start, end = asked.row["start_us"], asked.row["end_us"]
    before = start
    for index, one in enumerate(found):
        time = one["current_us"]
        if one["round_index"] != index:
            yield "rounds_malformed", f"round {index} has the index {one['round_index']}"
        if (one["start_us"], one["end_us"]) != (start, time):
            shown = f"[{one['start_us']}, {one['end_us']})"
            yield "rounds_malformed", f"round {index} shows {shown}, expected [{start}, {time})"
        if not before < time < end:
            yield "rounds_malformed", f"round {index} at {time}, after {before}, window to {end}"
        before = time


def _every(asked: Asked, rounds: Rounds, found: Sequence[Round]) -> Iterator[Problem]:
    start, end = asked.row["start_us"], asked.row["end_us"]
    wanted = list(range(start + rounds.every, end, rounds.every))
    if [one["current_us"] for one in found] != wanted:
        times = [one["current_us"] for one in found]
        yield "rounds_malformed", f"rounds at {times}, expected {wanted}"


def _never(rounds: Rounds, found: Sequence[Round]) -> Iterator[Problem]:
    if not rounds.before[0] < len(found) <= rounds.before[1] + 1 + rounds.after:
        yield "rounds_malformed", f"{len(found)} rounds of a stream in which nothing is due"
    for one in found:
        yield from _otherwise(rounds, one)


def _otherwise(rounds: Rounds, one: Round) -> Iterator[Problem]:
    said = (one["expected_output"], list(one["accepted_outputs"] or ()), one["answerable"])
    wanted = (rounds.otherwise, list(rounds.accept), False)
    if said != wanted:
        yield "round_differs", f"round {one['round_index']}: {said}, expected {wanted}"


def _due(
    asked: Asked,
    rounds: Rounds,
    found: Sequence[Round],
    due: int,
    told: Mapping[str, str] | None,
) -> Iterator[Problem]:
    early = [one for one in found if one["current_us"] < due]
    ready = [one for one in found if one["current_us"] >= due]
    low, high = rounds.before
    if not low <= len(early) <= high or len(ready) != rounds.after + 1:
        counts = f"{len(early)} rounds before {due} and {len(ready)} from it on"
        yield "rounds_malformed", f"{counts}, expected {low} to {high} and {rounds.after + 1}"
    for one in early:
        yield from _otherwise(rounds, one)
        if one["current_us"] % SECOND_US or one["current_us"] >= due - rounds.within:
            yield (
                "rounds_malformed",
                f"round {one['round_index']} at {one['current_us']} is not a \
whole second at least {rounds.within} before {due}",
            )
    page, known = asked.page(told), asked.known()
    for one in ready:
        number = one["round_index"]
        if not one["answerable"] or one["accepted_outputs"]:
            yield "round_differs", f"round {number}: the answer is due and nothing else is right"
        try:
            if not _as_said(asked, one["expected_output"], known, page):
                yield "round_differs", f"round {number} expects {one['expected_output']!r}"
        except Unprintable as error:
            yield "round_differs", f"round {number}: {error}"


def _as_said(asked: Asked, text: str, known: Any, page: Any) -> bool:
    """Whether a round expects the answer's words, which do not begin a sentence there."""
    capital = text[:1].upper() + text[1:]
    return says(asked.stage.say, capital, known, page)
