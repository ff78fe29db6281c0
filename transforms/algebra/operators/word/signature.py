"""Signature of ``word``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import WORD, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return WORD


SIGNATURE = Signature(
    name="word",
    summary="The word of a scale for a value.",
    main=Param(
        "value",
        "What is put into words.",
        types=("number", "duration", "box", "point", "fact"),
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
            "How far from a border between two words.",
            phrase="at least {value} from a border",
        ),
    },
)
