"""Signature of ``last``."""

from __future__ import annotations

from surgqa.transforms.algebra.signature import Param, Signature, of_the_element

SIGNATURE = Signature(
    name="last",
    summary="The fact that ends last.",
    main=Param("pattern", "Kinds of facts, with the arguments of a pattern.", required=True),
    result=of_the_element,
    phrase="the last {main}",
    params={
        "by": Param(
            "border",
            "The time that orders the facts: `it.end` (the default) or `it.start`.",
            phrase="by its {value}",
        ),
    },
)
