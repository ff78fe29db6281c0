"""Signature of ``not``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import TRUTH, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return TRUTH


SIGNATURE = Signature(
    name="not",
    summary="True if the condition is false.",
    main=Param("condition", "The condition that must be false.", required=True),
    result=_type,
    phrase="not ({main})",
)
