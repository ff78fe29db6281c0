"""Signature of ``count``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import NUMBER, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return NUMBER


SIGNATURE = Signature(
    name="count",
    summary="How many facts, or how many different values of a field, there are.",
    main=Param("pattern", "Kinds of facts with the pattern's own arguments.", required=True),
    result=_type,
    phrase="the number of {main}",
)
