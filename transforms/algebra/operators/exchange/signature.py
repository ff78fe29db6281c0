"""Signature of ``exchange``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import POOL_PARAMS, Param, Signature
from transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("pool")


SIGNATURE = Signature(
    name="exchange",
    summary="The answer of the same program with one name filled anew.",
    main=Param("name", "The name that is filled anew.", required=True),
    result=_type,
    phrase="the answer for another {main}",
    params={
        **POOL_PARAMS,
    },
    pool=True,
)
