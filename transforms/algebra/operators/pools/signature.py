"""What the operators of this folder take and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.tree import Amount
from surgqa.transforms.algebra.types import Type


def _pool(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("pool", main.name)


def _of_records(args: Mapping[str, Any]) -> str:
    """Return the error message if options would list several fields of a fact; '' otherwise."""
    of = getattr(args["of"], "type", None)
    if of is None or of.of != "record":
        return ""
    return "an option cannot list several fields of each fact: use one field"


def _apart_is_range(args: Mapping[str, Any]) -> str:
    """Return the error message if ``apart`` is a range instead of one time; '' otherwise."""
    apart = args.get("apart")
    if isinstance(apart, Amount) and apart.low != apart.high:
        return "'apart' must be one distance, not a range: the step between the times"
    return ""


def _the_value(*types: str) -> Param:
    return Param("value", "The value, usually `answer`.", types=types, required=True)


SIGNATURES = (
    Signature(
        name="exchange",
        summary="Distractors taken from the correct answers of other questions about the same "
        "video.",
        main=_the_value("label", "act", "word", "number", "set", "sequence"),
        result=_pool,
        phrase="{main} of other questions about the recording",
        pool=True,
        refuses=_of_records,
    ),
    Signature(
        name="halves",
        summary="Options of two parts each: correct parts combined with wrong ones.",
        main=Param("pools", "Two stages or pools.", required=True),
        result=Type("pool"),
        phrase="right and wrong parts of {main}",
        pool=True,
    ),
    Signature(
        name="near",
        summary="Distractors close to a value but certainly different from it.",
        main=_the_value("number", "instant", "stretch"),
        result=_pool,
        phrase="values near {main}",
        params={
            "apart": Param(
                "length", "Least distance between two options.", phrase="{value} apart"
            ),
            "inside": Param(
                "values", "A stretch that must contain the options, or a stage with such a window.",
                types=("stretch", "video", "stage"), phrase="inside {value}",
            ),
        },
        pool=True,
        refuses=_apart_is_range,
    ),
    Signature(
        name="orders",
        summary="Other orders of a sequence of at most five elements, each equally likely.",
        main=_the_value("sequence"),
        result=_pool,
        phrase="{main} in other orders",
        pool=True,
        refuses=_of_records,
    ),
)  # fmt: skip
