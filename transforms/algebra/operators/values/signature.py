"""What the operators of this folder take and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.signature import Param, Signature, of_the_element
from surgqa.transforms.algebra.types import DURATION, INSTANT, NUMBER, STRETCH, WORD, Type


def arithmetic_type(sign: str, left: Type, right: Type) -> Type | None:
    """Return the type of ``left sign right``; None if these types cannot be combined this way."""
    names = left.name, right.name
    if sign == "/":
        return NUMBER if names in (("duration", "duration"), ("number", "number")) else None
    if names == ("instant", "instant"):
        return DURATION if sign == "-" else None
    if names in (("number", "number"), ("duration", "duration")):
        return Type(left.name)
    if names == ("instant", "duration"):
        return INSTANT
    return INSTANT if names == ("duration", "instant") and sign == "+" else None


def _arithmetic(main: Type, args: Mapping[str, Type]) -> Type:
    return arithmetic_type(args["sign"].of, main, args["right"]) or NUMBER


def _wrong_lengths(args: Mapping[str, Any]) -> str:
    """Return the error message for wrong lengths of ``segment``; '' if they are right."""
    if ("most" in args) != ("opening" in args):
        return "'most' and 'opening' must be given together"
    lengths = [*args["grid"], *(args[name] for name in ("most", "opening") if name in args)]
    return "" if all(one.unit == "us" for one in lengths) else "grid lengths must be times"


def _wrong_scale(args: Mapping[str, Any]) -> str:
    """Return the error message if the scale does not fit the value; '' if it does."""
    placed = args["of"].type.name in ("box", "point")
    if placed != (args["scale"] == "ninths"):
        return "the scale 'ninths' needs a box or point; other scales need a number or duration"
    return ""


MOST_PARTS = 1000


def _parts_in_range(args: Mapping[str, Any]) -> str:
    """Return the error message if a stretch is cut into no part or into very many."""
    n = args.get("n")
    if not isinstance(n, int) or 1 <= n <= MOST_PARTS:
        return ""
    return f"'n' must be a number from 1 to {MOST_PARTS}, found {n}"


SIGNATURES = (
    Signature(
        name="arithmetic",
        summary="The sum, difference or quotient of two values.",
        main=Param("values", "The two values; written with the sign between them.", required=True),
        result=_arithmetic,
        phrase="{main}",
    ),
    Signature(
        name="coalesce",
        summary="The first value that is not none.",
        main=Param("values", "Values in order of preference.", required=True),
        result=of_the_element,
        phrase="{main}",
        pool=True,
    ),
    Signature(
        name="parts",
        summary="A stretch cut into equal parts.",
        main=Param("value", "What to cut.", types=("stretch", "fact", "video"), required=True),
        result=Type("stretches"),
        phrase="the parts of {main}",
        params={"n": Param("whole", "How many parts.", required=True, phrase="{value} of them")},
        refuses=_parts_in_range,
        pool=True,
    ),
    Signature(
        name="segment",
        summary="The grid-aligned stretch that contains another stretch or an instant.",
        main=Param(
            "value", "What the segment must contain.",
            types=("stretch", "fact", "instant"), required=True,
        ),
        result=STRETCH,
        phrase="the segment around {main}",
        params={
            "grid": Param(
                "lengths", "Steps of the grid, the widest first; the first that fits is used.",
                required=True, phrase="on a grid of {value}",
            ),
            "iou": Param(
                "length", "The segment must overlap the printed stretch by more than this (IoU).",
                phrase="with an overlap of {value}",
            ),
            "most": Param(
                "length", "Longer stretches are cut to their first part.",
                phrase="at most {value} long",
            ),
            "opening": Param(
                "length", "Length of that first part.", phrase="else its first {value}"
            ),
        },
        refuses=_wrong_lengths,
    ),
    Signature(
        name="word",
        summary="The word of a scale for a value.",
        main=Param(
            "value", "The value to put into words.",
            types=("number", "duration", "box", "point"), required=True,
        ),
        result=WORD,
        phrase="the word for {main}",
        params={
            "scale": Param(
                "scale", "A scale of the ontology, or word -> lowest value.", required=True,
                phrase="on the scale {value}",
            ),
            "clear": Param(
                "length", "Least distance from a border between two words.",
                phrase="at least {value} from a border",
            ),
        },
        refuses=_wrong_scale,
    ),
)  # fmt: skip
