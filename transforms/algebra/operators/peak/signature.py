"""Signature of ``peak``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import NUMBER, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return NUMBER


SIGNATURE = Signature(
    name="peak",
    summary="The largest number of matching facts at the same time.",
    main=Param("pattern", "Kinds of facts, with the arguments of a pattern.", required=True),
    result=_type,
    phrase="the most {main} at one time",
)
