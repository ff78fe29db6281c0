"""Signature of ``all``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import TRUTH, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return TRUTH


SIGNATURE = Signature(
    name="all",
    summary="True if all conditions hold; a plain list of conditions means the same.",
    main=Param("conditions", "The conditions.", required=True),
    result=_type,
    phrase="{main}",
)
