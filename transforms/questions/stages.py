"""Stages: the questions of a chain, each with its window, its answer and its wrong options.

A template without a chain has one stage, whose window is that of its unit (such as a clip). A stage
is processed after the stages whose windows it uses or whose options it combines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from surgqa.ontology.keys import Key
from surgqa.transforms.algebra.columns.evaluate import evaluate, holds
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import stretch_of
from surgqa.transforms.algebra.columns.typed import typed
from surgqa.transforms.algebra.columns.values import Range, Stretch
from surgqa.transforms.algebra.operators.pools.times import (
    Room,
    apart_of,
    margin,
    places_of,
    reach_of,
    rows_around,
    span_of,
)
from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.tree import Call, Name, Node
from surgqa.transforms.algebra.walk import names_in
from surgqa.transforms.language.program import Program, Stage
from surgqa.transforms.questions.certain import certain
from surgqa.transforms.questions.pools import (
    TIMES,
    Put,
    exchanged,
    fps_of,
    offered_by,
    parts_of,
    pool_of,
)
from surgqa.transforms.questions.texts import statements_of
from surgqa.transforms.questions.windows import (
    EDGE,
    PLACES,
    Spans,
    looked_around,
    placed,
    shares_of,
)
from surgqa.transforms.questions.wrong import WRONG, OptionCase, pool_values

WHOLE = "there is room for whole windows"
"""Reason why shorter windows are not tried: the failure of the full-length windows is reported."""

Span = tuple[int, int]
"""(start, end) in microseconds of the video."""

OUTSIDE = "the answer would lie at the edge of its window, or the window outside the one around it"


@dataclass
class Putting:
    """A batch of tries. A try is a filling (values for all names) with its windows.

    Windows, answers and wrong options of all stages are computed for each try. Tries that fail are
    removed.

    Attributes:
        rows: one row for each filling; after initialisation, one row for each remaining try.
        keys: the hash key of each filling; after initialisation, of each remaining try.
        of: int64 (n,), index of the filling of each try.
        turn: int64 (n,), for each try, how many window positions were tried before.
        place: int64 (n,), the original index of each remaining try.
        why: for each remaining try, the reason why one of its questions fails; '' if none has
            failed so far.
        lost: for each removed try, the reason.
    """

    program: Program
    rows: Rows
    keys: Sequence[Key]
    of: np.ndarray
    turn: np.ndarray
    why: list[str] = field(default_factory=list)
    lost: dict[int, str] = field(default_factory=dict)
    done: dict[str, Put] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.fillings, self._keys_of = self.rows, self.keys
        self.fillings.shares = True
        self._shares: dict[str, np.ndarray] = {}
        self._even = turns(self.program.stages) > 1
        self.place = np.arange(len(self.of))
        self._begin()

    def _begin(self) -> None:
        """Make one row for each remaining try (values with windows at certain positions)."""
        self.rows = self.fillings.inside(self.of)
        self.keys = [self._keys_of[i] for i in self.of.tolist()]
        self.why = [""] * self.rows.n
        self.even = (self.turn < len(PLACES)) & self._even
        base = self.rows.base
        whole, window = stretch_of(self.rows.name("video")), stretch_of(self.rows.name("window"))
        self.whole = spans_of(whole, base)
        self.given = spans_of(window, base)

    def put(self) -> dict[str, Put]:
        """Process every stage; return the stages in file order, with the tries that succeeded."""
        for stage in in_order(self.program.stages):
            self._put(stage)
            self._drop()
        return {stage.name: self.done[stage.name] for stage in self.program.stages}

    def reasons(self) -> list[str]:
        """Return, for each try, the reason why it failed; '' if it succeeded."""
        every = {**self.lost, **dict(zip(self.place.tolist(), self.why, strict=True))}
        return [every[i] for i in range(len(every))]

    def _put(self, stage: Stage) -> None:
        put = Put(stage, self._rows(), self.keys, even=self.even)
        known = self._known_windows(stage, put.rows)
        put.windows = self._parents(stage) if known is None else known
        put.rows.names["window"] = self._column(put.windows)
        self.done[stage.name] = put
        self._drop()
        self._answers(put)
        put.parts = parts_of(stage, self.done)
        put.waits = exchanged(stage) is not None or any(part.waits for part in put.parts)
        early = known is not None and (put.waits or not stage.wrong)
        if early:  # no option is chosen here, so the first reason recorded is a condition's
            self._conditions(put)
            self._drop()
        beside = None if known is not None else [margin(value) for value in put.answers[0]]
        self._offer(put, beside)
        if beside is not None:
            put.windows = self._around_options(put, beside)
            put.rows.names["window"] = self._column(put.windows)
        if not early:
            self._conditions(put)

    def _conditions(self, put: Put) -> None:
        for node in put.stage.where:
            self.note_all(holds(node, put.rows), said(node))

    def _rows(self) -> Rows:
        """Return a copy of the rows in which a stage's name has the stage's window as its value."""
        rows = self.rows.inside(np.arange(self.rows.n))
        rows.names.update({name: self._column(put.windows) for name, put in self.done.items()})
        return rows

    def _column(self, windows: Spans) -> Stretch:
        base = self.rows.base
        return Stretch(Range.exact(base + windows[:, 0]), Range.exact(base + windows[:, 1]))

    def note(self, i: int, reason: str) -> None:
        """Record why the try (row) ``i`` fails; only the first reason is kept."""
        self.why[i] = self.why[i] or reason

    def note_all(self, keep: Sequence[bool] | np.ndarray, reason: str) -> None:
        """Record the same reason for every try (row) for which ``keep`` is False."""
        for i in np.flatnonzero(~np.asarray(keep, bool)).tolist():
            self.note(i, reason)

    def _drop(self) -> None:
        """Remove the tries that have failed."""
        if not any(self.why):
            return
        keep = np.array([not why for why in self.why], bool)
        self.lost |= {at: why for at, why in zip(self.place.tolist(), self.why, strict=True) if why}
        self.place, self.of, self.turn = self.place[keep], self.of[keep], self.turn[keep]
        self._begin()
        for put in self.done.values():
            put.keep(np.flatnonzero(keep))

    # -- windows --------------------------------------------------------------------------------

    def _parents(self, stage: Stage) -> Spans:
        inside = stage.window.inside if stage.window is not None else ""
        return self.done[inside].windows if inside else self.whole

    def _known_windows(self, stage: Stage, rows: Rows) -> Spans | None:
        """Return the windows of a stage; None if they depend on the stage's own options."""
        if stage.see:
            return self.done[stage.see].windows
        if stage.window is None:
            return self.given
        if stage.window.around is None:
            return None
        held = stretch_of(evaluate(stage.window.around, rows))
        self.note_all(held.ok, "window")
        spans = spans_of(held, rows.base, wide=True)
        limits, (around, anywhere) = self._limits(stage, spans), self._with_rows(stage, spans)
        room = (limits[:, 0] <= anywhere[:, 0]) & (anywhere[:, 1] <= limits[:, 1])
        self.note_all(room | ~self.even, OUTSIDE)
        return self._windows(stage, spans, around, spans, limits)

    def _limits(self, stage: Stage, held: Spans) -> Spans:
        """Return the stretch in which each window may lie."""
        out = self._parents(stage).copy()
        assert stage.window is not None
        for video in np.unique(self.rows.video).tolist() if stage.window.looked else ():
            mine = np.flatnonzero(self.rows.video == video)
            out[mine] = looked_around(
                self.rows.relation, stage.window, video, held[mine], out[mine]
            )
        return out

    def _with_rows(self, stage: Stage, held: Spans) -> tuple[Spans, Spans]:
        """Return two stretches for each try; its window must be able to contain both.

        Both contain ``held`` and the options of stages inside the window that ask for a time: the
        right time and the wrong times near it. In the first stretch, the right time is at its drawn
        position among the options; the second stretch covers all positions.

        A window around the first stretch does not reveal the position. A question is only asked if
        a window around the second fits too; otherwise some positions would be more frequent than
        others.
        """
        own = np.column_stack([self.of, held])
        each, back = np.unique(own, axis=0, return_inverse=True)
        out = [((a, b), (a, b)) for _, a, b in each.tolist()]
        for inner in self.program.stages:
            window, node, pool = inner.window, inner.answer[0][1], pool_of(inner, "near")
            if window is None or window.inside != stage.name or window.around is not None:
                continue
            if pool is None or node.type.name not in TIMES or "window" in names_in(node):
                continue
            apart, wanted = apart_of(pool.get("apart")), pool.get("most") or WRONG
            fps, values = fps_of(self.fillings), typed(node, self.fillings)
            for k, (i, a, b) in enumerate(each.tolist()):
                value, places = values[i], places_of(self._keys_of[i], wanted)
                more = _beyond((a, b), span_of(value), margin(value) + window.room)
                drawn, every = (rows_around(value, wanted, some, apart, fps[i])
                                for some in (places[:1], places))  # fmt: skip
                out[k] = _joined(out[k][0], drawn, more), _joined(out[k][1], every, more)
        both = np.array(out, np.int64).reshape(-1, 2, 2)[back.reshape(-1)]
        return both[:, 0], both[:, 1]

    def _windows(
        self, stage: Stage, held: Spans, rows: Spans, answer: Spans, limits: Spans
    ) -> Spans:
        """Return windows around ``held`` that have the answer strictly inside.

        If none fits, the window is the whole video, and the reason is recorded.

        Args:
            held: the stretch that each window must contain.
            rows: ``held``, extended to the option times that the window should also contain.
            answer: the stretch of the right answer.
            limits: the stretch in which each window may lie.
        """
        window = stage.window
        assert window is not None
        free = limits[:, 1] - limits[:, 0] - bool(window.inside)
        long = held[:, 1] - held[:, 0] + window.room
        least = np.maximum(window.at_least, long)
        whole = np.maximum(window.wanted, long)
        room = EDGE * (window.around is not None)
        whole = np.maximum(whole, rows[:, 1] - rows[:, 0] + room)
        wide = np.maximum(least, np.minimum(whole, free))
        wide = np.where(self.turn >= 2 * len(PLACES), least, wide)
        around = np.where(self.even[:, None], rows, held)
        whole_fits = (whole <= free) & ~self.even & (window.around is not None)
        self.note_all(~whole_fits, WHOLE)
        found = placed(around, wide, limits, self._drawn_shares(stage))
        a, b = found.T
        fits = (wide <= free) & (a <= around[:, 0]) & (around[:, 1] <= b) & ~whole_fits
        fits &= (a < answer[:, 0]) & (answer[:, 1] < b)
        self.note_all(fits, OUTSIDE)
        return np.where(fits[:, None], found, self.whole)

    def _drawn_shares(self, stage: Stage) -> np.ndarray:
        """Return int64 (n,), how far each window is moved, in twentieths of what is possible."""
        if stage.name not in self._shares:
            drawn = [shares_of(key.extended(stage.name)) for key in self._keys_of]
            self._shares[stage.name] = np.array(drawn, np.int64).reshape(-1, len(PLACES))
        return self._shares[stage.name][self.of, self.turn % len(PLACES)]

    def _around_options(self, put: Put, beside: Sequence[int]) -> Spans:
        """Return windows that extend equally, by ``beside`` us or more, beyond all options."""
        held, reach = [], []
        for value, choices, more in zip(put.answers[0], put.choices, beside, strict=True):
            spans = [span_of(one) for one in (value, *(choice.value for choice in choices))]
            held.append((min(a for a, _ in spans) - more, max(b for _, b in spans) + more))
            reach.append(reach_of(value))
        around, inside = (np.array(one, np.int64).reshape(-1, 2) for one in (held, reach))
        return self._windows(put.stage, around, around, inside, self._parents(put.stage))

    # -- answers and options --------------------------------------------------------------------

    def _answers(self, put: Put) -> None:
        """Compute the answers; remove the tries whose answer is not certain."""
        stage = put.stage
        for name, node in stage.answer:
            self.note_all(certain(self.program, node, put.rows), name)
        self._drop()
        if len(stage.answer) == 1:
            put.rows.names["answer"] = evaluate(stage.answer[0][1], put.rows)
        put.answers = [typed(node, put.rows) for _, node in stage.answer]

    def _offer(self, put: Put, beside: Sequence[int] | None) -> None:
        """Compute the wrong options of every try, except those that other questions give later.

        Args:
            beside: time by which the window will extend beyond the options, equal on both sides, so
                that the window does not reveal the right option; None if the window is already
                known.
        """
        stage, answers = put.stage, put.answers
        pools = pool_values(stage, put.rows)
        statements = len(statements_of(stage.answer[0][1], self.program))
        for i, key in enumerate(self.keys):
            answer = answers[0][i] if len(answers) == 1 else [column[i] for column in answers]
            own = key.extended(stage.name) if stage.name else key
            put.cases.append(OptionCase(answer, own, pools[i], statements))
        put.rooms = _rooms(put, beside)
        put.offered = offered_by(put)
        for i in range(put.rows.n):
            made = put.choose(i) if not put.waits else []
            if made is None:
                self.note(i, "wrong")
            put.choices.append(made or [])


