"""Choose wrong options: values of the answer's type that are certainly false."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.keys import Key
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.typed import may_be_one, text_of, typed
from surgqa.transforms.algebra.operators.pools.values import beside, orders
from surgqa.transforms.algebra.tree import Call, Const, Node
from surgqa.transforms.algebra.types import STATEMENT
from surgqa.transforms.algebra.walk import nodes_of
from surgqa.transforms.language.program import Stage

WRONG = 3
"""Number of wrong options, unless a pool (entry of the template's ``wrong``) sets ``most``."""

YES_NO, OPPOSITE = "yes_no", "opposite"
"""Form whose options are always Yes and No, and the name of the pool of its wrong option."""

Value = Any
NOTHING: Mapping[Node, Sequence[Value]] = {}


@dataclass(frozen=True, slots=True)
class Choice:
    """One wrong option: its value, and the name of the pool that it comes from."""

    value: Value
    kind: str


@dataclass(frozen=True)
class OptionCase:
    """One possible question that needs options.

    Attributes:
        answer: the correct answer.
        key: hash key of the item, which orders the values of each pool.
        pools: for each expression of the pools, its value for this question.
        statements: number of statements from which the answer is taken; 0 if the answer is not a
            statement.
    """

    answer: Value
    key: Key
    pools: Mapping[Node, Value]
    statements: int = 0


def options_of(
    stage: Stage, case: OptionCase, offered: Mapping[Node, Sequence[Value]] = NOTHING
) -> list[Choice] | None:
    """Return wrong options in the order of the template's list ``wrong``; None if too few.

    Options from one entry of the list (a pool) are ordered by hash key. If the answer is one of
    several statements, all others are the wrong options. Yes and No are wrong options of each
    other.

    Args:
        offered: values of pools that are computed for many questions at once.
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
    fewest = 1 if closed else min(wanted, WRONG)  # a closed list may have one other label only
    return list(found.values()) if len(found) >= fewest else None


def _all_others(stage: Stage, case: OptionCase) -> list[Choice]:
    if stage.form == YES_NO:
        return [Choice(not case.answer, OPPOSITE)]
    node = stage.answer[0][1]
    if node.type != STATEMENT:
        return []
    return [Choice(one, "cases") for one in range(case.statements) if one != case.answer]


def name_of(pool: Node) -> str:
    """Return the name of a source of wrong options (pool), which is stored with each option."""
    return pool.op if isinstance(pool, Call) else "word"


def excluded(pool: Node, case: OptionCase) -> Iterator[Value]:
    """Yield the values that an entry of the template's ``wrong`` must not offer."""
    if isinstance(pool, Call):
        for node in nodes_of(pool.get("except")):
            yield from listed(node, case.pools[node])


def listed(node: Node, value: Value) -> Sequence[Value]:
    """Return the values of an entry of ``wrong`` as a list. A box or a point is one value."""
    many = isinstance(value, list) and node.type.name not in ("box", "point")
    return value if many else [value]


def values_of(pool: Node, case: OptionCase) -> Sequence[Value]:
    """Return the values of an entry of the template's ``wrong`` for one question."""
    if isinstance(pool, Const):
        return [pool.value]
    if isinstance(pool, Call) and pool.op in MAKERS:
        # Without an answer, no wrong value can be derived from it.
        return MAKERS[pool.op](case) if case.answer is not None else []
    return listed(pool, case.pools[pool])


MAKERS: Mapping[str, Callable[[OptionCase], Sequence[Value]]] = {
    "near": lambda case: beside(case.answer, WRONG, case.key),
    "orders": lambda case: orders(case.answer),
}
"""Operators that derive wrong options from the answer; other pools have values of their own."""

MADE = (*MAKERS, "exchange", "halves")
"""Pools without values of their own."""


def pool_nodes(stage: Stage) -> tuple[Node, ...]:
    """Return all expressions that the entries of a question's ``wrong`` use."""
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
    """Return, for each row, the values of the expressions that ``wrong`` uses."""
    columns = {node: typed(node, rows) for node in pool_nodes(stage)}
    return [{node: column[i] for node, column in columns.items()} for i in range(rows.n)]
