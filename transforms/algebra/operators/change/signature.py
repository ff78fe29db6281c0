"""Signature of ``change``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import POOL_PARAMS, Param, Signature
from transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("pool", main.name)


SIGNATURE = Signature(
    name="change",
    summary="The answer with something changed: a set or a sequence.",
    main=Param("value", "The value, mostly `answer`.", types=("set", "sequence"), required=True),
    result=_type,
    phrase="{main} changed",
    params={
        "by": Param(
            "choices",
            "What is changed.",
            choices=("swap", "add", "drop", "reorder", "replace"),
            required=True,
            phrase="by {value}",
        ),
        "from": Param(
            "values",
            "Where other members come from.",
            types=("set", "facts", "sequence"),
            phrase="from {value}",
        ),
        **POOL_PARAMS,
    },
    pool=True,
)
