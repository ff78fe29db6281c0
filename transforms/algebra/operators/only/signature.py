"""Signature of ``only``."""

from __future__ import annotations

from transforms.algebra.signature import Param, Signature, of_the_element

SIGNATURE = Signature(
    name="only",
    summary="The one fact that fits; there is certainly no other.",
    main=Param("pattern", "Kinds of facts with the pattern's own arguments.", required=True),
    result=of_the_element,
    phrase="the only {main}",
)
