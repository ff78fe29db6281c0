"""What the operators of this folder take and return."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import (
    COLLECTION,
    PATTERN,
    Param,
    Signature,
    of_the_element,
)
from surgqa.transforms.algebra.types import Type, many


def _facts(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("facts", main.of) if main.name == "fact" else many("set", main)


def _border(default: str, other: str) -> Mapping[str, Param]:
    doc = f"The time that orders the facts: `it.{default}` (the default) or `it.{other}`."
    return {"by": Param("border", doc, phrase="by its {value}")}


def _superlative(most: str, behind: str) -> Mapping[str, Param]:
    """Return the parameters of ``argmax`` or ``argmin``.

    Args:
        most: ``greatest`` or ``least``.
        behind: how the next element differs, for the text of ``preview``: ``behind`` or ``more``.
    """
    return {
        "by": Param(
            "value", "What is compared; `it` is the element.",
            types=("number", "duration", "instant"), required=True, binds=True,
            phrase=f"with the {most} {{value}}",
        ),
        "lead": Param(
            "length", "Least difference between the best and the next printed value.",
            phrase=f"if the next is {{value}} {behind}",
        ),
        "same": Param(
            "length", "Facts that start within this time count as one.",
            phrase="where those within {value} are one",
        ),
    }  # fmt: skip


SIGNATURES = (
    Signature(
        name="argmax",
        summary="The element with the greatest value, if all other values are certainly smaller.",
        main=COLLECTION,
        result=of_the_element,
        phrase="the {main}",
        params=_superlative("greatest", "behind"),
    ),
    Signature(
        name="argmin",
        summary="The element with the least value; it must certainly be below all others.",
        main=COLLECTION,
        result=of_the_element,
        phrase="the {main}",
        params=_superlative("least", "more"),
    ),
    Signature(
        name="facts",
        summary="All facts that match.",
        main=PATTERN,
        result=_facts,
        phrase="all {main}",
    ),
    Signature(
        name="first",
        summary="The fact that starts first.",
        main=PATTERN,
        result=of_the_element,
        phrase="the first {main}",
        params=_border("start", "end"),
    ),
    Signature(
        name="last",
        summary="The fact that ends last.",
        main=PATTERN,
        result=of_the_element,
        phrase="the last {main}",
        params=_border("end", "start"),
    ),
    Signature(
        name="only",
        summary="The only fact that matches; there is certainly no other.",
        main=PATTERN,
        result=of_the_element,
        phrase="the only {main}",
    ),
)
