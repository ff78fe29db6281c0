"""One field of a filled-in sheet, in no format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """The score of one video at one time in one dimension, as it stands in the file.

    Attributes:
        where: file and line.
        time_s, dimension, score: as written, not checked; '' where nothing is.
    """

    where: str
    sheet: str
    code: str
    time_s: str
    dimension: str
    score: str
    error_types: tuple[str, ...]
    comment: str
