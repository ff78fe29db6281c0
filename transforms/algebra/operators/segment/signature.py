"""Signature of ``segment``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import STRETCH, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return STRETCH


def _refuses(args: Mapping[str, Any]) -> str:
    if ("most" in args) != ("opening" in args):
        return "'most' and 'opening' must be given together"
    lengths = [*args["grid"], *(args[name] for name in ("most", "opening") if name in args)]
    return "" if all(one.unit == "us" for one in lengths) else "grid lengths must be times"


SIGNATURE = Signature(
    refuses=_refuses,
    name="segment",
    summary="The grid-aligned stretch that contains another stretch or an instant.",
    main=Param("value", "What it contains.", types=("stretch", "fact", "instant"), required=True),
    result=_type,
    phrase="the segment around {main}",
    params={
        "grid": Param(
            "lengths",
            "Steps of the grid, the widest first; the first that fits is used.",
            required=True,
            phrase="on a grid of {value}",
        ),
        "iou": Param(
            "length",
            "Overlap (IoU) with the printed stretch that it must exceed.",
            phrase="with an overlap of {value}",
        ),
        "most": Param(
            "length", "Longer stretches are cut to their first part.", phrase="at most {value} long"
        ),
        "opening": Param("length", "Length of that first part.", phrase="else its first {value}"),
    },
)
