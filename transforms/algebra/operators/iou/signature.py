"""Signature of ``iou``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.signature import AT, Param, Signature
from surgqa.transforms.algebra.types import NUMBER, TRUTH, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return TRUTH if "least" in args else NUMBER


def _refuses(args: Mapping[str, Any]) -> str:
    in_time = [node.type.name == "stretch" for node in args["of"]]
    return "" if all(in_time) or not any(in_time) else "the iou of a stretch needs two stretches"


SIGNATURE = Signature(
    refuses=_refuses,
    name="iou",
    summary="The overlap of two boxes or stretches: intersection over union.",
    main=Param(
        "values",
        "Two boxes, stretches, facts or tracks.",
        types=("fact", "track", "box", "stretch"),
        required=True,
    ),
    result=_type,
    phrase="the overlap of {main}",
    params={
        "at": AT,
        "least": Param("length", "True if it is at least this.", phrase="is at least {value}"),
    },
)
