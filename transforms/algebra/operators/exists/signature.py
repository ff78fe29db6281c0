"""Signature of ``exists``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import TRUTH, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return TRUTH


SIGNATURE = Signature(
    name="exists",
    summary="True if at least one fact matches.",
    main=Param("pattern", "Kinds of facts, with the arguments of a pattern.", required=True),
    result=_type,
    phrase="there is any {main}",
)
