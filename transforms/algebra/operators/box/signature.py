"""Signature of ``box``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import AT, Param, Signature
from surgqa.transforms.algebra.types import BOX, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return BOX


SIGNATURE = Signature(
    name="box",
    summary="The box of a fact or a track at one time.",
    main=Param("value", "The fact or track.", types=("fact", "track"), required=True),
    result=_type,
    phrase="the box of {main}",
    params={
        "at": AT,
        "or": Param("choice", "`none` if there may be no box.", choices=("none",)),
    },
)
