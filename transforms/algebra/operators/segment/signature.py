"""Signature of ``segment``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import STRETCH, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return STRETCH


def _refuses(args: Mapping[str, Any]) -> str:
    if ("most" in args) != ("opening" in args):
        return "'most' and 'opening' belong together"
    lengths = [*args["grid"], *(args[name] for name in ("most", "opening") if name in args)]
    return "" if all(one.unit == "us" for one in lengths) else "a grid's lengths are times"


SIGNATURE = Signature(
    refuses=_refuses,
    name="segment",
    summary="The stretch of a grid that holds another stretch or an instant.",
    main=Param("value", "What it holds.", types=("stretch", "fact", "instant"), required=True),
    result=_type,
    phrase="the segment around {main}",
    params={
        "grid": Param(
            "lengths",
            "Steps of the grid, the widest first.",
            required=True,
            phrase="on a grid of {value}",
        ),
        "iou": Param(
            "length",
            "Overlap that it exceeds.",
            phrase="with an overlap of {value}",
        ),
        "most": Param(
            "length", "Longer ones are cut to their opening.", phrase="at most {value} long"
        ),
        "opening": Param("length", "Length of the opening.", phrase="else its first {value}"),
    },
)
