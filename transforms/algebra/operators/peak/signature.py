"""Signature of ``peak``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import NUMBER, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return NUMBER


SIGNATURE = Signature(
    name="peak",
    summary="How many there are at one time at most.",
    main=Param("pattern", "Kinds of facts with the pattern's own arguments.", required=True),
    result=_type,
    phrase="the most {main} at one time",
)
