"""Wrong options that are computed for many possible questions at once.

They are times near the answer, combinations of right and wrong answers of other stages, and values
for which the condition ``unless`` is certainly false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from surgqa.ontology.keys import Key
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.ruled import ruled_out
from surgqa.transforms.algebra.operators.pools.times import (
    Room,
    TimeRequest,
    apart_of,
    candidates,
    chosen,
    narrowed,
)
from surgqa.transforms.algebra.tree import Call, Node
from surgqa.transforms.algebra.types import element
from surgqa.transforms.language.program import Stage
from surgqa.transforms.questions.windows import Spans
from surgqa.transforms.questions.wrong import WRONG, Choice, OptionCase, options_of, values_of

TIMES = ("instant", "stretch")


@dataclass
class Put:
    """One stage (question) of a template, for every filling (possible question) of a batch.

    Attributes:
        rows: one row for each filling; the names ``window`` and ``answer`` have values in it.
        keys: hash key of each filling, the same in all stages. It draws the position of the right
            time among the options.
        windows: the window of each filling.
        answers: for each field of the answer, one value for each filling.
        rooms: for each filling, the interval in which wrong times may lie.
        even: for each filling, True if the right time is at the drawn position among the options,
            or if the answer is not a time.
        parts: the stages whose options the operator ``halves`` combines.
        waits: True if the options come from other questions, or are derived from such options.
            They are then added later.
        offered: for each filling, the values of pools that are computed for all fillings at once.
        choices: wrong options of each filling; empty if it needs none or does not have them yet.
        blocks: for each filling with options from other questions, the id of its block.
    """

    stage: Stage
    rows: Rows
    keys: Sequence[Key]
    windows: Spans = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    answers: list[list[Any]] = field(default_factory=list)
    cases: list[OptionCase] = field(default_factory=list)
    rooms: list[Room] = field(default_factory=list)
    even: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    parts: list[Put] = field(default_factory=list)
    waits: bool = False
    offered: list[dict[Node, Sequence[Any]]] = field(default_factory=list)
    choices: list[list[Choice]] = field(default_factory=list)
    blocks: dict[int, str] = field(default_factory=dict)

    def keep(self, index: np.ndarray) -> None:
        """Keep only the rows with these indices."""
        self.rows, self.windows, self.even = (
            self.rows.take(index), self.windows[index], self.even[index])  # fmt: skip
        places = index.tolist()
        self.keys = [self.keys[i] for i in places]
        self.answers = [[column[i] for i in places] for column in self.answers]
        for each in (self.cases, self.rooms, self.offered, self.choices):
            each[:] = [each[i] for i in places] if each else []  # type: ignore[index, misc]

    def give(self, i: int, choices: list[Choice], block: str = "") -> None:
        """Set the wrong options of a row, taken from other questions.

        Args:
            i: index of the row.
            block: id of the group of questions that share their answers as options; '' without one.
        """
        self.choices[i] = choices
        if block:
            self.blocks[i] = block

    def join(self, i: int) -> bool:
        """Derive the options of row ``i`` from those of ``parts``; False if these have none."""
        self.choices[i] = self.choose(i) or []
        return bool(self.choices[i])

    def choose(self, i: int, without: Node | None = None) -> list[Choice] | None:
        """Return wrong options from all pools except ``without``; None if there are too few."""
        stage = self.stage
        if without is not None:
            stage = replace(stage, wrong=tuple(one for one in stage.wrong if one is not without))
        joined: dict[Node, Sequence[Any]] = {
            pool: _halves(self, i)
            for pool in stage.wrong
            if isinstance(pool, Call) and pool.op == "halves"
        }
        return options_of(stage, self.cases[i], {**self.offered[i], **joined})


def exchanged(stage: Stage) -> Call | None:
    """Return the pool that takes wrong options from other questions; None if there is none."""
    return pool_of(stage, "exchange")


def pool_of(stage: Stage, op: str) -> Call | None:
    """Return the first entry of ``wrong`` that the operator ``op`` computes; None without one."""
    return next((one for one in stage.wrong if isinstance(one, Call) and one.op == op), None)


def parts_of(stage: Stage, before: Mapping[str, Put]) -> list[Put]:
    """Return the earlier stages whose options the stage combines (operator ``halves``)."""
    return [before[part.name] for pool in stage.wrong
            if isinstance(pool, Call) and pool.op == "halves"
            for part in pool.get("of")]  # fmt: skip


def fps_of(rows: Rows) -> list[Fraction]:
    """Return the frames per second of the video of each row."""
    return [rows.relation.recordings[video].fps for video in rows.video.tolist()]


def offered_by(put: Put) -> list[dict[Node, Sequence[Any]]]:
    """Return, for each row, the values of the ``wrong`` entries that are computed for all rows."""
    out: list[dict[Node, Sequence[Any]]] = [{} for _ in put.cases]
    for pool in put.stage.wrong:
        if not isinstance(pool, Call) or pool.op in ("exchange", "halves"):
            continue
        found: Sequence[Sequence[Any]]
        if pool.op == "near" and put.stage.answer[0][1].type.name in TIMES:
            found = _times(pool, put)
        elif pool.get("unless") is not None:
            found = free_of(pool, [list(values_of(pool, case)) for case in put.cases], put)
        else:
            continue
        for one, many in zip(out, found, strict=True):
            one[pool] = many
    return out


def free_of(pool: Call, values: Sequence[Sequence[Any]], put: Put) -> Sequence[Sequence[Any]]:
    """Return, for each row, those values for which the entry's ``unless`` is certainly false."""
    unless = pool.get("unless")
    if unless is None:
        return values
    of = pool.type
    of = element(of) if of.name in ("set", "sequence", "facts") else put.stage.answer[0][1].type
    return ruled_out(unless, str(pool.get("as", "it")), values, of, put.rows)


# -- times --------------------------------------------------------------------------------------


def _times(pool: Call, put: Put) -> list[Sequence[Any]]:
    rooms, fps = narrowed(put.rooms, pool, put.rows), fps_of(put.rows)
    most, apart = pool.get("most") or WRONG, apart_of(pool.get("apart"))
    asked = [TimeRequest(case.answer, most, rooms[i], put.keys[i], fps[i], apart, bool(put.even[i]))
             for i, case in enumerate(put.cases)]  # fmt: skip
    free = free_of(pool, [candidates(one) for one in asked], put)
    return [chosen(one, values) if values else [] for one, values in zip(asked, free, strict=True)]


# -- halves -------------------------------------------------------------------------------------


def _halves(put: Put, i: int) -> list[Any]:
    """Return pairs of answers of two stages, at least one of them wrong.

    Each stage contributes its right answer and one wrong answer.
    """
    if not all(part.choices[i] for part in put.parts):
        return []
    (right, wrong), (other, false) = (
        (part.cases[i].answer, _one(part, i, put.cases[i].key.extended(f"halves {k}")))
        for k, part in enumerate(put.parts)
    )
    return [[right, false], [wrong, other], [wrong, false]]


def _one(part: Put, i: int, key: Key) -> Any:
    """Return a wrong answer of a stage: the first of its block, otherwise one drawn by ``key``."""
    choices = part.choices[i]
    place = 0 if i in part.blocks else key.choose([str(k) for k in range(len(choices))])
    return choices[place].value
