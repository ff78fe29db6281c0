"""Signature of ``parts``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import POOL_PARAMS, Param, Signature
from surgqa.transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("stretches")


SIGNATURE = Signature(
    name="parts",
    summary="A stretch cut into equal parts.",
    main=Param("value", "What to cut.", types=("stretch", "fact", "video"), required=True),
    result=_type,
    phrase="the parts of {main}",
    params={
        "n": Param("whole", "How many parts.", required=True, phrase="{value} of them"),
        **POOL_PARAMS,
    },
    pool=True,
)
