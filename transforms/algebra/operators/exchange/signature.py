"""Signature of ``exchange``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import POOL_PARAMS, Param, Signature, records
from surgqa.transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("pool", main.name)


SIGNATURE = Signature(
    refuses=records,
    name="exchange",
    summary="Distractors taken from the correct answers of other questions about the same video.",
    main=Param(
        "value",
        "The value, usually `answer`.",
        types=("label", "act", "word", "number", "set", "sequence"),
        required=True,
    ),
    result=_type,
    phrase="{main} of other questions about the recording",
    params={
        **POOL_PARAMS,
    },
    pool=True,
)
