"""Signature of ``distance``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import AT, Param, Signature
from surgqa.transforms.algebra.types import NUMBER, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return NUMBER


SIGNATURE = Signature(
    name="distance",
    summary="The distance between two things in the frame, in fractions of its width and height.",
    main=Param(
        "values",
        "Two facts, tracks, boxes or points.",
        types=("fact", "track", "box", "point"),
        required=True,
    ),
    result=_type,
    phrase="the distance of {main}",
    params={
        "at": AT,
    },
)
