"""Why a unit has no item, in the template's own words: which step, which operator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ontology.records import Rejected
from transforms.algebra.said import said
from transforms.algebra.tree import Call, Node
from transforms.language.program import Program
from transforms.language.said import phrase
from transforms.questions.fill import names_in


@dataclass(frozen=True, slots=True)
class Reason:
    """What was not certain.

    Attributes:
        name: of ``let``, or ``where[i]``, ``unit``, ``draw``, ``answer``, ``wrong`` or
            ``unnameable``.
        operator: the one that gave no certain value; '' where there is none.
        text: what it was asked for, or a sentence.
        cause: why it was not certain: what the labels leave open, or that it does not hold.
    """

    name: str
    operator: str
    text: str
    cause: str = ""


LOGIC = ("all", "any", "arithmetic", "compare", "not")
"""Operators that are as certain as what they are given."""


def reason_of(program: Program, reject: Rejected) -> Reason:
    """The reason of a reject of this program."""
    named = [(", ".join(step.names), step.node) for step in program.let]
    for name, node in named:
        if name == reject.where:
            return Reason(name, operator_of(program, node), phrase(node), reject.reason)
    for name, node in _unnamed(program):
        if reject.where in (name, said(node)):
            return Reason(name, operator_of(program, node), phrase(node), reject.reason)
    return Reason(reject.where, "", _SAID.get(reject.where, reject.reason))


def _unnamed(program: Program) -> Iterator[tuple[str, Node]]:
    """Conditions and answers, which have a place in the file and no name."""
    yield from ((f"where[{i}]", node) for i, node in enumerate(program.where))
    for stage in program.stages:
        before = f"{stage.name} > " if stage.name else ""
        yield from ((f"{before}where[{i}]", node) for i, node in enumerate(stage.where))
        yield from (("answer", node) for _, node in stage.answer)


def places(program: Program) -> dict[str, str]:
    """What a reject says was not certain -> its place in the file, of what has no name."""
    return {said(node): name for name, node in reversed([*_unnamed(program)])}


_SAID = {"unit": "no time in it at which the question could be put"}


def operator_of(program: Program, node: Node) -> str:
    """The operator that a value comes from; through comparisons, those of the names in it."""
    if isinstance(node, Call) and node.op not in LOGIC:
        return node.op
    steps = [step for step in program.let if set(step.names) & names_in(node) and not step.draws]
    found = [step.node.op for step in steps
             if isinstance(step.node, Call) and step.node.op not in LOGIC]  # fmt: skip
    own = node.op if isinstance(node, Call) else ""
    return ", ".join(dict.fromkeys(found)) or own
