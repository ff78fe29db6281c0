"""Signature of ``word``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import WORD, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return WORD


def _refuses(args: Mapping[str, Any]) -> str:
    placed = args["of"].type.name in ("box", "point")
    if placed != (args["scale"] == "ninths"):
        return "the scale 'ninths' needs a box or point; other scales need a number or duration"
    return ""


SIGNATURE = Signature(
    refuses=_refuses,
    name="word",
    summary="The word of a scale for a value.",
    main=Param(
        "value",
        "The value to put into words.",
        types=("number", "duration", "box", "point"),
        required=True,
    ),
    result=_type,
    phrase="the word for {main}",
    params={
        "scale": Param(
            "scale",
            "A scale of the ontology, or word -> lowest value.",
            required=True,
            phrase="on the scale {value}",
        ),
        "clear": Param(
            "length",
            "Least distance from a border between two words.",
            phrase="at least {value} from a border",
        ),
    },
)
