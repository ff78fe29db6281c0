"""The syntax tree of a template: six kinds of hashable nodes, each with its type and position.

Equal nodes have equal values, wherever they are in the file, so each value is computed only once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from surgqa.transforms.algebra.types import Type

Place = tuple[int, int]
"""(line, column) in the template file, from 1."""

NOWHERE: Place = (0, 0)

Kind = TypeVar("Kind")


class Hashed:
    """Stores the hash of a node, because computing it visits all nodes below."""

    __slots__ = ("_hash",)


def hashed_once(kind: type[Kind]) -> type[Kind]:
    """Class decorator: the node's hash is computed once, when it is first needed."""
    work_out: Callable[[Any], int] = kind.__hash__

    def of(self: Any) -> int:
        try:
            return int(self._hash)
        except AttributeError:
            object.__setattr__(self, "_hash", work_out(self))
            return int(self._hash)

    kind.__hash__ = of  # type: ignore[assignment]
    return kind


@dataclass(frozen=True, slots=True)
class Amount:
    """A setting in numbers: ``2 s``, ``10 %``, ``0.05``, ``20..60 s``, ``1 frame``.

    Attributes:
        unit: ``us``, ``share`` (of one), ``number`` or ``frame``.
        low, high: the bounds; equal if the setting is not a range.
    """

    unit: str
    low: float
    high: float


@hashed_once
@dataclass(frozen=True, slots=True)
class Const(Hashed):
    """A literal value in a template, such as ``2 s`` or ``hook``.

    Attributes:
        value: a duration in microseconds (in frames if the type is ``duration of frame``), a number
            as float or int, the concept id of a label or word, ``(low, high)`` of a range, ``(x1,
            y1, x2, y2)`` of a box, or None for ``none``.
    """

    type: Type
    value: object
    place: Place = dataclasses.field(default=NOWHERE, compare=False)


@hashed_once
@dataclass(frozen=True, slots=True)
class Name(Hashed):
    """A name of ``let``, or ``now``, ``window``, ``video``, ``it``, ``answer`` or ``round``."""

    type: Type
    name: str
    place: Place = dataclasses.field(default=NOWHERE, compare=False)


@hashed_once
@dataclass(frozen=True, slots=True)
class Read(Hashed):
    """A property of a value, written ``base.reader``; ``centre(axis)`` has an argument."""

    type: Type
    base: Node
    reader: str
    argument: Node | None = None
    place: Place = dataclasses.field(default=NOWHERE, compare=False)


@hashed_once
@dataclass(frozen=True, slots=True)
class Between(Hashed):
    """The half-open stretch ``[start, end)``."""

    type: Type
    start: Node
    end: Node
    place: Place = dataclasses.field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class FieldTest:
    """A test of one field of a fact, such as ``label: hook``.

    Attributes:
        name: ``label``, ``subject``, ``verb``, ``target``, ``track``, ``act`` or ``rater``.
        values: the field is one of these; :class:`Const` of type ``none`` for a null.
        negated: True if the field must be none of these values.
    """

    name: str
    values: tuple[Node, ...]
    negated: bool = False


RELATIONS = (
    "at", "throughout", "inside", "overlaps", "starts_in", "ends_in", "before", "after", "meets",
)  # fmt: skip
"""Time relations between a fact and a reference; by default, the fact overlaps the window."""


@hashed_once
@dataclass(frozen=True, slots=True)
class Pattern(Hashed):
    """A selection of facts by their kinds, fields and time.

    Attributes:
        kinds: names of kinds; empty if :attr:`source` names a collection of ``let``.
        source: a name whose value is facts.
        field: the field of ``kind.field``, whose different values are selected; '' to select facts.
        relation: one of :data:`RELATIONS`.
        reference: an instant, a stretch, a fact or facts with which the facts are compared.
        within: largest distance between the two borders for ``meets``, microseconds.
        merge: facts that are equal in these fields and touch are merged.
        gap: microseconds that may lie between two merged facts.
        cut: facts are shortened to this stretch.
        at_least, at_most: limits of the length of a fact, microseconds.
        where: a condition on the fact, which is named :attr:`alias` in it.
        or_none: True if the pattern is none where there is certainly no such fact.
    """

    type: Type
    kinds: tuple[str, ...]
    source: Node | None = None
    field: str = ""
    tests: tuple[FieldTest, ...] = ()
    relation: str = "overlaps"
    reference: Node | None = None
    within: int = 0
    merge: tuple[str, ...] = ()
    gap: int = 0
    cut: Node | None = None
    at_least: int = 0
    at_most: int | None = None
    where: Node | None = None
    alias: str = "it"
    or_none: bool = False
    place: Place = dataclasses.field(default=NOWHERE, compare=False)


@hashed_once
@dataclass(frozen=True, slots=True)
class Call(Hashed):
    """An operator with its arguments: nodes, tuples of nodes, or plain settings."""

    type: Type
    op: str
    args: tuple[tuple[str, object], ...] = ()
    place: Place = dataclasses.field(default=NOWHERE, compare=False)

    def get(self, name: str, default: object = None) -> Any:
        """Return one argument; the operator's signature states its type."""
        return dict(self.args).get(name, default)


Node = Const | Name | Read | Between | Pattern | Call


@dataclass(frozen=True, slots=True)
class Print:
    """One value inside a text, and the filter that prints it.

    Attributes:
        filter: '' for the answer of a stage, which is printed as in that stage.
    """

    node: Node
    filter: str
    place: Place = dataclasses.field(default=NOWHERE, compare=False)


Text = tuple["str | Print", ...]
"""A text split into literal pieces and values; joining them gives the filled text."""


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of the template's ``let``.

    Attributes:
        names: one name; two names if a pair is drawn.
        draws: True if the step enumerates values for its names (its node is a call of ``each``).
    """

    names: tuple[str, ...]
    node: Node
    draws: bool = False
