"""Signature of ``set``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import POOL_PARAMS, Param, Signature, fields_refused
from surgqa.transforms.algebra.types import RECORD, Type, fields_of, many


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    if "fields" in args:
        return many("set", RECORD)
    if main.name == "fact":  # facts without ``fields`` are listed by label
        main = fields_of(main.of).get("label", main)
    return many("set", main)


SIGNATURE = Signature(
    refuses=fields_refused,
    name="set",
    values=True,
    summary="The different values of a field, or the facts with some of their fields.",
    main=Param(
        "collection", "Facts, a set, a sequence or a list.", ("fact", "label", "act"), required=True
    ),
    result=_type,
    phrase="the different {main}",
    params={
        "of": Param("fields", "The fields that are kept of each fact.", phrase="with {value}"),
        **POOL_PARAMS,
    },
    pool=True,
)
