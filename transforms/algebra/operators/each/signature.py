"""Signature of ``each``."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return main


SIGNATURE = Signature(
    name="each",
    summary="Every element in turn: one filling of the question for each.",
    main=Param("draws", "A collection, a list, or `instant`, `stretch`, `point`.", required=True),
    result=_type,
    phrase="each {main}",
    params={
        "of": Param(
            "values",
            "Of `stretch`: what is in view all the way.",
            types=("fact", "track"),
            phrase="with {value} in view",
        ),
        "grid": Param("whole", "Of `point`: points in a row.", phrase="on a grid of {value}"),
        "take": Param("whole", "So many at once, as a sequence.", phrase="{value} at once"),
    },
)
