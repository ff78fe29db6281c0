"""Signature of ``coalesce``."""

from __future__ import annotations

from surgqa.transforms.algebra.signature import POOL_PARAMS, Param, Signature, of_the_element

SIGNATURE = Signature(
    name="coalesce",
    summary="The first value that is not none.",
    main=Param("values", "Values in order of preference.", required=True),
    result=of_the_element,
    phrase="{main}",
    params={
        **POOL_PARAMS,
    },
    pool=True,
)
