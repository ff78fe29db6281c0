"""Signature of ``coalesce``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import POOL_PARAMS, Param, Signature
from transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return main


SIGNATURE = Signature(
    name="coalesce",
    summary="The first value that is not none.",
    main=Param("values", "Values in order of preference.", required=True),
    result=_type,
    phrase="{main}",
    params={
        **POOL_PARAMS,
    },
    pool=True,
)
