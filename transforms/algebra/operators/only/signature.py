"""Signature of ``only``."""

from __future__ import annotations

from surgqa.transforms.algebra.signature import Param, Signature, of_the_element

SIGNATURE = Signature(
    name="only",
    summary="The only fact that matches; there is certainly no other.",
    main=Param("pattern", "Kinds of facts, with the arguments of a pattern.", required=True),
    result=of_the_element,
    phrase="the only {main}",
)
