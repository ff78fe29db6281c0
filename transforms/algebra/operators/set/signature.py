"""Signature of ``set``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.algebra.signature import POOL_PARAMS, Param, Signature
from transforms.algebra.types import Type, many


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    if "fields" in args:
        return many("set", args["fields"])
    return many("set", main)


def _refuses(args: Mapping[str, Any]) -> str:
    field = getattr(args["of"], "field", "")
    return "instances have no names: count them, or draw each" if field == "track" else ""


SIGNATURE = Signature(
    refuses=_refuses,
    name="set",
    summary="The different values of a field, or the facts with some of their fields.",
    main=Param("collection", "Facts, a set, a sequence or a list.", required=True),
    result=_type,
    phrase="the different {main}",
    params={
        "of": Param("fields", "What is taken of each fact.", phrase="with {value}"),
        **POOL_PARAMS,
    },
    pool=True,
)
