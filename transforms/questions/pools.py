"""Pools whose values are found for many fillings at once: times beside the answer, parts of
stages that are right and wrong in all ways, and whatever a condition has to rule out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.select import stretch_of
from transforms.algebra.columns.values import Many
from transforms.algebra.tree import Call, Name, Node
from transforms.algebra.types import Type, element
from transforms.language.program import Program, Stage
from transforms.questions.near import Asked, Room, apart_of, candidates, chosen
from transforms.questions.offered import ruled_out
from transforms.questions.windows import Span
from transforms.questions.wrong import WRONG, Case, Choice, name_of, nodes_of, values_of
from transforms.timeline.relation import SHIFT

TIMES = ("instant", "stretch")


@dataclass(frozen=True)
class Lists:
    """What a stage gave that was put before: answers, wrong options and windows, by filling."""

    answers: Sequence[Any]
    choices: Sequence[Sequence[Choice]]
    windows: Sequence[Span]


@dataclass(frozen=True)
class Batch:
    """One stage whose wrong options are wanted for many fillings.

    Attributes:
        fine: of each filling whether it can be asked so far.
        rooms: where wrong times may lie.
        before: stages that were put before, by name.
    """

    stage: Stage
    program: Program
    rows: Rows
    cases: Sequence[Case]
    fine: Sequence[bool]
    rooms: Sequence[Room]
    before: Mapping[str, Lists]

    @property
    def of(self) -> Type:
        """Type of the answer's first field."""
        return self.stage.answer[0][1].type


def offered_by(batch: Batch) -> list[dict[Node, Sequence[Any]]]:
    """Of each filling the values of those pools that one filling alone cannot tell."""
    out: list[dict[Node, Sequence[Any]]] = [{} for _ in batch.cases]
    for pool in batch.stage.wrong:
        if not isinstance(pool, Call):
            continue
        found = _of_pool(pool, batch)
        if found is not None:
            for one, values in zip(out, found, strict=True):
                one[pool] = values
    return out


def _of_pool(pool: Call, batch: Batch) -> Sequence[Sequence[Any]] | None:
    if pool.op == "halves":
        return _halves(pool, batch)
    if pool.op == "near" and batch.of.name in TIMES:
        return _times(pool, batch)
    if pool.get("unless") is None:
        return None
    values = [list(values_of(pool, case)) if fine else []
              for case, fine in zip(batch.cases, batch.fine, strict=True)]  # fmt: skip
    return _free(pool, values, batch)


def _free(pool: Call, values: Sequence[Sequence[Any]], batch: Batch) -> Sequence[Sequence[Any]]:
    """The values of which the pool's condition is certainly false."""
    unless = pool.get("unless")
    if unless is None:
        return values
    of = element(pool.type) if pool.type.name in ("set", "sequence", "facts") else batch.of
    return ruled_out(unless, str(pool.get("as", "it")), values, of, batch.rows)


# -- times --------------------------------------------------------------------------------------


def _times(pool: Call, batch: Batch) -> list[Sequence[Any]]:
    rooms, starts = _rooms(pool, batch), _starts(pool, batch)
    wanted = pool.get("most") or WRONG
    asked = []
    for i, case in enumerate(batch.cases):
        fps = batch.rows.relation.recordings[int(batch.rows.video[i])].fps
        key = case.key.extended(name_of(pool))
        asked.append(Asked(case.answer, wanted, rooms[i], key, fps, apart_of(pool.get("apart")),
                           starts[i]))  # fmt: skip
    tried = [candidates(one) if fine else []
             for one, fine in zip(asked, batch.fine, strict=True)]  # fmt: skip
    free = _free(pool, tried, batch)
    return [chosen(one, values) if values else [] for one, values in zip(asked, free, strict=True)]


def _rooms(pool: Call, batch: Batch) -> list[Room]:
    """The stage's own rooms, and within the stretch or the stage that the pool names."""
    rooms = list(batch.rooms)
    for node in nodes_of(pool.get("inside")):
        held = stretch_of(evaluate(node, batch.rows))
        base = batch.rows.video.astype(np.int64) << SHIFT
        edges = zip((held.start.hi - base).tolist(), (held.end.lo - base).tolist(), strict=True)
        rooms = [Room(max(r.low, a), min(r.high, b), r.most)
                 for r, (a, b) in zip(rooms, edges, strict=True)]  # fmt: skip
    return rooms


def _starts(pool: Call, batch: Batch) -> list[tuple[int, ...]]:
    """Where the preferred facts begin."""
    out: list[set[int]] = [set() for _ in batch.cases]
    for node in nodes_of(pool.get("prefer")):
        found = evaluate(node, batch.rows)
        assert isinstance(found, Many)
        base = batch.rows.video.astype(np.int64)[found.filling] << SHIFT
        for i, start in zip(found.filling.tolist(), (found.columns["s"] - base).tolist(),
                            strict=True):  # fmt: skip
            out[i].add(start)
    return [tuple(sorted(one)) for one in out]


# -- halves -------------------------------------------------------------------------------------


def _halves(pool: Call, batch: Batch) -> list[Sequence[Any]]:
    """Right with wrong, wrong with right, wrong with wrong: one wrong value of each part."""
    parts = [batch.before[node.name] for node in pool.get("of") if isinstance(node, Name)]
    out: list[Sequence[Any]] = []
    for i, case in enumerate(batch.cases):
        sides = [_two(part, i, case.key.extended(f"halves {k}")) for k, part in enumerate(parts)]
        if len(sides) != 2 or not all(sides):
            out.append([])
            continue
        (right, wrong), (other, false) = sides
        out.append([[right, false], [wrong, other], [wrong, false]])
    return out


def _two(part: Lists, i: int, key: Any) -> tuple[Any, Any] | tuple[()]:
    """(right, wrong) of one part, nothing where it has no wrong one."""
    values = part.choices[i]
    if not values:
        return ()
    names = [str(k) for k in range(len(values))]
    return part.answers[i], values[key.choose(names)].value
