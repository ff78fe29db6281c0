"""Stages: the questions of one filling, each with its window, its answer and its wrong options.

A template that is no chain has one stage, whose window is its unit's.  Stages are put in an order
in which each finds what it rests on: a window that it sees or lies in, options that it joins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ontology.keys import Key
from transforms.algebra.columns.evaluate import evaluate, holds
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.select import stretch_of
from transforms.algebra.columns.typed import typed
from transforms.algebra.columns.values import Range, Stretch
from transforms.algebra.operators.near.times import (
    Room,
    apart_of,
    margin,
    places_of,
    reach_of,
    rows_around,
    span_of,
)
from transforms.algebra.said import said
from transforms.algebra.tree import Call, Name, Node
from transforms.algebra.walk import names_in
from transforms.language.program import Program, Stage
from transforms.questions.fill import certain
from transforms.questions.pools import TIMES, Put, exchanged, offered_by, parts_of, pool_of
from transforms.questions.texts import statements_of
from transforms.questions.windows import (
    EDGE,
    PLACES,
    Span,
    looked_around,
    placed,
    width,
)
from transforms.questions.wrong import WRONG, Case, pool_values

WHOLE = "there is room for whole windows"
"""Why shorter ones are not tried: what the whole ones lack is the reason."""

OUTSIDE = "the answer would lie at the edge of its window, or the window outside the one around it"


@dataclass
class Putting:
    """All stages of a batch of fillings.

    Attributes:
        keys: of each filling.
        turn: how many places of the windows have been tried before.
        why: of each filling what left it without one of its questions; '' so far nothing.
    """

    program: Program
    rows: Rows
    keys: Sequence[Key]
    turn: int = 0
    why: list[str] = field(default_factory=list)
    done: dict[str, Put] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.why = [""] * self.rows.n
        self.even = turns(self.program.stages) > 1 and self.turn < len(PLACES)
        base = self.rows.base
        whole, window = stretch_of(self.rows.name("video")), stretch_of(self.rows.name("window"))
        self.whole = spans_of(whole, base)
        self.given = spans_of(window, base)

    def put(self) -> dict[str, Put]:
        """Every stage, in the order of the file."""
        for stage in in_order(self.program.stages):
            self.done[stage.name] = self._put(stage)
        return {stage.name: self.done[stage.name] for stage in self.program.stages}

    def _put(self, stage: Stage) -> Put:
        put = Put(stage, self._rows(), self.keys, even=self.even)
        known = self._known_windows(stage, put.rows)
        put.windows = known or self._parents(stage)
        put.rows.names["window"] = self._column(put.windows)
        put.answers = self._answers(stage, put.rows)
        beside = None if known is not None else [margin(value) for value in put.answers[0]]
        self._offer(put, beside)
        if beside is not None:
            put.windows = [self._around_options(put, i, one) for i, one in enumerate(beside)]
            put.rows.names["window"] = self._column(put.windows)
        for node in stage.where:
            self.note_all(holds(node, put.rows).tolist(), said(node))
        return put

    def _rows(self) -> Rows:
        """Rows of their own, with the windows of the stages before in sight by their names."""
        rows = self.rows.inside(np.arange(self.rows.n))
        rows.names.update({name: self._column(put.windows) for name, put in self.done.items()})
        return rows

    def _column(self, windows: Sequence[Span]) -> Stretch:
        base = self.rows.base
        start, end = (base + np.array(edge, np.int64).reshape(-1)
                      for edge in (list(zip(*windows, strict=True)) or ((), ())))  # fmt: skip
        return Stretch(Range.exact(start), Range.exact(end))

    def note(self, i: int, reason: str) -> None:
        """A filling cannot be asked; the first reason stays."""
        self.why[i] = self.why[i] or reason

    def note_all(self, keep: Sequence[bool], reason: str) -> None:
        """The same for every filling that is not kept."""
        for i, one in enumerate(keep):
            if not one:
                self.note(i, reason)

    # -- windows --------------------------------------------------------------------------------

    def _parents(self, stage: Stage) -> list[Span]:
        inside = stage.window.inside if stage.window is not None else ""
        return self.done[inside].windows if inside else list(self.whole)

    def _known_windows(self, stage: Stage, rows: Rows) -> list[Span] | None:
        """Windows that do not rest on the stage's own options."""
        if stage.see:
            return self.done[stage.see].windows
        if stage.window is None:
            return list(self.given)
        if stage.window.around is None:
            return None
        held = stretch_of(evaluate(stage.window.around, rows))
        self.note_all(held.ok.tolist(), "window")
        spans = spans_of(held, rows.base, wide=True)
        limits, rows_of = self._limits(stage, spans), self._with_rows(stage, spans)
        found = []
        for i in range(rows.n):
            around, anywhere = rows_of[i]
            if self.even and not (limits[i][0] <= anywhere[0] and anywhere[1] <= limits[i][1]):
                self.note(i, OUTSIDE)
            found.append(self._window(stage, spans[i], around, spans[i], i, limits[i]))
        return found

    def _limits(self, stage: Stage, held: Sequence[Span]) -> list[Span]:
        """In which stretch each window may lie."""
        out = list(self._parents(stage))
        assert stage.window is not None
        for video in np.unique(self.rows.video).tolist() if stage.window.looked else ():
            mine = np.flatnonzero(self.rows.video == video).tolist()
            found = looked_around(self.rows.relation, stage.window, video,
                                  [held[i] for i in mine], [out[i] for i in mine])  # fmt: skip
            for i, span in zip(mine, found, strict=True):
                out[i] = span
        return out

    def _with_rows(self, stage: Stage, held: Sequence[Span]) -> list[tuple[Span, Span]]:
        """What each window holds, with the rows of times of the stages that lie in it: where the
        right ones stand at the place that is drawn, and wherever they might stand.

        A window around the first does not show the place; it is asked for where there is room for
        the second, so that no place is asked more often than another.
        """
        out = [(one, one) for one in held]
        for inner in self.program.stages:
            window, node, pool = inner.window, inner.answer[0][1], pool_of(inner, "near")
            if window is None or window.inside != stage.name or window.around is not None:
                continue
            if pool is None or node.type.name not in TIMES or "window" in names_in(node):
                continue
            apart, wanted = apart_of(pool.get("apart")), pool.get("most") or WRONG
            fps = Put(stage, self.rows, self.keys).fps
            for i, value in enumerate(typed(node, self.rows)):
                places = places_of(self.keys[i], wanted)
                more = _beyond(held[i], span_of(value), margin(value) + window.room)
                drawn, every = (rows_around(value, wanted, some, apart, fps[i])
                                for some in (places[:1], places))  # fmt: skip
                out[i] = _joined(out[i][0], drawn, more), _joined(out[i][1], every, more)
        return out

    def _window(
        self, stage: Stage, held: Span, rows: Span, answer: Span, i: int, limits: Span
    ) -> Span:
        """A window that holds something, with the answer truly inside; the recording if none.

        Args:
            rows: what it holds, with the rows of times that are to find room.
        """
        assert stage.window is not None
        free = limits[1] - limits[0] - bool(stage.window.inside)
        least, whole = (width(held, one, stage.window.room)
                        for one in (stage.window.at_least, stage.window.wanted))  # fmt: skip
        whole = max(whole, rows[1] - rows[0] + EDGE * (stage.window.around is not None))
        wide = least if self.turn >= 2 * len(PLACES) else max(least, min(whole, free))
        around = rows if self.even else held
        if whole <= free and not self.even and stage.window.around is not None:
            self.note(i, WHOLE)
        elif wide <= free:
            a, b = placed(around, wide, limits, self.keys[i].extended(stage.name),
                          self.turn % len(PLACES))  # fmt: skip
            if a <= around[0] and around[1] <= b and a < answer[0] and answer[1] < b:
                return a, b
        self.note(i, OUTSIDE)
        return self.whole[i]

    def _around_options(self, put: Put, i: int, beside: int) -> Span:
        """A window that reaches equally far beyond the first option and beyond the last."""
        assert put.stage.window is not None
        value = put.answers[0][i]
        spans = [span_of(one) for one in (value, *(choice.value for choice in put.choices[i]))]
        held = min(a for a, _ in spans) - beside, max(b for _, b in spans) + beside
        limits = self._parents(put.stage)[i]
        return self._window(put.stage, held, held, reach_of(value), i, limits)

    # -- answers and options --------------------------------------------------------------------

    def _answers(self, stage: Stage, rows: Rows) -> list[list[Any]]:
        for name, node in stage.answer:
            self.note_all(certain(self.program, node, rows).tolist(), name)
        if len(stage.answer) == 1:
            rows.names["answer"] = evaluate(stage.answer[0][1], rows)
        return [typed(node, rows) for _, node in stage.answer]

    def _offer(self, put: Put, beside: Sequence[int] | None) -> None:
        """Cases and wrong options of every filling; those by exchange come when all is known.

        Args:
            beside: how far the window will reach beyond them, as the right one may lie so far off
                and the window does not show which that is; None where it is known already.
        """
        stage, answers = put.stage, put.answers
        pools = pool_values(stage, put.rows)
        statements = len(statements_of(stage.answer[0][1], self.program))
        for i, key in enumerate(self.keys):
            answer = answers[0][i] if len(answers) == 1 else [column[i] for column in answers]
            own = key.extended(stage.name) if stage.name else key
            put.cases.append(Case(answer, own, pools[i], statements))
        fine = [not why for why in self.why]
        put.rooms = _rooms(put, beside)
        put.parts = parts_of(stage, self.done)
        put.waits = exchanged(stage) is not None or any(part.waits for part in put.parts)
        put.offered = offered_by(put, fine)
        for i, good in enumerate(fine):
            made = put.choose(i) if good and not put.waits else []
            if made is None:
                self.note(i, "wrong")
            put.choices.append(made or [])


