"""Signature of ``arithmetic``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import DURATION, INSTANT, NUMBER, Type


def arithmetic_type(sign: str, left: Type, right: Type) -> Type | None:
    """Return the type of ``left sign right``; None if these types cannot be combined in
    this way.
    """
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


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return arithmetic_type(args["sign"].of, main, args["right"]) or NUMBER


SIGNATURE = Signature(
    name="arithmetic",
    summary="The sum, difference or quotient of two values.",
    main=Param("values", "The two values; written with the sign between them.", required=True),
    result=_type,
    phrase="{main}",
)
