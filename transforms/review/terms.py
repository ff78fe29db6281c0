"""The terms of a review: its schemas, the columns of a sheet, and the list of flaws."""

from __future__ import annotations

from enum import StrEnum

SAMPLE_SCHEMA = "surgqa/review-sample-v1"
LAYER_SCHEMA = "surgqa/review-v1"
RECORD = "review.json"
"""File next to the sheets that names the output and lists the drawn units."""

YES, NO = "yes", "no"


class Flaw(StrEnum):
    """The closed list of flaws of a question."""

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
"""The flaws as raters read and write them."""