def _beyond(held: Span, answer: Span, more: int) -> Span:
    """How far a window reaches before and after a row: as far as from the right time to the ends
    of what it holds, so that it would be the same with any time of the row right."""
    return max(more, answer[0] - held[0]), max(more, held[1] - answer[1])


def _joined(held: Span, rows: Span, more: Span) -> Span:
    """What a window holds and rows of times, with so much before and after."""
    return min(held[0], rows[0] - more[0]), max(held[1], rows[1] + more[1])


def _rooms(put: Put, beside: Sequence[int] | None) -> list[Room]:
    """Where wrong times may lie: in the window, or where a window around them can lie."""
    window = put.stage.window
    if window is None or beside is None:
        return [Room(a, b, b - a) for a, b in put.windows]
    return [Room(a + more, b - more, b - a - 2 * more - window.room - 1)
            for (a, b), more in zip(put.windows, beside, strict=True)]  # fmt: skip


def turns(stages: Sequence[Stage]) -> int:
    """How often a filling is tried: each place of its windows.

    First with right times where they are drawn in their rows; where there is no room for whole
    windows then wherever there is room, and then with windows of their least length.
    """
    windows = [stage.window for stage in stages if stage.window is not None]
    if not windows:
        return 1
    return len(PLACES) * (2 + any(one.wanted > one.at_least for one in windows))


def in_order(stages: Sequence[Stage]) -> Iterator[Stage]:
    """The stages so that each comes after all that it rests on, else as they are written."""
    left, done = list(stages), set()
    names = {stage.name for stage in stages}
    while left:
        ready = next((one for one in left if _needs(one) & names <= done), left[0])
        left.remove(ready)
        done.add(ready.name)
        yield ready


def _needs(stage: Stage) -> set[str]:
    """Names that a stage rests on, those of ``let`` among them."""
    out = {stage.see, stage.window.inside if stage.window else ""}
    for pool in stage.wrong:
        if isinstance(pool, Name):
            out.add(pool.name)
        elif isinstance(pool, Call):
            out |= names_in(
                tuple(value for _, value in pool.args if isinstance(value, Node | tuple))
            )
    return (out - {""}) - {stage.name}


def spans_of(of: Stretch, base: np.ndarray, wide: bool = False) -> list[Span]:
    """Stretches as printed, or with ``wide`` all that they may be."""
    start, end = (of.start.lo, of.end.hi) if wide else (of.start.at, of.end.at)
    return list(zip((start - base).tolist(), (end - base).tolist(), strict=True))
