"""Signature of ``near``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.signature import POOL_PARAMS, Param, Signature
from surgqa.transforms.algebra.tree import Amount
from surgqa.transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("pool", main.name)


def _refuses(args: Mapping[str, Any]) -> str:
    apart = args.get("apart")
    if isinstance(apart, Amount) and apart.low != apart.high:
        return "'apart' must be one distance, not a range: the step between the times"
    return ""


SIGNATURE = Signature(
    refuses=_refuses,
    name="near",
    summary="Distractors close to a value but certainly different from it.",
    main=Param(
        "value",
        "The value, usually `answer`.",
        types=("number", "instant", "stretch"),
        required=True,
    ),
    result=_type,
    phrase="values near {main}",
    params={
        "apart": Param(
            "length", "Least distance from the value and between them.", phrase="{value} apart"
        ),
        "inside": Param(
            "values",
            "A stretch, or a stage whose window must contain them.",
            types=("stretch", "video", "stage"),
            phrase="inside {value}",
        ),
        "iou": Param(
            "length", "Greatest overlap with it.", phrase="with an overlap of at most {value}"
        ),
        **POOL_PARAMS,
    },
    pool=True,
)
