"""Signature of ``cases``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import STATEMENT, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return STATEMENT


SIGNATURE = Signature(
    name="cases",
    summary="The statement whose condition is true; the other statements are the distractors.",
    main=Param("cases", "Pairs of a statement and its condition.", required=True),
    result=_type,
    phrase="one of {main}",
)
