"""What the operators of this folder take and return."""

from __future__ import annotations

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import STATEMENT, TRUTH

SIGNATURES = (
    Signature(
        name="all",
        summary="True if all conditions hold; a plain list of conditions means the same.",
        main=Param("conditions", "The conditions.", required=True),
        result=TRUTH,
        phrase="{main}",
    ),
    Signature(
        name="any",
        summary="True if at least one of the conditions holds.",
        main=Param("conditions", "The conditions.", required=True),
        result=TRUTH,
        phrase="{main}",
    ),
    Signature(
        name="cases",
        summary="The statement whose condition is true; the other statements are the distractors.",
        main=Param("cases", "Pairs of a statement and its condition.", required=True),
        result=STATEMENT,
        phrase="one of {main}",
    ),
    Signature(
        name="compare",
        summary="The comparison of two values by one of `= != < <= > >= in`.",
        main=Param("values", "The two values; written with the sign between them.", required=True),
        result=TRUTH,
        phrase="{main}",
    ),
    Signature(
        name="not",
        summary="True if the condition is false.",
        main=Param("condition", "The condition that must be false.", required=True),
        result=TRUTH,
        phrase="not ({main})",
    ),
)
