"""Signature of ``any``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import TRUTH, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return TRUTH


SIGNATURE = Signature(
    name="any",
    summary="True if at least one of the conditions holds.",
    main=Param("conditions", "The conditions.", required=True),
    result=_type,
    phrase="{main}",
)
