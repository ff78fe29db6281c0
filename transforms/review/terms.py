"""Names and types of a review: its schemas, the flaws of a question, the entries of a sheet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date as Date
from enum import StrEnum

from surgqa.ontology.errors import ValueInvalid

SAMPLE_SCHEMA = "surgqa/review-sample-v1"
LAYER_SCHEMA = "surgqa/review-v1"
RECORD = "review.json"
"""File next to the sheets that names the output and lists the drawn units."""

YES, NO = "yes", "no"


class Flaw(StrEnum):
    """What may be wrong with a question; raters choose from this list."""

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


@dataclass(frozen=True, slots=True)
class ReviewEntry:
    """A rater's entries about one question, as written in a sheet.

    Attributes:
        where: file and line, or the position of a task in its file.
        sheet: the name of the sheet in the question's row.
        wrong: phrases for flaws, as written or ticked.
    """

    where: str
    sheet: str
    item_id: str
    answer: str
    valid: str
    wrong: tuple[str, ...]
    comment: str


def check_date(date: str) -> None:
    """Raise an error if the date of a review is not an ISO date such as 2026-11-21.

    Raises:
        UserError: the text is not an ISO date.
    """
    try:
        plain = Date.fromisoformat(date).isoformat() == date
    except ValueError:
        plain = False
    if not plain:  # dates are compared as text
        raise ValueInvalid(
            "not a date", expected="year-month-day, such as 2026-11-21", found=date, where="--date"
        )
