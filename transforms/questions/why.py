"""Find out why a unit (such as a clip) has no item: the step of the template, and the cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from surgqa.ontology.records import Rejected
from surgqa.transforms.algebra.phrases import phrase
from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.tree import Call, Node
from surgqa.transforms.algebra.walk import names_in
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.fill import Filled, Filling
from surgqa.transforms.questions.units import Units
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.readings import crisp, looked_everywhere

NOT_SO = "it does not hold here, whatever the labels leave open"
REASONS: Mapping[tuple[bool, bool], str] = {
    (True, False): "nobody looked at part of what this rests on",
    (False, True): "the borders of the labels are not known closely enough for this",
    (True, True): "nobody looked at part of what this rests on, or its borders are not known "
                  "closely",
    (False, False): "nobody looked at part of what this rests on, and its borders are not known "
                    "closely",
}  # fmt: skip
"""(reason solved by complete annotation alone, by exact borders alone) -> sentence, for questions
that both together would have made possible."""


def reasons(
    program: Program, relation: Relation, clips: Units, found: Filled, units: Sequence[int]
) -> dict[int, str]:
    """Return, for each of these units without a question, one sentence about the cause.

    The unit is evaluated again as if everything had been annotated and all starts and ends were
    exact, and then with only one of these two assumptions. The assumption with which the unit
    passes more steps of the template is the cause.
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
    """Return the units that pass more steps of the template with the facts in ``relation``."""
    if not units:
        return []
    place = {found.units.ids[unit]: unit for unit in units}
    videos = set(found.units.video[list(units)].tolist())
    filling = Filling(program, relation, clips,
                      set(range(len(relation.recordings))) - videos)  # fmt: skip
    further: set[str] = set()
    for part in filling.parts(place):
        for again in filling.filled(part):
            left = set(again.unit.tolist())
            for one in part.tolist():
                id_ = again.units.ids[one]
                if one in left or again.failed.get(one, -1) > found.failed[place[id_]]:
                    further.add(id_)
    return [unit for unit in units if found.units.ids[unit] in further]


# -- in the template's own words ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reason:
    """The step of a template that was not certain, and the cause.

    Attributes:
        name: a name of ``let``, or ``where[i]``, ``unit``, ``draw``, ``answer``, ``wrong`` or
            ``unnameable``.
        operator: the operator whose value was not certain; '' if there is none.
        text: the value that was not certain, in words, or a sentence about it.
        cause: a sentence from :data:`REASONS`, or '' if ``text`` is the sentence.
    """

    name: str
    operator: str
    text: str
    cause: str = ""


LOGIC = ("all", "any", "arithmetic", "compare", "not")
"""Operators whose value is certain exactly if their arguments are certain."""


def reason_of(program: Program, reject: Rejected) -> Reason:
    """Return why the template gave no item, from the recorded rejection."""
    named = [(", ".join(step.names), step.node) for step in program.let]
    for name, node in named:
        if name == reject.where:
            return Reason(name, operator_of(program, node), phrase(node), reject.reason)
    for name, node in _unnamed(program):
        if reject.where in (name, said(node)):
            return Reason(name, operator_of(program, node), phrase(node), reject.reason)
    return Reason(reject.where, "", _SAID.get(reject.where, reject.reason))


def _unnamed(program: Program) -> Iterator[tuple[str, Node]]:
    """Yield the unnamed parts of a template: place (such as ``where[0]``) and expression."""
    yield from ((f"where[{i}]", node) for i, node in enumerate(program.where))
    for stage in program.stages:
        before = f"{stage.name} > " if stage.name else ""
        yield from ((f"{before}where[{i}]", node) for i, node in enumerate(stage.where))
        yield from (("answer", node) for _, node in stage.answer)


def places(program: Program) -> dict[str, str]:
    """Return the place (such as ``where[0]``) of each unnamed expression, by its text."""
    return {said(node): name for name, node in reversed([*_unnamed(program)])}


_SAID = {"unit": "no time in it at which the question could be put"}


def operator_of(program: Program, node: Node) -> str:
    """Return the operator that computes a value; for a comparison, the operators of its names."""
    if isinstance(node, Call) and node.op not in LOGIC:
        return node.op
    steps = [step for step in program.let if set(step.names) & names_in(node) and not step.draws]
    found = [step.node.op for step in steps
             if isinstance(step.node, Call) and step.node.op not in LOGIC]  # fmt: skip
    own = node.op if isinstance(node, Call) else ""
    return ", ".join(dict.fromkeys(found)) or own
