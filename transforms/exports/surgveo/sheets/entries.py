"""One field of a filled-in sheet, independent of the file format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """The score of one video at one time in one dimension, as it is in the file.

    Attributes:
        where: file and line.
        time_s, dimension, score: as written, unchecked; '' if the field is empty.
    """

    where: str
    sheet: str
    code: str
    time_s: str
    dimension: str
    score: str
    error_types: tuple[str, ...]
    comment: str
