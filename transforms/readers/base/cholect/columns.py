"""The text files of CholecT45: lists of names, and one line of zeros and ones a frame."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.files import read_text
from surgqa.ontology.records import Code
from surgqa.transforms.readers.base import Ledger

LARGEST_FRAME = 9_999_999
_ONE = ord("1")


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """One label file; F frames, K labels.

    Attributes:
        name: path relative to the root.
        frames: int64 (F,), ascending, without lines that cannot be used.
        lines: int64 (F,), line of each frame, from 1.
        on: bool (F, K), whether the label occurs in the frame.
        read: lines in the file that are not blank.
    """

    name: str
    frames: np.ndarray
    lines: np.ndarray
    on: np.ndarray
    read: int

    def at(self, frames: np.ndarray) -> np.ndarray:
        """Return positions (T,) of frames that are all in the file."""
        return np.searchsorted(self.frames, frames)


def names_of(data: bytes, name: str) -> list[str]:
    """Return the names in id order from lines ``0:name`` (or ``0,name``).

    Raises:
        SourceBroken: a line is not understood, or the ids are not 0, 1, 2, …
    """
    names: list[str] = []
    for number, line in enumerate(read_text(data, name).split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = re.fullmatch(r"\s*([0-9]{1,5})\s*[:,]\s*(\S.*?)\s*", line)
        if match is None or int(match[1]) != len(names) or match[2] in names:
            raise SourceBroken(
                f"{name} is not understood",
                expected=f"'{len(names)}:' and a name that is not listed yet",
                found=f"{line!r:.60}",
                where=f"{name}:{number}",
            )
        names.append(match[2])
    if not names:
        raise SourceBroken(f"{name} is empty", expected="lines such as '0:name'", where=f"{name}:1")
    return names


def columns_of(data: bytes, name: str, width: int, ledger: Ledger, place: int) -> LabelColumns:
    """Parse a label file; lines that can't be used are rejected.

    Args:
        data: the file's bytes; a byte-order mark, Windows line ends and blank lines
            are accepted.
        name: path relative to the dataset's root.
        width: how many labels there are.
        place: position of the file among the video's files, for sorting the ledger.

    Raises:
        SourceBroken: the file is not text, or is empty.
    """
    lines = [
        (number, line)
        for number, line in enumerate(read_text(data, name).split("\n"), start=1)
        if line.strip()
    ]
    if not lines:
        expected = f"a frame id and {width} zeros and ones a line"
        raise SourceBroken(f"{name} is empty", expected=expected, where=f"{name}:1")
    numbers, heads, tails = [], [], []
    for number, line in lines:
        head, _, tail = line.partition(",")
        frame, tail, problem = _checked(head, tail, width, f"dict/{name.split('/')[0]}.txt")
        if problem:
            at = (max(frame, -1), place, number)
            ledger.reject(at, problem[0], problem[1], f"{name}:{number}")
        else:
            numbers.append(number)
            heads.append(frame)
            tails.append(tail)
    digits = np.frombuffer("".join(tails).encode(), dtype=np.uint8)
    on = digits.reshape(len(tails), 2 * width - 1)[:, ::2] == _ONE
    instants, ids = np.array(heads, dtype=np.int64), np.array(numbers, dtype=np.int64)
    return _once(LabelColumns(name, instants, ids, on, len(lines)), ledger, place)


def _checked(
    head: str, tail: str, width: int, listed: str
) -> tuple[int, str, tuple[Code, str] | None]:
    """Return the frame id (-1 if invalid), the labels as ``0,1,0``, and what is wrong with them.

    ``listed`` is the file that lists the labels.
    """
    head = head.strip()
    frame = int(head) if head.isascii() and head.isdigit() and len(head) < 20 else -1
    if not 0 <= frame <= LARGEST_FRAME:
        expected = f"a whole number from 0 to {LARGEST_FRAME}"
        return -1, tail, (Code.BAD_FRAME, f"frame id {head[:40]!r} is not {expected}")
    if len(tail) != 2 * width - 1 or not _plain(tail):
        cells = [cell.strip() for cell in tail.split(",")]
        odd = [cell for cell in cells if cell not in ("0", "1")]
        if len(cells) != width:
            return (
                frame,
                tail,
                (Code.BAD_ROW, f"{len(cells)} labels and not the {width} of {listed}"),
            )
        if odd:
            return frame, tail, (Code.BAD_ROW, f"a label is {odd[0][:40]!r} and not 0 or 1")
        tail = ",".join(cells)
    return frame, tail, None


def _plain(tail: str) -> bool:
    """Return whether a text is a digit 0 or 1, a comma, and so on."""
    return tail[1::2].count(",") == len(tail) // 2 and not tail[::2].strip("01")


def _once(columns: LabelColumns, ledger: Ledger, place: int) -> LabelColumns:
    """Return the lines in ascending order, without frames that occur more than once."""
    _, first, counts = np.unique(columns.frames, return_index=True, return_counts=True)
    repeated = np.isin(columns.frames, columns.frames[first[counts > 1]])
    for position in np.flatnonzero(repeated).tolist():
        frame, line = int(columns.frames[position]), int(columns.lines[position])
        reason = f"frame {frame} occurs more than once; none of its lines is used"
        where = f"{columns.name}:{line}"
        ledger.reject((frame, place, line), Code.DUPLICATE_FRAME, reason, where)
    kept = first[counts == 1]
    return LabelColumns(
        columns.name,
        columns.frames[kept],
        columns.lines[kept],
        columns.on[kept],
        columns.read,
    )
