"""Signature of ``last``."""

from __future__ import annotations

from transforms.algebra.signature import Param, Signature, of_the_element

SIGNATURE = Signature(
    name="last",
    summary="The fact that ends last.",
    main=Param("pattern", "Kinds of facts with the pattern's own arguments.", required=True),
    result=of_the_element,
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
