"""Pools whose values are found for many fillings at once: times beside the answer, parts of
stages that are right and wrong in all ways, and whatever a condition has to rule out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ontology.keys import Key
from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.select import stretch_of
from transforms.algebra.columns.typed import column
from transforms.algebra.columns.values import Many, Truth
from transforms.algebra.operators.near.times import Asked, Room, apart_of, candidates, chosen
from transforms.algebra.tree import Call, Node
from transforms.algebra.types import Type, element
from transforms.language.program import Stage
from transforms.questions.windows import Span
from transforms.questions.wrong import WRONG, Case, Choice, name_of, nodes_of, values_of

TIMES = ("instant", "stretch")


@dataclass
class Put:
    """One stage, put to every filling of a put.

    Attributes:
        rows: the fillings with the stage's ``window`` and ``answer`` in sight.
        windows: of each filling, microseconds of its recording.
        answers: of each field the typed values.
        rooms: where wrong times may lie.
        parts: the stages that ``halves`` joins.
        waits: its options come by exchange, or are made of such.
        offered: of each filling the values of pools that one filling alone cannot tell.
        choices: wrong options; empty where the answer needs none, or as long as they wait.
        blocks: filling -> id of the block in which its options were exchanged.
    """

    stage: Stage
    rows: Rows
    windows: list[Span] = field(default_factory=list)
    answers: list[list[Any]] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    rooms: list[Room] = field(default_factory=list)
    parts: list[Put] = field(default_factory=list)
    waits: bool = False
    offered: list[dict[Node, Sequence[Any]]] = field(default_factory=list)
    choices: list[list[Choice]] = field(default_factory=list)
    blocks: dict[int, str] = field(default_factory=dict)


def exchanged(stage: Stage) -> Call | None:
    """The pool of a stage whose options come by exchange."""
    return next((one for one in stage.wrong if isinstance(one, Call) and one.op == "exchange"),
                None)  # fmt: skip


def parts_of(stage: Stage, before: Mapping[str, Put]) -> list[Put]:
    """The stages, put before, that a stage's options join."""
    return [before[part.name] for pool in stage.wrong
            if isinstance(pool, Call) and pool.op == "halves"
            for part in pool.get("of")]  # fmt: skip


def offered_by(put: Put, fine: Sequence[bool]) -> list[dict[Node, Sequence[Any]]]:
    """Of each filling the values of those pools that one filling alone cannot tell.

    Args:
        fine: of each filling whether it can be asked so far.
    """
    out: list[dict[Node, Sequence[Any]]] = [{} for _ in put.cases]
    for pool in put.stage.wrong:
        if not isinstance(pool, Call) or pool.op == "exchange":
            continue
        found: Sequence[Sequence[Any]]
        if pool.op == "halves":
            found = [_halves(put, i) for i in range(len(put.cases))]
        elif pool.op == "near" and put.stage.answer[0][1].type.name in TIMES:
            found = _times(pool, put, fine)
        elif pool.get("unless") is not None:
            values = [list(values_of(pool, case)) if good else []
                      for case, good in zip(put.cases, fine, strict=True)]  # fmt: skip
            found = free_of(pool, values, put)
        else:
            continue
        for one, many in zip(out, found, strict=True):
            one[pool] = many
    return out


def free_of(pool: Call, values: Sequence[Sequence[Any]], put: Put) -> Sequence[Sequence[Any]]:
    """The values of which the pool's condition is certainly false."""
    unless = pool.get("unless")
    if unless is None:
        return values
    of = pool.type
    of = element(of) if of.name in ("set", "sequence", "facts") else put.stage.answer[0][1].type
    return ruled_out(unless, str(pool.get("as", "it")), values, of, put.rows)


