"""Signature of ``last``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return main


SIGNATURE = Signature(
    name="last",
    summary="The fact that ends last.",
    main=Param("pattern", "Kinds of facts with the pattern's own arguments.", required=True),
    result=_type,
    phrase="the last {main}",
    params={
        "n": Param("whole", "Which one, counted from 1.", default=1, phrase="number {value}"),
        "by": Param(
            "border",
            "The border that orders them: `it.start` or `it.end`.",
            phrase="by its {value}",
        ),
    },
)
