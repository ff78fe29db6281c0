"""Signature of ``first``."""

from __future__ import annotations

from surgqa.transforms.algebra.signature import Param, Signature, of_the_element

SIGNATURE = Signature(
    name="first",
    summary="The fact that starts first.",
    main=Param("pattern", "Kinds of facts, with the arguments of a pattern.", required=True),
    result=of_the_element,
    phrase="the first {main}",
    params={
        "by": Param(
            "border",
            "The time that orders the facts: `it.start` (the default) or `it.end`.",
            phrase="by its {value}",
        ),
    },
)
