"""The rounds of a streaming question: when it is asked again, and the right output each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surgqa.ontology.keys import Key
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.algebra.columns.evaluate import evaluate, holds
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import One, Range, defined
from surgqa.transforms.algebra.tree import Node, Read
from surgqa.transforms.algebra.walk import names_in
from surgqa.transforms.language.program import Program, Rounds
from surgqa.transforms.questions.certain import certain
from surgqa.transforms.questions.printers import PrintContext
from surgqa.transforms.questions.texts import TextFiller, capital
from surgqa.transforms.questions.units import ROUND

SILENT = 4
"""Number of rounds of a stream in which the event never comes."""
FEWEST = 2
"""Least number of rounds of a stream; a question that is asked once is not a stream."""


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """When one streaming question is asked (its rounds), and when its answer is due.

    Attributes:
        begin: time at which the question is put, in microseconds of the video.
        times: times at which it is asked (again), ascending, in microseconds.
        due: time from which the answer is expected; None if it is never expected.
    """

    begin: int
    times: tuple[int, ...]
    due: int | None = None


def planned(program: Program, rows: Rows, keys: Sequence[Key]) -> list[RoundPlan | None]:
    """Return, for each row, the rounds of its stream; None if they do not fit into it.

    The question waits for an event. One round is at the first whole second at which the event has
    certainly begun. Up to ``after`` more rounds follow, as long as the event certainly continues,
    and ``before`` rounds precede; the last of these is at least ``within`` before the event's
    earliest possible start. If the event never comes, silence is right in all rounds. A question
    with ``every`` is asked again at regular times with a certain answer, at least twice.

    All rounds of a stream are at whole seconds and equally far apart, by a drawn step. Otherwise
    a time with decimals, or an unusual gap, would reveal the event to a model that sees nothing.
    """
    rounds = program.rounds
    assert rounds is not None
    window = rows.stretch("window")
    base = rows.base
    begin, end = (window.start.at - base).tolist(), (window.end.at - base).tolist()
    if rounds.due is None:
        return _asked_again(program, rows, begin, end)
    due = evaluate(rounds.due, rows)
    assert isinstance(due, Range)
    last = (_holds_until(rounds, rows, end) - base).tolist()
    low, high, none = (due.lo - base).tolist(), (due.hi - base).tolist(), due.none.tolist()
    return [
        _silent(rounds, a, b, key) if nothing
        else _waited_for(rounds, a, first, latest, min(until, b), key)
        for a, b, first, latest, until, nothing, key in zip(
            begin, end, low, high, last, none, keys, strict=True)
    ]  # fmt: skip


def _silent(rounds: Rounds, begin: int, end: int, key: Key) -> RoundPlan | None:
    """Return the rounds of a stream whose event never comes."""
    first, last = begin // SECOND_US + 1, -(-end // SECOND_US) - 1
    step = _drawn(rounds.within // SECOND_US + 1, (last - first) // (SILENT - 1), key, "step")
    if step is None:
        return None
    place = _drawn(first, last - (SILENT - 1) * step, key, "first")
    assert place is not None
    return RoundPlan(begin, tuple((place + k * step) * SECOND_US for k in range(SILENT)))


def _waited_for(
    rounds: Rounds, begin: int, earliest: int, latest: int, until: int, key: Key
) -> RoundPlan | None:
    """Return the rounds of a stream whose event starts between ``earliest`` and ``latest``.

    The event certainly lasts until ``until``.
    """
    fewest, most = rounds.before
    due = -(-latest // SECOND_US)
    least = due - (-(-(earliest - rounds.within) // SECOND_US) - 1)
    long = (-(-until // SECOND_US) - 1 - due) // rounds.after if rounds.after else due
    for before in range(fewest + key.h64("rounds") % (most - fewest + 1), fewest - 1, -1):
        room = (due - begin // SECOND_US - 1) // before if before else long
        step = _drawn(max(least, 1), min(room, long), key, "step")
        if step is not None and due * SECOND_US < until:
            places = range(-before, rounds.after + 1)
            times = tuple((due + k * step) * SECOND_US for k in places)
            return RoundPlan(begin, times, due * SECOND_US)
    return None


def _drawn(least: int, most: int, key: Key, what: str) -> int | None:
    """Return a drawn whole number from ``least`` to ``most``; None if there is none."""
    return least + key.h64(what) % (most - least + 1) if least <= most else None


def _holds_until(rounds: Rounds, rows: Rows, end: Sequence[int]) -> np.ndarray:
    """Return the time until which the event certainly lasts, or the window's end: int64 (n,)."""
    if isinstance(rounds.due, Read):
        fact = evaluate(rounds.due.base, rows)
        if isinstance(fact, One):
            return fact.columns["e0"].astype(np.int64)
    return np.array(end, np.int64) + rows.base


