"""What a row tells of the program that it was asked by: all that comes after the build needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from transforms.algebra.said import said
from transforms.algebra.tree import Call, Name, Node, Pattern, Read
from transforms.language.program import Program, Stage

MODES = ("retrospective", "present", "future", "proactive")
"""First parts of tasks that say what of a stream of time an answer rests on."""


MAIN = "main"


def numbers(program: Program) -> Mapping[str, int | None]:
    """Stage -> its number: the main question is 0, the others count from 1; None: no chain.

    The main question is called so; without that name it is the first that sees another's window,
    else the last: the one that all others lead to.
    """
    if program.unit.kind != "chain":
        return {stage.name: None for stage in program.stages}
    names = [stage.name for stage in program.stages]
    seeing = [stage.name for stage in program.stages if stage.see]
    main = MAIN if MAIN in names else next(iter(seeing), names[-1])
    rest = [name for name in names if name != main]
    return {name: rest.index(name) + 1 if name != main else 0 for name in names}


def stage_numbered(program: Program, number: int | None) -> str:
    """The name of the stage with a number of :func:`numbers`."""
    return next(name for name, one in numbers(program).items() if one == number)


def rule_of(node: Node, program: Program) -> str:
    """The operator that gives a value: of a reader that of what it reads."""
    match node:
        case Call():
            return node.op
        case Read():
            return rule_of(node.base, program)
        case Name():
            step = program.step(node.name)
            return rule_of(step.node, program) if step is not None else node.name
        case Pattern():
            return "facts"
        case _:
            return "value"


def told_fields(program: Program, stage: Stage) -> dict[str, Any]:
    """Columns of a row that all items of a program's stage share.

    ``fields`` are the parts of the answer in the order of the template, which sorted keys lose.
    """
    answer = {name: {"type": node.type.name, "of": node.type.of} for name, node in stage.answer}
    args = {
        "answer": answer, "fields": list(answer), "mode": program.mode, "program": program.digest,
        "scorer": program.scorer,
        "pools": [pool.op if isinstance(pool, Call) else "value" for pool in stage.wrong],
        **_ranked(stage),
    }  # fmt: skip
    mode = program.task.split("/", 1)[0]
    timed = mode in MODES
    return {
        "form": stage.form,
        "task": f"{program.task}/{stage.name}" if stage.name else program.task,
        "unit": program.unit.kind,
        "rule": rule_of(stage.answer[0][1], program),
        "rule_args": orjson.dumps(args, option=orjson.OPT_SORT_KEYS).decode(),
        "certain": program.reading,
        "temporal_mode": mode if timed else None,
        "task_mode": ("streaming" if program.unit.kind == "stream" else "single_turn")
        if timed
        else None,
    }  # fmt: skip


def _ranked(stage: Stage) -> dict[str, Any]:
    """Of a ranking how many options count, and which of the names is right as well."""
    if stage.ranked is None:
        return {}
    also = stage.ranked.also
    return {"ranked": {"top": stage.ranked.top, "also": said(also) if also is not None else None}}
