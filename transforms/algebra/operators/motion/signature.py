"""Signature of ``motion``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("motion")


SIGNATURE = Signature(
    name="motion",
    summary="The motion of a track: path length, speeds and number of samples.",
    main=Param("value", "A fact or a track.", types=("fact", "track"), required=True),
    result=_type,
    phrase="the motion of {main}",
    params={
        "over": Param(
            "value",
            "The time or times that are measured.",
            types=("stretch", "stretches", "fact", "facts"),
            required=True,
            phrase="over {value}",
        ),
    },
)
