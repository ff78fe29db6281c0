"""Why a unit has no item: which step and operator of the template, and what caused it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ontology.records import Rejected
from transforms.algebra.phrases import phrase
from transforms.algebra.said import said
from transforms.algebra.tree import Call, Node
from transforms.algebra.walk import names_in
from transforms.language.program import Program
from transforms.questions.fill import Filled, Filling
from transforms.questions.units import Units
from transforms.timeline.relation import Relation
from transforms.timeline.relation.readings import crisp, looked_everywhere

NOT_SO = "it does not hold here, whatever the labels leave open"
REASONS: Mapping[tuple[bool, bool], str] = {
    (True, False): "nobody looked at part of what this rests on",
    (False, True): "the borders of the labels are not known closely enough for this",
    (True, True): "nobody looked at part of what this rests on, or its borders are not known "
                  "closely",
    (False, False): "nobody looked at part of what this rests on, and its borders are not known "
                    "closely",
}  # fmt: skip
"""(looking everywhere alone would have settled it, exact borders alone would have) -> the reason
of what both together settle."""


def reasons(
    program: Program, relation: Relation, clips: Units, found: Filled, units: Sequence[int]
) -> dict[int, str]:
    """Of each of these units, which have no filling, one sentence on what caused it.

    A unit is asked again as if everything had been looked at and all borders were exact, then as
    if one of these were so; what then goes further than it did was caused by that.
    """
    if not units:
        return {}
    looked = looked_everywhere(relation)
    settled = _further(found, units, program, crisp(looked), clips)
    by = [_further(found, settled, program, one, clips) for one in (looked, crisp(relation))]
    return dict.fromkeys(units, NOT_SO) | {
        unit: REASONS[unit in by[0], unit in by[1]] for unit in settled
    }


def _further(
    found: Filled, units: Sequence[int], program: Program, relation: Relation, clips: Units
) -> list[int]:
    """Those of the units that come to a filling, or fail at a later step, in another reading."""
    if not units:
        return []
    order = {what: k for k, what in enumerate(found.order)}
    place = {found.units.ids[unit]: unit for unit in units}
    filling = Filling(program, relation, clips)
    further: set[str] = set()
    for part in filling.parts(place):
        again = filling.filled(part)
        left = set(again.unit.tolist())
        for one in part.tolist():
            id_ = again.units.ids[one]
            reached = order.get(again.failed.get(one, ""), -1)
            if one in left or reached > order[found.failed[place[id_]]]:
                further.add(id_)
    return [unit for unit in units if found.units.ids[unit] in further]


# -- in the template's own words ---------------------------------------------------------------


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
