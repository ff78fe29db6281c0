"""Signature of ``first``."""

from __future__ import annotations

from transforms.algebra.signature import Param, Signature, of_the_element

SIGNATURE = Signature(
    name="first",
    summary="The fact that begins first.",
    main=Param("pattern", "Kinds of facts with the pattern's own arguments.", required=True),
    result=of_the_element,
    phrase="the first {main}",
    params={
        "by": Param(
            "border",
            "The border that orders them: `it.start` or `it.end`; its start if left out.",
            phrase="by its {value}",
        ),
    },
)
