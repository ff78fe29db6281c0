"""Find the videos that a template cannot ask about, because nobody annotated what it needs.

If nobody annotated a kind of fact in a video, no fact of the kind is known there, and none is known
to be absent. A step that depends on such facts has no certain value, so no question about the video
needs to be tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np

from surgqa.ontology.kinds import kind
from surgqa.transforms.algebra.columns.near import SAMPLE
from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.tree import Call, Const, Name, Node, Pattern
from surgqa.transforms.algebra.walk import every
from surgqa.transforms.language.program import Program
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.bank import BANK

SETTLED = ("argmax", "argmin", "first", "last", "only", "set")
"""Operators whose value is known only if the facts are known completely."""

NUMBERS = ("count", "peak")
"""Operators whose value is a number of facts."""

Videos = frozenset[int]
"""Indices of videos in a relation."""

NONE: Videos = frozenset()


@dataclass(frozen=True, slots=True)
class Unannotated:
    """Why a template asks nothing about a video.

    Attributes:
        where: the name or condition that is never certain, as in :class:`Rejected`.
        kinds: the kinds of facts that nobody annotated.
    """

    where: str
    kinds: tuple[str, ...]

    @property
    def reason(self) -> str:
        """A sentence that states what nobody annotated."""
        return f"nobody annotated {' or '.join(self.kinds)} in this video"


def unannotated(program: Program, relation: Relation) -> dict[int, Unannotated]:
    """Return, by the index of each video about which the template can ask nothing, the reason."""
    out: dict[int, Unannotated] = {}
    needs = _Needs(program, relation)
    for where, node, videos in needs.steps():
        for video in videos - out.keys():
            kinds = tuple(one for one in _kinds(program, node) if video in needs.unlooked((one,)))
            out[video] = Unannotated(where, kinds)
    return out


class _Needs:
    """For every step of a template, the videos in which its value is never certain."""

    def __init__(self, program: Program, relation: Relation) -> None:
        self.program, self.relation = program, relation

    def steps(self) -> Iterable[tuple[str, Node, Videos]]:
        """Yield each step's name, its expression, and the videos in which it is never certain."""
        for step in self.program.let:
            node = step.node
            if isinstance(node, Call) and (step.draws or node.op in SETTLED):
                yield ", ".join(step.names), node, self._without(node.get("of"))
        for node in self.program.where:
            yield said(node), node, self._never(node, True)
        for _, node in self.program.stages[0].answer:
            yield said(node), node, self._never(node, True) & self._never(node, False)

    def _without(self, node: object) -> Videos:
        """Return the videos in which nobody annotated the facts that a pattern selects."""
        node = self.program.meant(node) if isinstance(node, Name) else node
        if isinstance(node, Call) and node.op == "facts":
            return self._without(node.get("of"))
        if not isinstance(node, Pattern) or (node.cut is not None and node.at_least):
            return NONE  # if ``cut`` is shorter than ``at_least``, certainly no fact matches
        if node.source is not None:
            return self._without(node.source)
        return self.unlooked(node.kinds)

    def unlooked(self, kinds: tuple[str, ...]) -> Videos:
        """Return the videos without a fact of these kinds where one of them was never annotated."""
        return self.relation.once(("unannotated", kinds), partial(self._unlooked, kinds))

    def _unlooked(self, kinds: tuple[str, ...]) -> Videos:
        if SAMPLE in kinds or not set(kinds).isdisjoint(BANK):
            return NONE
        facts, looked = self.relation.facts, self.relation.looked
        has = np.unique(facts.video[np.isin(facts.kind, self.relation.kind_codes(kinds))])
        names = [one for name in kinds for one in kind(name).union or (name,)]
        return frozenset(
            video for video in set(range(len(self.relation.recordings))) - set(has.tolist())
            if any((video, one) not in looked and kind(one).labelled != "noted" for one in names)
        )  # fmt: skip

    def _never(self, node: object, true: bool) -> Videos:
        """Return the videos in which a condition is never certainly ``true`` (True or False)."""
        node = self.program.meant(node) if isinstance(node, Name) else node
        if not isinstance(node, Call):
            return NONE
        match node.op:
            case "exists" | "count" | "peak":  # a number is certain if it is the only possible one
                return self._without(node.get("of"))
            case "not":
                return self._never(node.get("of"), not true)
            case "all" | "any":
                parts = [self._never(one, true) for one in node.get("of")]
                either = (node.op == "all") == true
                return reduce(Videos.union if either else Videos.intersection, parts)
            case "compare" if _is_open(node):
                left = self.program.meant(node.get("left"))
                if isinstance(left, Call) and left.op in NUMBERS:
                    return self._without(left.get("of"))
        return NONE


def _is_open(node: Call) -> bool:
    """True if nothing is known of a number, so that its comparison is neither true nor false."""
    right = node.get("right")
    if not isinstance(right, Const) or not isinstance(right.value, int | float):
        return False
    return right.value > 0 or (right.value == 0 and node.get("sign") not in (">=", "<"))


def _kinds(program: Program, node: Node) -> tuple[str, ...]:
    """Return the kinds of facts that an expression and the steps it names select, in order."""
    out: dict[str, None] = {}
    for one in every(node):
        if isinstance(one, Name) and (meant := program.meant(one)) is not one:
            out |= dict.fromkeys(_kinds(program, meant))
        elif isinstance(one, Pattern) and one.source is None:
            out |= dict.fromkeys(one.kinds)
    return tuple(out)
