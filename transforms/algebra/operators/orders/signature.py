"""Signature of ``orders``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import POOL_PARAMS, Param, Signature, records
from surgqa.transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("pool", main.name)


SIGNATURE = Signature(
    refuses=records,
    name="orders",
    summary="Other orders of a sequence of at most five elements, each equally likely.",
    main=Param("value", "The value, usually `answer`.", types=("sequence",), required=True),
    result=_type,
    phrase="{main} in other orders",
    params={
        **POOL_PARAMS,
    },
    pool=True,
)
