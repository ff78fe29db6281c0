"""A row of a returned sheet: text that has not been checked yet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One question with a rater's entries.

    Attributes:
        where: file and line, or position in the file.
        sheet: the mark of its sheet.
        wrong: phrases, as written or ticked.
    """

    where: str
    sheet: str
    item_id: str
    answer: str
    valid: str
    wrong: tuple[str, ...]
    comment: str
