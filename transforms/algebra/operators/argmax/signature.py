"""Signature of ``argmax``."""

from __future__ import annotations

from surgqa.transforms.algebra.signature import Param, Signature, of_the_element, superlative

SIGNATURE = Signature(
    name="argmax",
    summary="The element with the greatest value, if all other values are certainly smaller.",
    main=Param("collection", "Facts, a set, a sequence or a list.", required=True),
    result=of_the_element,
    phrase="the {main}",
    params=superlative("greatest", "behind"),
)