# -- asked again and again --------------------------------------------------------------------


def _asked_again(
    program: Program, rows: Rows, begin: Sequence[int], end: Sequence[int]
) -> list[RoundPlan | None]:
    assert program.rounds is not None
    every = program.rounds.every
    plans = [
        RoundPlan(a, tuple(range(a + every, b, every))) for a, b in zip(begin, end, strict=True)
    ]
    inner, ok = _at_rounds(program, rows, plans)
    for node in _said(program):
        ok &= certain(program, node, inner)
    for node in program.where:
        if _turns(program, node):
            ok &= holds(node, inner)
    kept, place = [], 0
    for plan in plans:
        mine = ok[place : place + len(plan.times)]
        place += len(plan.times)
        times = tuple(t for t, good in zip(plan.times, mine.tolist(), strict=True) if good)
        kept.append(RoundPlan(plan.begin, times, plan.begin) if len(times) >= FEWEST else None)
    return kept


def _said(program: Program) -> list[Node]:
    say = program.rounds.say if program.rounds else None
    return [node for _, node in program.stages[0].answer] + ([] if say is None else [say])


def _at_rounds(program: Program, rows: Rows, plans: Sequence[RoundPlan]) -> tuple[Rows, np.ndarray]:
    """Return one row for each time at which a stream's question is asked, with the values then.

    The second result is bool, True for the times at which all values are defined.
    """
    index = np.repeat(np.arange(rows.n), [len(times_of(plan)) for plan in plans])
    times = np.array([t for plan in plans for t in times_of(plan)], np.int64)
    axis = times + rows.base[index]
    inner, ok = rows.inside(index, **{ROUND: Range.exact(axis)}), np.ones(len(index), bool)
    for step in program.let:
        if not step.draws and _turns(program, step.node):
            value = inner.names[step.names[0]] = evaluate(step.node, inner)
            ok &= defined(value)
    return inner, ok


def _turns(program: Program, node: Node) -> bool:
    """True if the value of an expression changes when the question is asked again."""
    names = names_in(node)
    return ROUND in names or any(
        _turns(program, step.node) for step in program.let if names & set(step.names)
    )


# -- expected outputs ---------------------------------------------------------------------------


def rounds_of(
    program: Program, plans: Sequence[RoundPlan | None], rows: Rows, sheets: Sequence[PrintContext],
    said: Sequence[str],
) -> list[list[dict[str, Any]] | None]:  # fmt: skip
    """Return the rounds of each row, as stored in the files of ``data/``; None without a plan.

    Args:
        said: printed answer of each row. If the template has ``every``, it is printed again for
            each round.
    """
    rounds = program.rounds
    assert rounds is not None
    texts: Iterator[str] = iter(())
    if rounds.due is None:
        inner, _ = _at_rounds(program, rows, plans)
        many = [one for one, plan in zip(sheets, plans, strict=True) for _ in times_of(plan)]
        texts = iter(TextFiller(program, inner, many).of(program.stages[0].say))
    return [None if plan is None else _round_entries(rounds, plan, [
                capital(words if rounds.due is not None else next(texts)) for _ in plan.times])
            for plan, words in zip(plans, said, strict=True)]  # fmt: skip


def times_of(plan: RoundPlan | None) -> tuple[int, ...]:
    """Return the times of a plan; empty for None."""
    return plan.times if plan is not None else ()


def _round_entries(rounds: Rounds, plan: RoundPlan, said: Sequence[str]) -> list[dict[str, Any]]:
    out = []
    for index, (time, answer) in enumerate(zip(plan.times, said, strict=True)):
        ready = plan.due is not None and time >= plan.due
        accepted = [answer] if ready else [rounds.otherwise, *rounds.accept]
        out.append({
            "round_index": index, "current_us": time, "start_us": plan.begin, "end_us": time,
            "expected_output": accepted[0], "accepted_outputs": accepted, "answerable": ready,
        })  # fmt: skip
    return out
