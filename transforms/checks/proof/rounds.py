"""Checks the rounds of a stream: when its question is asked, which outputs are expected and when.

When the answer is due, and what it is, is computed from the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import duckdb

from surgqa.transforms.algebra.tree import Name, Read
from surgqa.transforms.checks.proof.cases import put_cases
from surgqa.transforms.checks.proof.numbers import SECOND_US, when
from surgqa.transforms.checks.proof.reading import RowValues, Unread, value_of
from surgqa.transforms.checks.proof.rows import Problem, ProofRow
from surgqa.transforms.checks.proof.texts import Unprintable, capital, expected, says
from surgqa.transforms.checks.proof.truth import Open, Proved, answered, proved
from surgqa.transforms.language.program import Rounds

Round = Mapping[str, Any]

SILENT = 4
"""Number of rounds of a stream if the answer is never due."""


def round_problems(
    asked: ProofRow, track_words: Mapping[str, str] | None = None
) -> Iterator[Problem]:
    """Yield (code, detail) for errors in a stream's rounds that can be seen without a query."""
    rounds, found = asked.program.rounds, asked.row["rounds"] or []
    if rounds is None:
        if found:
            yield "rounds_malformed", f"{len(found)} rounds, the template has none"
        return
    yield from _in_order(asked, found)
    if rounds.due is None:
        yield from _every(asked, rounds, found)
        return
    yield from _even([one["current_us"] for one in found])
    due = due_of(asked, rounds)
    if due is None:
        if len(found) != SILENT:
            yield "rounds_malformed", f"{len(found)} rounds, expected {SILENT}: never due"
        for one in found:
            yield from _check_accepted(one, [rounds.otherwise, *rounds.accept], False)
    else:
        yield from _due(asked, rounds, found, due, track_words)


def _even(times: Sequence[int]) -> Iterator[Problem]:
    """Check that neither decimals nor an unusual gap reveal the round with the answer."""
    gaps = {later - one for one, later in pairwise(times)}
    if len(gaps) > 1 or any(time % SECOND_US for time in times):
        yield "rounds_malformed", f"rounds at {times}, expected equal steps of whole seconds"


def due_of(asked: ProofRow, rounds: Rounds) -> int | None:
    """Return the printed time in microseconds at which the answer is due; None if never."""
    if rounds.due is None:
        return None
    try:
        value = value_of(rounds.due, asked.known())
    except Unread:
        return None
    return None if value is None else when(value)


def _in_order(asked: ProofRow, found: Sequence[Round]) -> Iterator[Problem]:
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


def _every(asked: ProofRow, rounds: Rounds, found: Sequence[Round]) -> Iterator[Problem]:
    """Check rounds that follow each other at equal intervals."""
    start = asked.row["start_us"]
    times = [one["current_us"] for one in found]
    if not times or any((time - start) % rounds.every for time in times):
        yield "rounds_malformed", f"rounds at {times}, expected every {rounds.every} from {start}"
    for one in found:
        yield from _check_accepted(one, [one["expected_output"]], True)


def _check_accepted(one: Round, accepted: list[str], answerable: bool) -> Iterator[Problem]:
    """Check the accepted outputs of a round, the first of which must be the expected output."""
    wanted = [capital(text) if answerable else text for text in accepted]
    said = [one["expected_output"], list(one["accepted_outputs"] or ()), one["answerable"]]
    if said != [wanted[0], wanted, answerable]:
        yield "round_differs", f"round {one['round_index']}: {said}, expected {wanted}"


def _due(
    asked: ProofRow, rounds: Rounds, found: Sequence[Round], due: int,
    track_words: Mapping[str, str] | None,
) -> Iterator[Problem]:  # fmt: skip
    early = [one for one in found if one["current_us"] < due]
    ready = [one for one in found if one["current_us"] >= due]
    low, high = rounds.before
    if not low <= len(early) <= high or len(ready) != rounds.after + 1:
        counts = f"{len(early)} rounds before {due} and {len(ready)} from it on"
        yield "rounds_malformed", f"{counts}, expected {low} to {high} and {rounds.after + 1}"
    for one in early:
        yield from _check_accepted(one, [rounds.otherwise, *rounds.accept], False)
        time = one["current_us"]
        if time >= due - rounds.within:
            what = f"more than {rounds.within} us before {due}"
            yield "rounds_malformed", f"round {one['round_index']} at {time} is not {what}"
    page, known = asked.page(track_words), asked.known()
    for one in ready:
        yield from _check_accepted(one, [one["expected_output"]], True)
        try:
            if not says(asked.stage.say, one["expected_output"], known, page):
                text = one["expected_output"]
                yield "round_differs", f"round {one['round_index']} expects {text!r}"
        except Unprintable as error:
            yield "round_differs", f"round {one['round_index']}: {error}"


