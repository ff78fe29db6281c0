"""Files with one line a frame, its number and then one digit a column, and no header.

Such files have hundreds of thousands of lines; a line of the usual form costs about a
microsecond.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ontology.files import read_text
from ontology.records import Code
from transforms.readers.base.delimited import whole_number
from transforms.readers.base.ledger import Ledger
from transforms.readers.base.numbered import LARGEST

_ZERO = ord("0")
_SHORT = 7
"""A number of so few digits is not above LARGEST."""


@dataclass(frozen=True, slots=True)
class Digits:
    """One label file; F frames, K columns.

    Attributes:
        name: path relative to the root.
        frames: int64 (F,), ascending; lines that can't be used are not among them.
        lines: int64 (F,), line of each frame, from 1.
        values: uint8 (F, K).
        read: lines in the file that are not blank.
    """

    name: str
    frames: np.ndarray
    lines: np.ndarray
    values: np.ndarray
    read: int

    def only(self, good: np.ndarray) -> Digits:
        """The frames where bool (F,) is true."""
        parts = self.frames[good], self.lines[good], self.values[good]
        return Digits(self.name, *parts, self.read)

    def without(
        self, wrong: np.ndarray, code: Code, reason: str, ledger: Ledger, place: int
    ) -> Digits:
        """Without the frames where bool (F,) is true, which are rejected as one entry."""
        if not wrong.any():
            return self
        line = int(self.lines[wrong].min())
        where = f"{self.name}:{line}"
        ledger.reject((place, line), code, reason, where, int(wrong.sum()))
        return self.only(~wrong)


def read_digits(
    data: bytes, name: str, width: int, highest: int, ledger: Ledger, place: int
) -> Digits:
    """Parse a file; lines that can't be used are rejected.

    Args:
        data: the file's bytes; a byte-order mark, Windows line ends and blank lines are
            accepted.
        name: path relative to the dataset's root.
        width: how many columns follow the frame number.
        highest: the highest digit there may be.
        place: position of the file among the video's files, for sorting the books.
    """
    frames, lines, tails, read = [], [], [], 0
    good: set[str] = set()  # few of all possible lines of digits occur, and again and again
    for number, line in enumerate(read_text(data, name).split("\n"), start=1):
        head, _, tail = line.partition(",")
        usual = len(head) <= _SHORT and head.isascii() and head.isdigit()
        if tail not in good or not usual:
            if not line.strip():
                continue
            if len(tail) != 2 * width - 1 or not usual:
                head, tail = _tidied(line)
            problem = _problem(head, tail, width, highest)
            if problem:
                ledger.reject((place, number), *problem, f"{name}:{number}")
                read += 1
                continue
            good.add(tail)
        read += 1
        frames.append(int(head))
        lines.append(number)
        tails.append(tail)
    digits = np.frombuffer("".join(tails).encode(), dtype=np.uint8).reshape(-1, 2 * width - 1)
    found = Digits(
        name,
        np.array(frames, dtype=np.int64),
        np.array(lines, dtype=np.int64),
        digits[:, ::2] - _ZERO,
        read,
    )
    return _once(found, ledger, place)


def _tidied(line: str) -> tuple[str, str]:
    """Numbers without blanks and ``.0``; what is no number stays."""
    cells = [cell.strip() for cell in line.split(",")]
    numbers = [whole_number(cell) for cell in cells]
    plain = [cell if n is None else str(n) for cell, n in zip(cells, numbers, strict=True)]
    return plain[0], ",".join(plain[1:])


def _problem(head: str, tail: str, width: int, highest: int) -> tuple[Code, str] | None:
    if not (head.isascii() and head.isdigit() and len(head) < 9 and int(head) <= LARGEST):
        return Code.BAD_FRAME, f"frame {head[:40]!r} is no whole number from 0 to {LARGEST}"
    cells = tail.split(",") if len(tail) != 2 * width - 1 else tail[::2]
    if len(cells) != width or len(tail) != 2 * width - 1 or tail[1::2].strip(","):
        return Code.BAD_ROW, f"the line has {len(tail.split(','))} labels and not {width} digits"
    if tail[::2].strip("0123456789"[: highest + 1]):
        return Code.BAD_ROW, f"a label of this line is not 0 to {highest}"
    return None


def _once(found: Digits, ledger: Ledger, place: int) -> Digits:
    """In ascending order and without frames that occur twice, of which no copy is used."""
    order = np.argsort(found.frames, kind="stable")
    found = found.only(order)
    same = found.frames[1:] == found.frames[:-1]
    again = np.zeros(found.frames.size, dtype=bool)
    again[1:] |= same
    again[:-1] |= same
    for frame, line in zip(found.frames[again].tolist(), found.lines[again].tolist(), strict=True):
        reason = f"frame {frame} occurs more than once; none of its lines is used"
        ledger.reject((place, line), Code.DUPLICATE_FRAME, reason, f"{found.name}:{line}")
    return found.only(~again)
