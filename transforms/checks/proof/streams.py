"""Checks the rounds of a stream against the evidence: when the answer is due and what it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import duckdb

from surgqa.transforms.algebra.tree import Name, Read
from surgqa.transforms.checks.proof.cases import put_cases
from surgqa.transforms.checks.proof.reading import RowValues
from surgqa.transforms.checks.proof.rounds import due_problems
from surgqa.transforms.checks.proof.rows import ProofRow
from surgqa.transforms.checks.proof.texts import Unprintable, expected, says
from surgqa.transforms.checks.proof.truth import Open, Proved, answered, proved
from surgqa.transforms.language.program import Rounds

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