def ruled_out(
    unless: Node, alias: str, offered: Sequence[Sequence[Any]], of: Type, rows: Rows
) -> list[list[Any]]:
    """Of each row those values of which a condition is certainly false.

    Args:
        alias: how the condition names the value.
        offered: of each row its typed values of the type ``of``.
    """
    filling = np.repeat(np.arange(rows.n), [len(values) for values in offered])
    if not len(filling):
        return [[] for _ in range(rows.n)]
    values = [value for many in offered for value in many]
    inner = rows.inside(filling)
    inner.names[alias] = column(values, of, inner)
    truth = evaluate(unless, inner)
    assert isinstance(truth, Truth)
    out: list[list[Any]] = [[] for _ in range(rows.n)]
    for i, value, is_out in zip(filling.tolist(), values, (truth.no & truth.ok).tolist(),
                                strict=True):  # fmt: skip
        if is_out:
            out[i].append(value)
    return out


# -- times --------------------------------------------------------------------------------------


def _times(pool: Call, put: Put, fine: Sequence[bool]) -> list[Sequence[Any]]:
    rooms, starts, apart = _rooms(pool, put), _starts(pool, put), apart_of(pool.get("apart"))
    fps = [put.rows.relation.recordings[video].fps for video in put.rows.video.tolist()]
    asked = [
        Asked(case.answer, pool.get("most") or WRONG, rooms[i], case.key.extended(name_of(pool)),
              fps[i], apart, starts[i])
        for i, case in enumerate(put.cases)
    ]  # fmt: skip
    tried = [candidates(one) if good else [] for one, good in zip(asked, fine, strict=True)]
    free = free_of(pool, tried, put)
    return [chosen(one, values) if values else [] for one, values in zip(asked, free, strict=True)]


def _rooms(pool: Call, put: Put) -> list[Room]:
    """The stage's own rooms, and within the stretch or the stage that the pool names."""
    rooms = list(put.rooms)
    for node in nodes_of(pool.get("inside")):
        held = stretch_of(evaluate(node, put.rows))
        base = put.rows.base
        edges = zip((held.start.hi - base).tolist(), (held.end.lo - base).tolist(), strict=True)
        rooms = [Room(max(r.low, a), min(r.high, b), r.most)
                 for r, (a, b) in zip(rooms, edges, strict=True)]  # fmt: skip
    return rooms


def _starts(pool: Call, put: Put) -> list[tuple[int, ...]]:
    """Where the preferred facts begin."""
    out: list[set[int]] = [set() for _ in put.cases]
    for node in nodes_of(pool.get("prefer")):
        found = evaluate(node, put.rows)
        assert isinstance(found, Many)
        base = put.rows.base[found.filling]
        for i, start in zip(found.filling.tolist(), (found.columns["s"] - base).tolist(),
                            strict=True):  # fmt: skip
            out[i].add(start)
    return [tuple(sorted(one)) for one in out]


# -- halves -------------------------------------------------------------------------------------


def joined(put: Put, i: int) -> dict[Node, Sequence[Any]]:
    """The values of a filling's pools that join options of other stages."""
    return {pool: _halves(put, i) for pool in put.stage.wrong
            if isinstance(pool, Call) and pool.op == "halves"}  # fmt: skip


def _halves(put: Put, i: int) -> list[Any]:
    """Right with wrong, wrong with right, wrong with wrong: one wrong value of each part."""
    parts, case = put.parts, put.cases[i]
    if not all(part.choices[i] for part in parts):
        return []
    (right, other), (wrong, false) = zip(*(
        (part.cases[i].answer, _one(part, i, case.key.extended(f"halves {k}")))
        for k, part in enumerate(parts)
    ), strict=True)  # fmt: skip
    return [[right, false], [wrong, other], [wrong, false]]


def _one(part: Put, i: int, key: Key) -> Any:
    """A wrong value of a part: in a block that of the partner, which comes first."""
    choices = part.choices[i]
    place = 0 if i in part.blocks else key.choose([str(k) for k in range(len(choices))])
    return choices[place].value
