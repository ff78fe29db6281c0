"""The words of a review: its schemas, the columns of a sheet, and what may be wrong."""

from __future__ import annotations

from enum import StrEnum

SAMPLE_SCHEMA = "surgqa/review-sample-v1"
LAYER_SCHEMA = "surgqa/review-v1"
RECORD = "review.json"
"""Lies beside the sheets: which output they are of, and what was drawn."""

YES, NO = "yes", "no"


class Flaw(StrEnum):
    """The closed list of what a rater can find wrong with a question."""

    UNCLEAR = "unclear"
    SEVERAL_RIGHT = "several_right"
    NONE_RIGHT = "none_right"
    WRONG_EVIDENCE = "wrong_evidence"
    WRONG_KNOWLEDGE = "wrong_knowledge"
    WRONG_CLUE = "wrong_clue"
    IMPLAUSIBLE = "implausible"


PHRASES = {
    Flaw.UNCLEAR: "question unclear",
    Flaw.SEVERAL_RIGHT: "more than one right",
    Flaw.NONE_RIGHT: "no right option",
    Flaw.WRONG_EVIDENCE: "wrong evidence",
    Flaw.WRONG_KNOWLEDGE: "wrong knowledge",
    Flaw.WRONG_CLUE: "wrong clue",
    Flaw.IMPLAUSIBLE: "clinically implausible",
}
"""As raters read and write them."""
