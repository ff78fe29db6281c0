"""Compile a template to one SQL query that computes its values, conditions and wrong options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from surgqa.transforms.algebra.sql.asked import SqlProgram, SqlStage
from surgqa.transforms.algebra.sql.query import CASES, Query, QueryColumn, root, written
from surgqa.transforms.algebra.sql.scope import SqlScope, SqlScript
from surgqa.transforms.algebra.sql.slots import slot, value_of
from surgqa.transforms.algebra.sql.truths import holds
from surgqa.transforms.algebra.sql.values import RANGE, SqlValue
from surgqa.transforms.algebra.tree import Call, Name, Node, Step
from surgqa.transforms.algebra.types import INSTANT, Type
from surgqa.transforms.algebra.types import STRETCH as STRETCH_TYPE

MADE = ("near", "orders", "exchange", "halves")
"""Operators that make wrong options from the answer; no query computes their values."""


class Compiling:
    """Compiles one parsed template to SQL.

    A case is one item. The values that were drawn for it are read from the table ``cases``; all
    other values are computed. For a chain (several questions about one event), they are computed
    over the whole video, at the start of the event; each stage (question) has its own window.
    """

    def __init__(self, program: SqlProgram, script: SqlScript | None = None) -> None:
        self.program, self.script = program, script or SqlScript()
        self.names = root(self.script)
        given = self.names.bound["window"]
        chain = program.unit.kind == "chain"
        if chain:
            self.names.bound["window"] = self.names.bound["video"]
            self.names.makers["now"] = self._start_of_event
            del self.names.bound["now"]
        self.names.makers |= {"round": lambda: self._slot("round", INSTANT)}
        for step in program.let:
            for name in step.names:
                self.names.makers[name] = self._maker(name, step)
        self._windows = {"": given}
        self._stages: dict[str, SqlScope] = {}

    def stage(self, stage: SqlStage, own: bool = True) -> SqlScope:
        """Return the scope in which a stage's expressions are evaluated: its window and all names.

        Args:
            own: True if the case states this stage's window; otherwise it is ``NAME.window`` in the
                case's ``slots``.
        """
        if stage.name not in self._stages:
            window = self._windows[""] if own else self._window_of(stage.name)
            bound = {**self.names.bound, "window": window}
            scope = SqlScope(self.script, self.names.rows, bound, makers=self._outside())
            for other in self.program.stages if stage.name else ():
                scope.makers |= self._of_stage(other, stage, window)
            if len(stage.answer) == 1:
                scope.makers["answer"] = lambda: scope.value(stage.answer[0][1])
            self._stages[stage.name] = scope
        return self._stages[stage.name]

    def _of_stage(
        self, other: SqlStage, stage: SqlStage, window: SqlValue
    ) -> dict[str, Callable[[], SqlValue]]:
        def answer() -> SqlValue:
            return self.stage(other, own=other is stage).value(other.answer[0][1])

        def place() -> SqlValue:
            return window if other is stage else self._window_of(other.name)

        return {other.name: place, f"{other.name}.answer": answer}

    def _outside(self) -> dict[str, Callable[[], SqlValue]]:
        """Return, for each name of ``let``, a function that computes its value for all stages.

        These values do not depend on a stage's window.
        """
        if self.program.unit.kind != "chain":
            return self.names.makers
        names = [name for step in self.program.let for name in step.names]
        return {name: lambda name=name: self.names.value(Name(INSTANT, name))
                for name in (*names, "now", "round")}  # fmt: skip

    def _maker(self, name: str, step: Step) -> Callable[[], SqlValue]:
        if not step.draws:
            return lambda: self.names.value(step.node)
        among = step.node.get("of") if isinstance(step.node, Call) else None
        type_ = step.node.type
        return lambda: value_of(type_, slot(name, CASES), self.names, among)

    def _slot(self, name: str, type_: Type) -> SqlValue:
        return value_of(type_, slot(name, CASES), self.names)

    def _window_of(self, name: str) -> SqlValue:
        if name not in self._windows:
            self._windows[name] = self._slot(f"{name}.window", STRETCH_TYPE)
        return self._windows[name]

    def _start_of_event(self) -> SqlValue:
        event = self.names.value(Name(INSTANT, self.program.unit.chain))
        return self.names.row(
            RANGE, "v.s as lo, v.s as at, v.s as hi, null::bigint as mark, v.ok as ok, "
            "v.none as none", v=event
        )  # fmt: skip


def compiled(
    program: SqlProgram, stage: SqlStage | None = None, more: Sequence[Node] = ()
) -> Query:
    """Return the query of one stage (question) of a template, which gives all values of each item.

    Its columns are structs: ``let.NAME`` for every name, ``where.K`` for every condition of the
    template and then of the stage, ``answer.FIELD``, ``pool.K`` for every entry of ``wrong`` that
    has values, ``except.K.J`` for what that entry excludes, ``due`` and ``say`` of rounds, and
    ``more.K``. :func:`~transforms.algebra.sql.typed.typed` reads them.

    Args:
        stage: a stage of a chain; None for the first.
        more: further expressions to evaluate, such as those that the stage's texts print.
    """
    stage = stage or program.stages[0]
    making = Compiling(program)
    values: dict[str, SqlValue] = {}
    columns: dict[str, QueryColumn] = {}
    nodes: dict[str, Node] = {}
    further = [(f"more.{k}", node, making.stage(stage)) for k, node in enumerate(more)]
    for name, node, scope in (*_wanted(program, stage, making), *further):
        value = holds(node, scope) if name.startswith("where.") else scope.value(node)
        values[name], nodes[name] = value, node
        columns[name] = QueryColumn(value.shape, node.type.name, value.fields, value.of)
    last, script = written(making.script, making.names, values), making.script
    return Query(script.query(last), columns, nodes, tuple(name for name, _, _ in further),
                 script.query(last, with_shared=False), script.shared)  # fmt: skip


def _wanted(
    program: SqlProgram, stage: SqlStage, making: Compiling
) -> Iterator[tuple[str, Node, SqlScope]]:
    scope = making.stage(stage)
    for step in program.let:
        for name in step.names:
            yield f"let.{name}", Name(step.node.type, name), making.names
    for k, node in enumerate((*program.where, *stage.where)):
        yield f"where.{k}", node, making.names if k < len(program.where) else scope
    for name, node in stage.answer:
        yield f"answer.{name}", node, scope
    for k, pool in enumerate(stage.wrong):
        yield from _of_pool(k, pool, scope)
    if program.rounds is not None:
        for name, one in (("due", program.rounds.due), ("say", program.rounds.say)):
            if one is not None:
                yield name, one, scope


def _of_pool(k: int, pool: Node, scope: SqlScope) -> Iterator[tuple[str, Node, SqlScope]]:
    if not isinstance(pool, Call):
        if pool.type.name != "stage":
            yield f"pool.{k}", pool, scope
        return
    if pool.op not in MADE:
        yield f"pool.{k}", pool, scope
    given = pool.get("except") or ()
    for j, node in enumerate(given if isinstance(given, tuple) else (given,)):
        yield f"except.{k}.{j}", node, scope
