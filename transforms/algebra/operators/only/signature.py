"""Signature of ``only``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return main


SIGNATURE = Signature(
    name="only",
    summary="The one fact that fits; there is certainly no other.",
    main=Param("pattern", "Kinds of facts with the pattern's own arguments.", required=True),
    result=_type,
    phrase="the only {main}",
)
