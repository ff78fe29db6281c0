"""Wrong options: values of the answer's type from described pools, each certainly false."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ontology.keys import Key
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.typed import may_be_one, text_of, typed
from transforms.algebra.operators.near.numbers import beside
from transforms.algebra.operators.orders.permuted import orders
from transforms.algebra.tree import Call, Const, Node
from transforms.algebra.types import STATEMENT
from transforms.algebra.walk import nodes_of
from transforms.language.program import Stage

WRONG = 3
"""Wrong options of a choice, where a pool does not say ``most``."""

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
            yield from listed(node, case.pools[node])


def listed(node: Node, value: Value) -> Sequence[Value]:
    """The values of a pool, of which there may be one; a box and a point are one of four or two."""
    many = isinstance(value, list) and node.type.name not in ("box", "point")
    return value if many else [value]


def values_of(pool: Node, case: Case) -> Sequence[Value]:
    """The values of a pool for one filling."""
    if isinstance(pool, Const):
        return [pool.value]
    if isinstance(pool, Call) and pool.op in MAKERS:
        return MAKERS[pool.op](case) if case.answer is not None else []  # nothing is beside nothing
    return listed(pool, case.pools[pool])


MAKERS: Mapping[str, Callable[[Case], Sequence[Value]]] = {
    "near": lambda case: beside(case.answer, WRONG, case.key),
    "orders": lambda case: orders(case.answer),
}
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
