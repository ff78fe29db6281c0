"""Signature of ``compare``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import TRUTH, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return TRUTH


SIGNATURE = Signature(
    name="compare",
    summary="The comparison of two values by one of `= != < <= > >= in`.",
    main=Param("values", "The two values; written with the sign between them.", required=True),
    result=_type,
    phrase="{main}",
)
