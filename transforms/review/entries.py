"""A row of a sheet as it came back: text, nothing of it checked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One question with what a rater wrote.

    Attributes:
        where: file and line, or place in the file.
        sheet: the mark of the sheet that it stands on.
        wrong: phrases, as they were written or ticked.
    """

    where: str
    sheet: str
    item_id: str
    answer: str
    valid: str
    wrong: tuple[str, ...]
    comment: str
