"""Signature of ``sequence``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature, fields_refused
from surgqa.transforms.algebra.types import Type, fields_of, many


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    if "fields" in args:
        return many("sequence", args["fields"])
    if main.name == "fact":  # facts without ``fields`` are listed by label
        main = fields_of(main.of).get("label", main)
    return many("sequence", main)


SIGNATURE = Signature(
    refuses=fields_refused,
    name="sequence",
    summary="Elements in order of time.",
    main=Param("collection", "Facts, a set, a sequence or a list.", required=True),
    result=_type,
    phrase="{main} in order",
    params={
        "by": Param(
            "value",
            "The time that orders the elements; their start if left out.",
            types=("instant", "number"),
            binds=True,
            phrase="by {value}",
        ),
        "of": Param("fields", "The fields that are kept of each fact.", phrase="with {value}"),
        "take": Param(
            "whole",
            "How many to keep from the start, or from the end if negative.",
            phrase="{value} of them",
        ),
    },
)
