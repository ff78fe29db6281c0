"""Options that are the answer for another filling: the program is run again with that filling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from transforms.algebra.tree import Call, Name
from transforms.checks.proof.cases import put_cases
from transforms.checks.proof.options import canonical, pool_name
from transforms.checks.proof.rows import Asked
from transforms.checks.proof.truth import Open, Proved, of_cases
from transforms.language.program import Program

Found = tuple[str, str, str]
"""(item id, code, detail)"""

FAR = 1 << 40
"""Beyond the end of any recording."""

MOST = 20_000
"""Fillings of one query."""


def exchange_problems(con: duckdb.DuckDBPyConnection, asked: Sequence[Asked]) -> Iterator[Found]:
    """Options that the template answers for no other time of the name that is exchanged."""
    program, stage = asked[0].program, asked[0].stage
    for pool in stage.wrong:
        main = pool.get("of") if isinstance(pool, Call) and pool.op == "exchange" else None
        if not isinstance(main, Name) or not _is_time(program, main.name):
            continue
        kind = pool_name(pool)
        wanted = [(one, {canonical(value): option["key"] for option, value in
                         zip(one.row["options"] or (), one.offered, strict=True)
                         if option["kind"] == kind})
                  for one in asked]  # fmt: skip
        yield from _unanswered(con, main.name, [pair for pair in wanted if pair[1]])


def _is_time(program: Program, name: str) -> bool:
    """Whether a name is an annotated instant: a drawn one, or the time of the question."""
    step = program.step(name)
    if step is None:
        return name == "now" and program.unit.now is None
    return isinstance(step.node, Call) and step.node.get("of") == "instant"


def _unanswered(
    con: duckdb.DuckDBPyConnection, name: str, wanted: Sequence[tuple[Asked, Mapping[str, str]]]
) -> Iterator[Found]:
    others = [(k, _filled(one, name, t)) for k, (one, _) in enumerate(wanted)
              for t in _instants(con, one, name)]  # fmt: skip
    said: dict[int, set[str]] = {k: set() for k in range(len(wanted))}
    for first in range(0, len(others), MOST):
        part = others[first : first + MOST]
        put_cases(con, [one for _, one in part], {})
        found = of_cases(con, part[0][1].program, part[0][1].stage)
        for (k, one), values in zip(part, found, strict=True):
            said[k].update(_answer(one, values))
    for k, (one, options) in enumerate(wanted):
        for value, key in options.items():
            if value not in said[k]:
                yield one.id, "option_foreign", f"{key}) is the answer for no other {name}: {value}"


def _instants(con: duckdb.DuckDBPyConnection, one: Asked, name: str) -> list[int]:
    """Times that a name may stand for: of the window, or of the stretch that has one question."""
    row, every = one.row, one.program.unit.every or FAR
    low, high = row["start_us"], row["end_us"]
    if name == "now":
        low = row["query_us"] // every * every
        high = low + every
    found = con.execute(
        "select t from instants where video = ? and t >= ? and t < ? order by t",
        [f"{row['dataset']}/{row['video_id']}", low, high],
    ).fetchall()  # fmt: skip
    return [t for (t,) in found]


def _filled(one: Asked, name: str, at: int) -> Asked:
    """A row with another time in the place of a name."""
    if name != "now":
        return replace(one, slots={**one.slots, name: at})
    see = one.program.unit.see
    start = 0 if see is None else max(at - see, 0)
    return replace(one, row={**one.row, "query_us": at, "start_us": start, "end_us": at + 1})


def _answer(one: Asked, found: Proved) -> Iterator[str]:
    """The answer for a filling of which all conditions hold."""
    for k, _ in enumerate((*one.program.where, *one.stage.where)):
        truth = found.values[f"where.{k}"]
        if not (truth["ok"] and truth["value"] is True):
            return
    try:
        values: list[Any] = [found.typed(f"answer.{name}") for name, _ in one.stage.answer]
    except Open:
        return
    yield canonical(values[0] if len(values) == 1 else values)
