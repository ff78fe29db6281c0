"""Wrong options: values of the answer's type from described pools, each certainly false."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import ceil, floor
from typing import Any

import orjson

from ontology.keys import Key
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.typed import typed
from transforms.algebra.tree import Call, Const, Name, Node
from transforms.algebra.types import STATEMENT
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
        others: typed answers of the same template for other values of a name, by name.
        statements: how many the answer is one of; 0 where it is none.
    """

    answer: Value
    key: Key
    pools: Mapping[Node, Value]
    others: Mapping[str, Sequence[Value]]
    statements: int = 0


def text_of(value: Value) -> str:
    """A typed value as canonical text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


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
        excluded = {text_of(one) for one in (case.answer, *_excluded(pool, case))}
        given = offered[pool] if pool in offered else values_of(pool, case)
        values = {text_of(v): v for v in given}
        for text in case.key.extended(name_of(pool)).ordered(sorted(values)):
            if text not in found and text not in excluded:
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
    if not isinstance(pool, Call):
        return "word"
    main = pool.get("of")
    return f"exchange:{main.name}" if pool.op == "exchange" else pool.op


def _excluded(pool: Node, case: Case) -> Iterator[Value]:
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
    if maker is not None:
        assert isinstance(pool, Call)
        yield from maker(pool, case)
        return
    value = case.pools[pool]
    yield from value if isinstance(value, list) else [value]


def _near(pool: Call, case: Case) -> Iterator[Value]:
    """Whole numbers below and above all that the answer may be; its rank is each equally often."""
    told = case.answer if isinstance(case.answer, dict) else None
    low, high = (told["least"], told["most"]) if told else (case.answer, case.answer)
    first, last = ceil(low), floor(high) + 1
    below = min(case.key.h64("rank") % (WRONG + 1), max(first, 0))
    yield from range(first - below, first)
    yield from range(last, last + WRONG - below)


def _exchange(pool: Call, case: Case) -> Iterator[Value]:
    main = pool.get("of")
    assert isinstance(main, Name)
    yield from case.others.get(main.name, ())


def _change(pool: Call, case: Case) -> Iterator[Value]:
    """The answer with one member swapped, added, dropped, or the order changed."""
    members = list(case.answer)
    spare = sorted(
        {one for node in nodes_of(pool.get("from")) for one in case.pools[node]} - set(members)
    )
    for how in pool.get("by"):
        yield from _changed(how, members, spare)


def _changed(how: str, members: list[str], spare: list[str]) -> Iterator[Value]:
    """``swap``, ``add`` and ``drop`` of a set; ``replace`` and ``reorder`` of a sequence."""
    places = range(len(members))
    if how == "add":
        yield from (sorted([*members, other]) for other in spare)
    elif how == "drop":
        yield from ([*members[:i], *members[i + 1 :]] for i in places if len(members) > 1)
    elif how == "reorder":
        for i, j in combinations(places, 2):
            if members[i] != members[j]:
                out = list(members)
                out[i], out[j] = out[j], out[i]
                yield out
    else:
        for i, other in product(places, spare):
            out = [*members[:i], other, *members[i + 1 :]]
            yield sorted(out) if how == "swap" else out


MAKERS: Mapping[str, Callable[[Call, Case], Iterator[Value]]] = {
    "near": _near, "exchange": _exchange, "change": _change,
}  # fmt: skip
"""Pools whose values are made of the answer; all others are values of their own."""

MADE = (*MAKERS, "halves")


def pool_nodes(stage: Stage) -> tuple[Node, ...]:
    """Every node that the pools of a question need the value of."""
    out: dict[Node, None] = {}
    for pool in stage.wrong:
        if isinstance(pool, Call):
            for name in ("from", "except"):
                out.update(dict.fromkeys(nodes_of(pool.get(name))))
            if pool.op not in MADE:
                out[pool] = None
        elif not isinstance(pool, Const):
            out[pool] = None
    return tuple(out)


def pool_values(stage: Stage, rows: Rows) -> list[dict[Node, Value]]:
    """Of each row the values that its pools need."""
    columns = {node: typed(node, rows) for node in pool_nodes(stage)}
    return [{node: column[i] for node, column in columns.items()} for i in range(rows.n)]
