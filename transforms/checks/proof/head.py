"""Checks the columns of a row that follow from its template, such as task, form and rule_args."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from surgqa.transforms.algebra.tree import Call, Name, Node, Pattern, Read
from surgqa.transforms.checks.proof.options import canonical
from surgqa.transforms.checks.proof.proved import same
from surgqa.transforms.checks.proof.reading import RowValues, Unread, value_of
from surgqa.transforms.checks.proof.rows import ALSO, SHOWN, Problem, ProofRow, once_a_question
from surgqa.transforms.checks.proof.typed import has_shape
from surgqa.transforms.language.program import Program, Stage

PAST_MODES = ("present", "retrospective", "future", "proactive")
"""Names of a task's first part that state whether past, present or future is asked about."""

_TIMED = ("now", "stream")


def also_nodes(stage: Stage) -> list[Node]:
    """Return the expression for further answers that count as right in first place of a ranking."""
    ranked = stage.ranked
    return [] if ranked is None or ranked.also is None else [ranked.also]


def head_problems(asked: ProofRow, given: Mapping[Node, Any] | None = None) -> Iterator[Problem]:
    """Yield (code, detail) for columns that differ from what the template gives.

    Args:
        asked: a row about which :func:`shape_problems` found no error.
        given: the values of :func:`also_nodes` according to the evidence; None if they are unknown.
    """
    row, program, stage = asked.row, asked.program, asked.stage
    for name, wanted in fields_of(program, stage).items():
        if row[name] != wanted:
            yield "template_differs", f"{name}: {row[name]!r}, the template says {wanted!r}"
    args = args_of(program, stage)
    for name in sorted({*args, *asked.args}) if args != asked.args else ():
        found, wanted = asked.args.get(name), args.get(name)
        if found != wanted:
            yield "template_differs", f"rule_args.{name}: {found!r}, the template says {wanted!r}"
    if (row["query_us"] is not None) != (program.unit.kind in _TIMED):
        yield "template_differs", f"query_us {row['query_us']!r} of a {program.unit.kind}"
    for kind in ("chain_id", "stage"):
        if (row[kind] is not None) != (program.unit.kind == "chain"):
            yield "template_differs", f"{kind} {row[kind]!r} of a {program.unit.kind}"
    yield from _identity(asked)
    yield from _answer(asked)
    yield from _shown(asked)
    if given is not None:
        yield from _also(asked, given)


def _identity(asked: ProofRow) -> Iterator[Problem]:
    """Check the ids of the item and the chain: digests of template, window and drawn values."""
    row, program = asked.row, asked.program
    drawn = canonical({name: asked.slots[name] for name in program.drawn})
    chain = program.unit.kind == "chain"
    parts = [program.id, str(program.version), f"{row['dataset']}/{row['video_id']}"]
    parts += [] if chain else [row["window_id"]]
    parts.append(drawn)
    if chain and row["chain_id"] != digest(*parts):
        yield "identity_differs", f"chain {row['chain_id']} is not that of the values {drawn}"
    parts += [asked.stage.name] if asked.stage.name else []
    if row["item_id"] != digest(*parts):
        yield "identity_differs", f"the id is not that of the window and the values {drawn}"


def digest(*parts: str) -> str:
    """Return the first 32 hexadecimal characters of the SHA-256 hash of the parts."""
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def shape_problems(asked: ProofRow) -> Iterator[Problem]:
    """Yield (code, detail) for values without the structure of the type in the template."""
    for step in asked.program.let:
        for name in step.names:
            of = step.node.type
            if not has_shape(asked.slots[name], of):
                yield "slots_malformed", f"{name}: {asked.slots[name]!r} is no {of}"
    for name, node in asked.stage.answer:
        if not has_shape(asked.value[name], node.type):
            yield "slots_malformed", f"answer {name}: {asked.value[name]!r} is no {node.type}"


def _answer(asked: ProofRow) -> Iterator[Problem]:
    """Check that an answer that is a name of the template has the value of this name."""
    known = RowValues(asked.program, asked.slots)
    for name, node in asked.stage.answer:
        try:
            value = value_of(node, known)
        except (Unread, KeyError, TypeError, AttributeError):
            continue
        if printed_of(value) != printed_of(asked.value[name]):
            yield "slot_differs", f"answer {name} {asked.value[name]!r}, the slots say {value!r}"


def _shown(asked: ProofRow) -> Iterator[Problem]:
    """Check the times of the images that the item shows."""
    if asked.program.show is None:
        return
    try:
        value = printed_of(value_of(asked.program.show, asked.known()))
    except Unread:
        return
    value = value if isinstance(value, list) else [value]
    if asked.slots[SHOWN] != value:
        yield "slot_differs", f"{SHOWN}: {asked.slots[SHOWN]!r}, the names say {value!r}"


def _also(asked: ProofRow, given: Mapping[Node, Any]) -> Iterator[Problem]:
    """Check by the evidence which further answers count as right in first place of a ranking."""
    for node in also_nodes(asked.stage):
        found, wanted = asked.slots[ALSO], given.get(node)
        if not same(found, wanted, node.type):
            yield "slot_differs", f"{ALSO}: {found!r}, the evidence gives {wanted!r}"


def printed_of(value: Any) -> Any:
    """Return a value with its times and numbers as printed, without their bounds."""
    if isinstance(value, dict):
        for at in ("time_us", "value"):
            if at in value:
                return value[at]
        return {name: printed_of(one) for name, one in value.items()}
    return [printed_of(one) for one in value] if isinstance(value, list) else value


@once_a_question
def fields_of(program: Program, stage: Stage) -> dict[str, Any]:
    """Return the values of the columns that follow from the template alone."""
    first = program.task.split("/", 1)[0]
    timed = first in PAST_MODES
    streaming = program.unit.kind == "stream"
    return {
        "benchmark": program.benchmark,
        "task": f"{program.task}/{stage.name}" if stage.name else program.task,
        "form": stage.form,
        "template_version": program.version,
        "unit": program.unit.kind,
        "rule": rule_of(stage.answer[0][1], program),
        "certain": program.reading,
        "temporal_mode": first if timed else None,
        "task_mode": ("streaming" if streaming else "single_turn") if timed else None,
    }


@once_a_question
def args_of(program: Program, stage: Stage) -> dict[str, Any]:
    """Return the expected content of ``rule_args``."""
    return {
        "answer": {
            name: {"type": node.type.name, "of": node.type.of} for name, node in stage.answer
        },
        "fields": [name for name, _ in stage.answer],
        "scorer": program.scorer,
        "mode": program.mode,
        "pools": [pool.op if isinstance(pool, Call) else "value" for pool in stage.wrong],
        "program": program.digest,
        **({"ranked": {"top": stage.ranked.top}} if stage.ranked is not None else {}),
    }


def rule_of(node: Node, program: Program) -> str:
    """Return the operator that computes a value; for a name, the operator of its step."""
    match node:
        case Name():
            step = program.step(node.name)
            return rule_of(step.node, program) if step is not None else node.name
        case Read():
            return rule_of(node.base, program)
        case Call():
            return node.op
        case Pattern():
            return "facts"
        case _:
            return "value"
