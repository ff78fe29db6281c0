"""Checks the column ``checks``: a template's limits (such as "> 3 s") and the measured values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surgqa.transforms.algebra.tree import Call, Const, Name, Node, Read
from surgqa.transforms.checks.proof.rows import Problem, ProofRow, once_a_question
from surgqa.transforms.language.program import Program

OF_ONE = {"duration": 1_000_000, "number": 1}
"""Type of a measured value -> its divisor in ``checks``, which gives durations in seconds."""

NEAR = 2e-6
"""Largest difference that rounding causes between equal measurements."""


@once_a_question
def limited(program: Program) -> list[tuple[Node, str]]:
    """Return (measured expression, limit as text) of each condition such as "length > 3 s"."""
    out = []
    for node in program.where:
        if not (isinstance(node, Call) and node.op == "compare"):
            continue
        measured, sign, limit = (node.get(name) for name in ("left", "sign", "right"))
        if sign in ("<", "<=", ">", ">=") and isinstance(limit, Const):
            assert isinstance(limit.value, int | float)
            one = OF_ONE.get(measured.type.name)
            if one is not None:
                out.append((measured, f"{sign} {limit.value / one:g}"))
    return out


def gate_problems(asked: ProofRow, given: Mapping[Node, Any]) -> Iterator[Problem]:
    """Yield (code, detail) where ``checks`` differs from the template or the evidence."""
    limits, listed = limited(asked.program), asked.row["checks"] or []
    if [limit for _, limit in limits] != [one["limit"] for one in listed]:
        yield (
            "check_failed",
            f"limits {[one['limit'] for one in listed]}, the template sets others",
        )
        return
    for (node, limit), one in zip(limits, listed, strict=True):
        name = name_of(node)
        if name is not None and name != one["name"]:
            yield "check_failed", f"{one['name']!r} found, expected the name {name!r}"
        value = given.get(node)
        if value is None:
            continue
        right = (value["value"] if isinstance(value, Mapping) else value) / OF_ONE[node.type.name]
        if one["measured"] is None or abs(right - one["measured"]) > NEAR:
            yield "check_failed", f"{one['name']} {limit}: {one['measured']}, expected {right:g}"


def name_of(node: Node) -> str | None:
    """Return an expression that is only a name, such as ``smoke.start``, as text; else None."""
    if isinstance(node, Name):
        return node.name
    base = name_of(node.base) if isinstance(node, Read) and node.argument is None else None
    return f"{base}.{node.reader}" if base is not None and isinstance(node, Read) else None


def measured_nodes(program: Program) -> Sequence[Node]:
    """Return the expressions for which the template sets limits."""
    return [node for node, _ in limited(program)]