def due_problems(asked: ProofRow, due: Mapping[str, Any], until: int | None) -> Iterator[Problem]:
    """Yield (code, detail) where rounds contradict the evidence.

    Args:
        due: the time at which the answer is due: earliest ``lo``, latest ``hi``, whether the
            evidence gives it (``ok``), whether it never comes (``none``).
        until: time until which the answer is certainly true; None for the window's end.
    """
    rounds, found = asked.program.rounds, asked.row["rounds"] or []
    assert rounds is not None
    if due["none"]:
        if any(one["answerable"] for one in found):
            yield "round_differs", "a round expects an answer, but nothing is due"
        return
    ready = [one["current_us"] for one in found if one["answerable"]]
    early = [one["current_us"] for one in found if not one["answerable"]]
    if not due["ok"] or not ready or ready[0] != -(-due["hi"] // SECOND_US) * SECOND_US:
        yield "round_differs", f"rounds with an answer at {ready}, it is due from {due['hi']} on"
        return
    if early and early[-1] >= due["lo"] - rounds.within:
        yield "round_differs", f"a round at {early[-1]}, but the answer may be due at {due['lo']}"
    last = min(asked.row["end_us"], until if until is not None else asked.row["end_us"])
    if ready[-1] >= last and len(ready) > 1:
        yield (
            "round_differs",
            f"a round at {ready[-1]}, but the answer is certain only until {last}",
        )


Found = tuple[str, str, str]
"""(item id, code, detail)"""


def stream_problems(
    con: duckdb.DuckDBPyConnection, asked: Sequence[ProofRow], found: Sequence[Proved]
) -> Iterator[Found]:
    """Yield (item id, code, detail) where rounds contradict the evidence."""
    rounds = asked[0].program.rounds
    if rounds is None:
        return
    if rounds.due is None:
        yield from _anew(con, asked)
        return
    for one, values in zip(asked, found, strict=True):
        for code, detail in due_problems(one, values.values["due"], _until(rounds, values)):
            yield one.id, code, detail


def _until(rounds: Rounds, found: Proved) -> int | None:
    """Return until when the event that is due certainly lasts; None if it is not a fact."""
    base = rounds.due.base if isinstance(rounds.due, Read) else None
    if not isinstance(base, Name):
        return None
    return found.values.get(f"let.{base.name}", {}).get("e0")


def _anew(con: duckdb.DuckDBPyConnection, asked: Sequence[ProofRow]) -> Iterator[Found]:
    """Check that each round expects the answer that the evidence gives at the round's time."""
    every = [(one, turn) for one in asked for turn in one.row["rounds"] or ()]
    if not every:
        return
    items = [one for one, _ in every]
    put_cases(con, items, {}, [{"round": turn["current_us"]} for _, turn in every])
    stage = items[0].stage
    found = proved(con, items[0].program, stage, items)
    for (one, turn), values in zip(every, found, strict=True):
        what = f"round {turn['round_index']} expects {turn['expected_output']!r}"
        try:
            known = answered(one, _at(one, values), values)
            if not says(stage.say, turn["expected_output"], known, one.page()):
                wanted = expected(stage.say, known, one.page())
                yield one.id, "round_differs", f"{what}, the evidence gives {wanted!r}"
        except (Open, Unprintable):
            yield one.id, "round_differs", f"{what}, the evidence does not decide it"


def _at(one: ProofRow, values: Proved) -> RowValues:
    """Return the values of the template's names at the time of a round, if they are certain."""
    out: dict[str, object] = {}
    for name in one.slots:
        try:
            out[name] = values.typed(f"let.{name}")
        except Open:
            continue
    return RowValues(one.program, out)
