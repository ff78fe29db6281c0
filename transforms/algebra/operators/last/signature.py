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
        "by": Param(
            "border",
            "The border that orders them: `it.start` or `it.end`; its end if left out.",
            phrase="by its {value}",
        ),
    },
)
