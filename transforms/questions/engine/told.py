"""What a question says of itself: its form, the rule of its answer, what it may see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.algebra.tree import Between, Call, Const, Name, Node, Pattern, Read
from transforms.language.program.program import Program, Stage

MODES = ("present", "retrospective", "future", "proactive")
"""First parts of tasks that say how the answer lies to the time of the question."""

MAIN = "main"


def numbers(program: Program) -> Mapping[str, int | None]:
    """Stage -> its number: the main question is 0, the others count from 1; None: no chain.

    The main question is called so; without that name it is the first that sees another's window.
    """
    if program.unit.kind != "chain":
        return {stage.name: None for stage in program.stages}
    names = [stage.name for stage in program.stages]
    seeing = [stage.name for stage in program.stages if stage.see]
    main = MAIN if MAIN in names else next(iter(seeing), None)
    rest = [name for name in names if name != main]
    return {name: rest.index(name) + 1 if name != main else 0 for name in names}


def told_of(program: Program, stage: Stage) -> dict[str, Any]:
    """The columns of a row that every item of a question shares."""
    chain = program.unit.kind == "chain"
    core = program.core_task
    return {
        "task": f"{core}/{stage.name}" if chain else program.task,
        "form": stage.form,
        "unit": program.unit.kind,
        "rule": rule_of(stage.answer[0][1], program),
        "rule_args": _arguments(program, stage),
        "certain": program.reading,
        "temporal_mode": core if core in MODES else None,
        "task_mode": _TASK_MODES.get(program.unit.kind),
    }


_TASK_MODES = {"stream": "streaming", "now": "single_turn", "recording": "single_turn",
               "still": "single_turn"}  # fmt: skip


def rule_of(node: Node, program: Program) -> str:
    """The operator that gives a value; a reader has that of what it reads."""
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
        case Between():
            return "stretch"
        case Const():
            return "constant"
    raise TypeError(f"no node of a program: {node!r}")


def _arguments(program: Program, stage: Stage) -> dict[str, Any]:
    """What recomputing and scoring need beside the values."""
    return {
        "answer": {name: {"type": node.type.name, "of": node.type.of}
                   for name, node in stage.answer},
        "scorer": program.scorer,
        "mode": program.mode,
        "pools": [rule_of(pool, program) for pool in stage.wrong],
        "program": program.digest,
    }  # fmt: skip
