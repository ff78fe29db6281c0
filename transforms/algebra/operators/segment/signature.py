"""Signature of ``segment``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import STRETCH, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return STRETCH


SIGNATURE = Signature(
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
