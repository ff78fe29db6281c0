"""Signature of ``each``."""

from __future__ import annotations

from transforms.algebra.signature import Param, Signature, of_the_element

SIGNATURE = Signature(
    name="each",
    summary="Every element in turn: one filling of the question for each.",
    main=Param("draws", "A collection, a list, or `instant`, `stretch`, `point`.", required=True),
    result=of_the_element,
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
