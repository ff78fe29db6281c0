"""Signature of ``argmax``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return main


SIGNATURE = Signature(
    name="argmax",
    summary="The element with the greatest value, certainly ahead of all others.",
    main=Param("collection", "Facts, a set, a sequence or a list.", required=True),
    result=_type,
    phrase="the {main}",
    params={
        "by": Param(
            "value",
            "What is compared; `it` is the element.",
            types=("number", "duration", "instant"),
            required=True,
            binds=True,
            phrase="with the greatest {value}",
        ),
        "lead": Param(
            "length",
            "By how much it is certainly ahead of the next, as printed.",
            phrase="if the next is {value} less",
        ),
        "same": Param(
            "length",
            "Elements so close in time count as one.",
            phrase="where those within {value} are one",
        ),
    },
)
