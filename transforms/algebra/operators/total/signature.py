"""Signature of ``total``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import DURATION, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return DURATION


SIGNATURE = Signature(
    name="total",
    summary="The total time during which any matching fact holds: the length of their union.",
    main=Param("pattern", "Kinds of facts, with the arguments of a pattern.", required=True),
    result=_type,
    phrase="the time with {main}",
)
