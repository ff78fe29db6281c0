"""What an operator of the template language takes and returns; the parser and docs use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from surgqa.transforms.algebra.operators import form, packages
from surgqa.transforms.algebra.types import Type

ARGUMENT_KINDS = ("value", "values", "pattern", "collection", "condition", "cases", "fields",
                  "scale", "choice", "choices", "whole", "length", "lengths", "labels", "pools",
                  "draws", "border", "conditions")  # fmt: skip
"""How an argument is written.

``value``: an expression; ``values``: one expression or a list. ``pattern``: kinds of facts (for
some operators ``kind.field``), with the arguments of a pattern as further keys. ``collection``: a
pattern, a name bound to facts, a set or a list. ``condition``: as in ``where``; ``cases``: text ->
condition. ``fields``: names of a fact's fields. ``scale``: a scale of the ontology, or bounds
written in the template. ``choice``: a word of a closed list, ``choices``: several; ``whole``: an
integer; ``length``: ``2 s``, ``10 %``, ``0.05`` or ``20..60 s``, parsed to a
:class:`transforms.algebra.tree.Amount`; ``lengths``: a list of them. ``labels``: a kind, a domain
of labels, a scale or a value with a scale. ``pools``: stages, values and pools. ``draws``: what
``each`` enumerates; ``border``: ``it.start`` or ``it.end``, kept as ``start`` or ``end``.

In a :class:`transforms.algebra.tree.Call` the main argument is named ``of``. A written ``of`` is
named ``fields`` (for ``set`` and ``sequence``) or ``seen`` (for ``each``).
"""


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of an operator.

    Attributes:
        written: one of :data:`ARGUMENT_KINDS`.
        types: names of the types that an expression may have; empty for any.
        binds: True if, within this argument, the name ``it`` means one element of the main
            argument.
        phrase: text that ``preview`` appends to the operator's phrase, with ``{value}``.
    """

    written: str
    doc: str
    types: tuple[str, ...] = ()
    required: bool = False
    default: object = None
    choices: tuple[str, ...] = ()
    binds: bool = False
    phrase: str = ""


Typing = Callable[[Type, Mapping[str, Type]], Type]
"""Function: (type of the main argument's elements, types of other arguments) -> result type."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One operator of the template language.

    Attributes:
        name: the key in the template that calls the operator.
        summary: one sentence for the docs.
        main: the argument that is written as the value of that key.
        result: the type of the operator's value, or a function that returns the type.
        phrase: the operator's text in ``preview``, with ``{main}`` and the arguments' names in
            braces.
        params: the other arguments, without those that every pattern has. If ``pool`` is True,
            :data:`POOL_PARAMS` are added.
        pool: True if the operator can be used in ``wrong``.
        values: True if the operator accepts ``kind.field``, the different values of a field, in
            place of facts.
        refuses: a function that returns an error message for arguments that do not fit together
            although each has a right type; '' if they fit.
    """

    name: str
    summary: str
    main: Param
    result: Type | Typing
    phrase: str
    params: Mapping[str, Param] = field(default_factory=dict)
    pool: bool = False
    values: bool = False
    refuses: Callable[[Mapping[str, Any]], str] = lambda _: ""

    def __post_init__(self) -> None:
        if self.pool:
            object.__setattr__(self, "params", {**self.params, **POOL_PARAMS})

    def gives(self, main: Type, args: Mapping[str, Type]) -> Type:
        """Return the type of the operator's value.

        Args:
            main: type of the main argument's elements.
            args: type of each further argument, by name.
        """
        return self.result if isinstance(self.result, Type) else self.result(main, args)

    @property
    def selects(self) -> bool:
        """True if the operator accepts the arguments of a pattern as further keys."""
        return self.main.written in ("pattern", "collection", "draws")


POOL_PARAMS: Mapping[str, Param] = {
    "most": Param("whole", "Greatest number of options to offer.", phrase="at most {value}"),
    "except": Param("values", "Values that must not be offered.", phrase="but not {value}"),
    "unless": Param("condition", "A condition on the option `it`; it must certainly be false.",
                    binds=True, phrase="unless {value}"),
    "order": Param("choice", "`fixed`: the options keep the order of their list.",
                   choices=("fixed",), phrase="in {value} order"),
}  # fmt: skip
"""Further arguments of every operator that can be used in ``wrong``."""


PATTERN = Param("pattern", "Kinds of facts, with the arguments of a pattern.", required=True)
COLLECTION = Param("collection", "Facts, a set, a sequence or a list.", required=True)


def of_the_element(main: Type, args: Mapping[str, Type]) -> Type:
    """Return the result type of an operator that returns one element of its main argument."""
    return main


MERGED = ("label", "subject", "verb", "target", "track", "rater")
"""Fields by which facts can be merged; merged facts have null in all other fields."""


def merged_away(fields: Iterable[str], merge: Sequence[str]) -> str:
    """Return an error message if merging facts by ``merge`` loses a wanted field; otherwise ''."""
    kept = {*merge, *(("subject",) if "track" in merge else ())}
    parts = [part for name in fields for part in (("verb", "target") if name == "act" else (name,))]
    lost = [part for part in parts if merge and part in MERGED and part not in kept]
    return f"facts merged by {', '.join(merge)} have no {lost[0]}" if lost else ""


@cache
def signatures() -> Mapping[str, Signature]:
    """Return the signatures of all operators (of this project and of plug-ins) by name."""
    return {name: form(name, "signature") for name in packages()}
