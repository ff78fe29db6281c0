"""Columns of an item's row that are no texts: operator, values, shown frames, and limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from surgqa.ontology.items import Check
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.typed import at_us, typed
from surgqa.transforms.algebra.columns.values import defined
from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.tree import Call, Const, Name, Node, Pattern, Read
from surgqa.transforms.language.program import Program, Stage

MODES = ("retrospective", "present", "future", "proactive")
"""First parts of a task's name that also state the temporal mode of a question."""

MAIN = "main"


def numbers(program: Program) -> Mapping[str, int | None]:
    """Return the number of each stage: 0 for the main question, the others from 1.

    The number is None if the template is not a chain.

    The main question is the stage called ``main``. Without one, it is the first stage that uses
    another stage's window, or else the last stage, to which all others lead.
    """
    if program.unit.kind != "chain":
        return {stage.name: None for stage in program.stages}
    names = [stage.name for stage in program.stages]
    seeing = [stage.name for stage in program.stages if stage.see]
    main = MAIN if MAIN in names else next(iter(seeing), names[-1])
    rest = [name for name in names if name != main]
    return {name: rest.index(name) + 1 if name != main else 0 for name in names}


def stage_numbered(program: Program, number: int | None) -> str:
    """Return the name of the stage to which :func:`numbers` gives this number."""
    return next(name for name, one in numbers(program).items() if one == number)


def rule_of(node: Node, program: Program) -> str:
    """Return the name of the operator that computes a value.

    For a property of a value, such as ``act.start``, it is the operator that computes ``act``.
    """
    node = program.meant(node)
    match node:
        case Call():
            return node.op
        case Read():
            return rule_of(node.base, program)
        case Name():
            return node.name
        case Pattern():
            return "facts"
        case _:
            return "value"


def stage_fields(program: Program, stage: Stage) -> dict[str, Any]:
    """Return the columns of a row that are the same for all items of a stage.

    ``fields`` lists the answer's fields in template order; the JSON keys are sorted instead.
    """
    answer = {name: {"type": node.type.name, "of": node.type.of} for name, node in stage.answer}
    args = {
        "answer": answer, "fields": list(answer), "mode": program.mode, "program": program.digest,
        "scorer": program.scorer,
        "pools": [pool.op if isinstance(pool, Call) else "value" for pool in stage.wrong],
        **({"ranked": {"top": stage.ranked.top}} if stage.ranked is not None else {}),
    }  # fmt: skip
    mode = program.task.split("/", 1)[0]
    timed, turns = mode in MODES, "streaming" if program.unit.kind == "stream" else "single_turn"
    return {
        "form": stage.form,
        "task": f"{program.task}/{stage.name}" if stage.name else program.task,
        "unit": program.unit.kind,
        "rule": rule_of(stage.answer[0][1], program),
        "rule_args": orjson.dumps(args, option=orjson.OPT_SORT_KEYS).decode(),
        "certain": program.reading,
        "temporal_mode": mode if timed else None,
        "task_mode": turns if timed else None,
    }  # fmt: skip


# -- values of names, and limits ----------------------------------------------------------------

SHOWN, ALSO = "shown_us", "also"
"""More keys of ``slots``: the times of the shown frames in order; and other answers that a ranking
may put first, null if they are not certain."""


def shown_times(program: Program, rows: Rows) -> list[tuple[int, ...]]:
    """Return, for each row, the times of its shown frames in microseconds of the video."""
    if program.show is None:
        return [()] * rows.n
    values = typed(program.show, rows)
    return [tuple(map(at_us, one if isinstance(one, list) else [one])) for one in values]


def drawn_of(program: Program, rows: Rows) -> list[dict[str, Any]]:
    """Return, for each row, the values that the template's ``each`` steps drew."""
    columns = {name: typed(Name(step.node.type, name), rows) for step in program.let
               for name in step.names if name in program.drawn}  # fmt: skip
    return [{name: columns[name][i] for name in program.drawn} for i in range(rows.n)]


def slots_of(program: Program, rows: Rows) -> list[dict[str, Any]]:
    """Return, for each row, its ``slots``: the values of the template's names, and more keys."""
    columns: dict[str, list[Any]] = {}
    if program.show is not None:
        columns[SHOWN] = [list(times) for times in shown_times(program, rows)]
    ranked = program.stages[0].ranked
    if ranked is not None and ranked.also is not None:
        also, sure = typed(ranked.also, rows), defined(evaluate(ranked.also, rows))
        columns[ALSO] = [also[i] if sure[i] else None for i in range(rows.n)]
    for step in program.let:
        columns |= {name: typed(Name(step.node.type, name), rows) for name in step.names}
    return [{name: column[i] for name, column in columns.items()} for i in range(rows.n)]


SIGNS = (">=", "<=", ">", "<")
UNITS = {"duration": SECOND_US, "number": 1}
"""Type of a measured value -> the value that counts as 1 in ``measured``, such as a second."""


def gates(program: Program, rows: Rows) -> list[tuple[Check, ...]]:
    """Return, for each row, how the comparisons in ``where`` came out: value and limit of each.

    They are in template order. Durations are in seconds.
    """
    out: list[list[Check]] = [[] for _ in range(rows.n)]
    for left, sign, right in _limits(program.where):
        unit = UNITS[left.type.name]
        assert isinstance(right.value, int | float)
        limit = f"{sign} {right.value / unit:g}"
        for found, value in zip(out, typed(left, rows), strict=True):
            measured = value["value"] if isinstance(value, dict) else value
            found.append(Check(said(left), round(measured / unit, 6), limit))
    return [tuple(found) for found in out]


def _limits(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, str, Const]]:
    for node in nodes:
        if isinstance(node, Call) and node.op == "compare" and node.get("sign") in SIGNS:
            left, right = node.get("left"), node.get("right")
            if isinstance(right, Const) and left.type.name in UNITS:
                yield left, node.get("sign"), right
