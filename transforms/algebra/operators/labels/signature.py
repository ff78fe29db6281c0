"""Signature of ``labels``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import POOL_PARAMS, Param, Signature
from surgqa.transforms.algebra.types import Type, many


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return many("set", main)


SIGNATURE = Signature(
    name="labels",
    summary="All labels that a kind, a domain or a scale can have in this video.",
    main=Param(
        "labels", "A kind, a domain of labels, a scale, or a value with a scale.", required=True
    ),
    result=_type,
    phrase="all labels of {main}",
    params={
        **POOL_PARAMS,
    },
    pool=True,
)