def _beyond(held: Span, answer: Span, more: int) -> Span:
    """Return how far a window extends before its first option and after its last one.

    Both distances follow from how far the ends of ``held`` are from the right time ``answer``, and
    are at least ``more``. The window does not reveal which option is right: it would be the same if
    another option were.
    """
    return max(more, answer[0] - held[0]), max(more, held[1] - answer[1])


def _joined(held: Span, rows: Span, more: Span) -> Span:
    """Return the stretch that a window must contain: its content, and options with margins."""
    return min(held[0], rows[0] - more[0]), max(held[1], rows[1] + more[1])


def _rooms(put: Put, beside: Sequence[int] | None) -> list[Room]:
    """Return, for each row, the interval in which wrong times may lie.

    It is the window. If the window is not known yet, the interval leaves ``beside`` microseconds
    and the window's margin free on both sides.
    """
    window = put.stage.window
    if window is None or beside is None:
        return [Room(a, b, b - a) for a, b in put.windows.tolist()]
    return [Room(a + more, b - more, b - a - 2 * more - window.room - 1)
            for (a, b), more in zip(put.windows.tolist(), beside, strict=True)]  # fmt: skip


def turns(stages: Sequence[Stage]) -> int:
    """Return how often a possible question is tried: once for each position of its windows.

    First, the right times are at their drawn positions among the options. If full-length windows do
    not fit, any position with enough room is tried, and then windows of their least length.
    """
    windows = [stage.window for stage in stages if stage.window is not None]
    if not windows:
        return 1
    return len(PLACES) * (2 + any(one.wanted > one.at_least for one in windows))


def in_order(stages: Sequence[Stage]) -> Iterator[Stage]:
    """Yield the stages, each after the stages that it depends on, otherwise in file order."""
    left, done = list(stages), set()
    names = {stage.name for stage in stages}
    while left:
        ready = next((one for one in left if _needs(one) & names <= done), left[0])
        left.remove(ready)
        done.add(ready.name)
        yield ready


def _needs(stage: Stage) -> set[str]:
    """Return the names that a stage's expressions use, including names of ``let``."""
    out = {stage.see, stage.window.inside if stage.window else ""}
    for pool in stage.wrong:
        if isinstance(pool, Name):
            out.add(pool.name)
        elif isinstance(pool, Call):
            out |= names_in(
                tuple(value for _, value in pool.args if isinstance(value, Node | tuple))
            )
    return (out - {""}) - {stage.name}


def spans_of(of: Stretch, base: np.ndarray, wide: bool = False) -> Spans:
    """Return stretches as they are printed: (start, end).

    With ``wide``, each lasts from its earliest possible start to its latest possible end.
    """
    start, end = (of.start.lo, of.end.hi) if wide else (of.start.at, of.end.at)
    return np.column_stack([start - base, end - base])
