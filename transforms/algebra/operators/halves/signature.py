"""Signature of ``halves``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import POOL_PARAMS, Param, Signature
from surgqa.transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("pool")


SIGNATURE = Signature(
    name="halves",
    summary="Options of two parts each: correct parts combined with wrong ones.",
    main=Param("pools", "Two stages or pools.", required=True),
    result=_type,
    phrase="right and wrong parts of {main}",
    params={
        **POOL_PARAMS,
    },
    pool=True,
)
