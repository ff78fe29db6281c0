"""Wrong options: values of the answer's type from described pools, each certainly false."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import ceil, floor, isfinite
from typing import Any

import orjson

from ontology.keys import Key
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.typed import typed
from transforms.algebra.tree import Call, Const, Node
from transforms.algebra.types import STATEMENT
from transforms.language.program import Stage

WRONG = 3
"""Wrong options of a choice, where a pool does not say ``most``."""

LONGEST = 5
"""Members of a sequence of which all orders are looked at."""

YES_NO, OPPOSITE = "yes_no", "opposite"
"""The form whose options are always Yes and No; why the wrong one of them is fair."""

Value = Any
NOTHING: Mapping[Node, Sequence[Value]] = {}


@dataclass(frozen=True, slots=True)
class Choice:
    """One wrong option: its typed value and the pool that it comes from."""

    value: Value
    kind: str


@dataclass(frozen=True)
class Case:
    """One filling whose options are wanted.

    Attributes:
        answer: typed.
        key: of the item; options are drawn by it.
        pools: the values of each pool's nodes for this row, by node.
        statements: how many the answer is one of; 0 where it is none.
    """

    answer: Value
    key: Key
    pools: Mapping[Node, Value]
    statements: int = 0


def text_of(value: Value) -> str:
    """A typed value as canonical text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def may_be_one(a: Value, b: Value) -> bool:
    """Whether two typed values are one in some world: their bounds meet, in each of their parts."""
    low, high = _bounds(a), _bounds(b)
    if low and high:
        return low[0] <= high[1] and high[0] <= low[1]
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(may_be_one(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(may_be_one, a, b))
    return bool(a == b)


def _bounds(value: Value) -> tuple[float, float] | None:
    for low, high in (("least", "most"), ("earliest_us", "latest_us")):
        if isinstance(value, dict) and low in value:
            return value[low], value[high]
    return (value, value) if isinstance(value, int | float) else None


def options_of(
    stage: Stage, case: Case, offered: Mapping[Node, Sequence[Value]] = NOTHING
) -> list[Choice] | None:
    """Wrong options in the pools' order, each pool's own drawn by key; None if too few.

    An answer that is one of some statements has all others as its wrong options; yes has no, and
    no has yes.

    Args:
        offered: values of pools that one filling alone cannot tell.
    """
    if not stage.wrong:
        return _all_others(stage, case)
    wanted = max((int(pool.get("most") or 0) for pool in stage.wrong if isinstance(pool, Call)),
                 default=0) or WRONG  # fmt: skip
    found: dict[str, Choice] = {}
    for pool in stage.wrong:
        unfit = {text_of(one) for one in (case.answer, *excluded(pool, case))}
        given = offered[pool] if pool in offered else values_of(pool, case)
        values = {text_of(v): v for v in given}
        for text in case.key.extended(name_of(pool)).ordered(sorted(values)):
            fair = text not in found and text not in unfit
            if fair and not may_be_one(values[text], case.answer):
                found[text] = Choice(values[text], name_of(pool))
            if len(found) == wanted:
                return list(found.values())
    closed = any(isinstance(pool, Call) and pool.op == "labels" for pool in stage.wrong)
    fewest = 1 if closed else min(wanted, WRONG)  # of a closed list there may be no more
    return list(found.values()) if len(found) >= fewest else None


def _all_others(stage: Stage, case: Case) -> list[Choice]:
    if stage.form == YES_NO:
        return [Choice(not case.answer, OPPOSITE)]
    node = stage.answer[0][1]
    if node.type != STATEMENT:
        return []
    return [Choice(one, "cases") for one in range(case.statements) if one != case.answer]


def name_of(pool: Node) -> str:
    """Why a wrong option is a fair one: its pool."""
    return pool.op if isinstance(pool, Call) else "word"


def excluded(pool: Node, case: Case) -> Iterator[Value]:
    """Values that a pool does not offer."""
    if isinstance(pool, Call):
        for node in nodes_of(pool.get("except")):
            value = case.pools[node]
            yield from value if isinstance(value, list) else [value]


def nodes_of(value: object) -> tuple[Node, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def values_of(pool: Node, case: Case) -> Iterator[Value]:
    """The values of a pool for one filling."""
    if isinstance(pool, Const):
        yield pool.value
        return
    maker = MAKERS.get(pool.op) if isinstance(pool, Call) else None
    if maker is not None and case.answer is None:
        return  # nothing is beside nothing
    if maker is not None:
        assert isinstance(pool, Call)
        yield from maker(pool, case)
        return
    value = case.pools[pool]
    yield from value if isinstance(value, list) else [value]


def _near(pool: Call, case: Case) -> Iterator[Value]:
    """Whole numbers below and above all that the answer may be; each rank that there are numbers
    for is equally likely.
    """
    told = case.answer if isinstance(case.answer, dict) else None
    low, high = (told["least"], told["most"]) if told else (case.answer, case.answer)
    if not isfinite(high):
        return  # nothing certainly lies above
    first, last = ceil(low), floor(high) + 1
    below = case.key.h64("rank") % (min(WRONG, max(first, 0)) + 1)
    yield from range(first - below, first)
    yield from range(last, last + WRONG - below)


def _orders(pool: Call, case: Case) -> Iterator[Value]:
    """Every order of the answer's members; none of more than :data:`LONGEST`."""
    if len(case.answer) <= LONGEST:
        yield from map(list, permutations(case.answer))


MAKERS: Mapping[str, Callable[[Call, Case], Iterator[Value]]] = {"near": _near, "orders": _orders}
"""Pools whose values are made of the answer; all others are values of their own."""

MADE = (*MAKERS, "exchange", "halves")
"""Pools that are no values of their own."""


def pool_nodes(stage: Stage) -> tuple[Node, ...]:
    """Every node that the pools of a question need the value of."""
    out: dict[Node, None] = {}
    for pool in stage.wrong:
        if isinstance(pool, Call):
            out.update(dict.fromkeys(nodes_of(pool.get("except"))))
            if pool.op not in MADE:
                out[pool] = None
        elif not isinstance(pool, Const):
            out[pool] = None
    return tuple(out)


def pool_values(stage: Stage, rows: Rows) -> list[dict[Node, Value]]:
    """Of each row the values that its pools need."""
    columns = {node: typed(node, rows) for node in pool_nodes(stage)}
    return [{node: column[i] for node, column in columns.items()} for i in range(rows.n)]
