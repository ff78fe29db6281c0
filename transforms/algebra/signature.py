"""What an operator takes and gives: read by the parser, the editor's schema and the docs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from transforms.algebra.operators import packages, part
from transforms.algebra.types import Type, element, fields_of

ARGUMENT_KINDS = ("value", "values", "pattern", "collection", "condition", "cases", "fields",
                  "scale", "choice", "choices", "whole", "length", "lengths", "labels", "pools",
                  "draws", "border", "conditions")  # fmt: skip
"""How an argument is written.

``value``: an expression; ``values``: one or a list of them.  ``pattern``: kinds of facts, of some
operators ``kind.field``, with the pattern's own arguments beside it.  ``collection``: a pattern, a
name of facts, a set or a list.  ``condition``: as in ``where``; ``cases``: text -> condition.
``fields``: names of a fact's fields.  ``scale``: a scale of the ontology or bounds in place.
``choice``: a word of a closed list, ``choices``: several; ``whole``: an integer; ``length``:
``2 s``, ``10 %``, ``0.05`` or ``20..60 s``, which gives an :class:`transforms.algebra.tree.Amount`;
``lengths``: a list of them.  ``labels``: a kind, a domain of labels, a scale or a value with a
scale.  ``pools``: stages, values and pools.  ``draws``: what ``each``
enumerates; ``border``: ``it.start`` or ``it.end``, kept as ``start`` or ``end``.

In a :class:`transforms.algebra.tree.Call` the main argument is ``of``; a written ``of`` is
``fields`` (of ``set`` and ``sequence``) or ``seen`` (of ``each``).
"""


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of an operator.

    Attributes:
        written: one of :data:`ARGUMENT_KINDS`.
        types: names of the types that an expression may have; empty for any.
        binds: the argument sees one element of the main argument as ``it``.
        phrase: how ``preview`` adds it to the operator's phrase, with ``{value}``.
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
"""From the type of the main argument's elements and of the others to the operator's."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One operator as the language sees it.

    Attributes:
        name: the key that calls it.
        summary: one sentence for the docs.
        main: the value beside that key.
        params: the other keys, without those of a pattern.
        result: the type of its value.
        phrase: how ``preview`` says it, with ``{main}`` and the arguments' names in braces.
        pool: it can stand in ``wrong``.
        values: it takes ``kind.field``, the different values of a field, where others take facts.
        refuses: what is wrong with arguments that are each well typed, '' if nothing is.
    """

    name: str
    summary: str
    main: Param
    result: Typing
    phrase: str
    params: Mapping[str, Param] = field(default_factory=dict)
    pool: bool = False
    values: bool = False
    refuses: Callable[[Mapping[str, Any]], str] = lambda _: ""

    @property
    def selects(self) -> bool:
        """Whether it takes a pattern's own arguments beside its main one."""
        return self.main.written in ("pattern", "collection", "draws")


POOL_PARAMS: Mapping[str, Param] = {
    "most": Param("whole", "Greatest number of options that it gives.", phrase="at most {value}"),
    "except": Param("values", "Values that are not offered.", phrase="but not {value}"),
    "unless": Param("condition", "A condition on the option `it` that must be certainly false.",
                    binds=True, phrase="unless {value}"),
    "order": Param("choice", "`fixed`: the options keep the order of their list.",
                   choices=("fixed",), phrase="in {value} order"),
}  # fmt: skip
"""What every operator that can stand in ``wrong`` takes as well."""


def records(args: Mapping[str, Any]) -> str:
    """What is wrong with a value that wrong options are made of, '' if nothing is."""
    of = getattr(args["of"], "type", None)
    if of is None or of.of != "record":
        return ""
    return "a list of several fields of each fact is no option: tell one field"


AT = Param("value", "When; the fact's start if left out.", types=("instant",), phrase="at {value}")
"""When something is looked at in the picture."""


def of_the_element(main: Type, args: Mapping[str, Type]) -> Type:
    """The typing of an operator that gives one of the elements that it is given."""
    return main


MERGED = ("label", "subject", "verb", "target", "track", "rater")
"""Fields by which facts are one; of the others nothing is told then."""


def untold(args: Mapping[str, Any]) -> str:
    """What is wrong with the fields that a collection tells of its facts, '' if nothing is."""
    main = args["of"]
    field, merge = getattr(main, "field", ""), getattr(main, "merge", ())
    told = args.get("fields") or (field or "label",)
    if field == "track":
        return "instances have no names: count them, or draw each"
    known = _unlabelled(args)
    if known:
        return f"facts of this kind have no label: name a field of theirs ({', '.join(known)})"
    return merged_away(told, merge)


def _unlabelled(args: Mapping[str, Any]) -> Sequence[str]:
    """The fields that facts have of which a label is taken that they do not have; else none."""
    of = getattr(args["of"], "type", None)
    if of is None or args.get("fields") or of.name not in ("facts", "set", "sequence"):
        return ()
    one = element(of)
    fields = tuple(fields_of(one.of)) if one.name == "fact" and one.of else ()
    return () if "label" in fields else fields


def merged_away(told: Iterable[str], merge: Sequence[str]) -> str:
    """What is wrong with fields that facts are asked for which are merged by some, or ''."""
    kept = {*merge, *(("subject",) if "track" in merge else ())}
    parts = [part for name in told for part in (("verb", "target") if name == "act" else (name,))]
    lost = [part for part in parts if merge and part in MERGED and part not in kept]
    return f"facts merged by {', '.join(merge)} have no {lost[0]}" if lost else ""


def superlative(most: str, behind: str) -> Mapping[str, Param]:
    """The parameters of a superlative.

    Args:
        most: ``greatest`` or ``least``.
        behind: how the next one lies to it: ``behind`` or ``more``.
    """
    return {
        "by": Param(
            "value", "What is compared; `it` is the element.",
            types=("number", "duration", "instant"), required=True, binds=True,
            phrase=f"with the {most} {{value}}",
        ),
        "lead": Param(
            "length", "By how much it is certainly ahead of the next, as printed.",
            phrase=f"if the next is {{value}} {behind}",
        ),
        "same": Param(
            "length", "Elements so close in time count as one.",
            phrase="where those within {value} are one",
        ),
    }  # fmt: skip


@cache
def signatures() -> Mapping[str, Signature]:
    """Every operator, shipped or installed, by name."""
    return {name: part(name, "signature").SIGNATURE for name in packages()}
