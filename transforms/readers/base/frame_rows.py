"""Label files with one row for every frame: its number, then cells such as a phase or 0 and 1.

The files have up to a hundred thousand lines, so the text is split as an array of bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.files import read_text
from surgqa.ontology.records import UNKNOWN, Code, Span
from surgqa.ontology.times import period_us
from surgqa.transforms.readers.base.delimited import fold, whole_number
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.table import instants_of, spans_of

COMMA = ord(",")
DIGITS = 7
"""Number of digits of the largest frame number."""
LONGEST = 64
"""Number of bytes at the start of a cell that are compared."""
BLANK, NEWLINE = 32, 10


@dataclass(frozen=True, slots=True)
class FrameRows:
    """One file with F usable frames and, in addition to the frame's number, K columns.

    Attributes:
        name: path relative to the root.
        columns: names as written, without that of the frame.
        frames: int64 (F,), strictly ascending.
        lines: int64 (F,), line of each frame, from 1.
        words: for each column, the distinct cells.
        codes: for each column, int64 (F,), index into the words of the column.
        read: lines that are not blank, without the header.
        place: the file's position among those of its video, for sorting the ledger.
        base: number that the file gives to the first frame.
    """

    name: str
    columns: tuple[str, ...]
    frames: np.ndarray
    lines: np.ndarray
    words: tuple[tuple[str, ...], ...]
    codes: tuple[np.ndarray, ...]
    read: int
    place: int
    base: int = 0

    def shifted(self, first: int) -> FrameRows:
        """Return the same rows, with frames counted from ``first``."""
        return replace(self, frames=self.frames - first, base=self.base + first)

    def only(self, good: np.ndarray) -> FrameRows:
        """Return the rows where bool (F,) is true."""
        codes = tuple(column[good] for column in self.codes)
        return replace(self, frames=self.frames[good], lines=self.lines[good], codes=codes)

    def concepts(
        self, column: int, meaning: Callable[[str], str | tuple[Code, str]], ledger: Ledger
    ) -> tuple[tuple[str, ...], np.ndarray]:
        """Return the sorted concepts of a column, and for each row the index of its concept, (F,).

        The index is UNKNOWN where the cell has no concept. Such rows are rejected, with one entry
        for each word.
        """
        found = [meaning(word) for word in self.words[column]]
        labels = tuple(sorted({entry for entry in found if isinstance(entry, str)}))
        index = [labels.index(e) if isinstance(e, str) else UNKNOWN for e in found]
        for code, entry in enumerate(found):
            at = self.lines[self.codes[column] == code]
            if not isinstance(entry, str) and at.size:
                where, count = f"{self.name}:{at[0]}", at.size
                ledger.reject((self.place, int(at[0])), *entry, where, int(count))
        return labels, np.array(index, dtype=np.int64)[self.codes[column]]

    def spans(
        self, kind: str, fps: Fraction, meaning: Callable[[str], str | tuple[Code, str]],
        ledger: Ledger, column: int, pointer: str,
    ) -> tuple[tuple[Span, ...], int]:  # fmt: skip
        """Return a span for each run of rows with one label, and how many rows are kept.

        Args:
            fps: rate of the frame numbers.
            meaning: returns the concept of a cell, or code and reason of its rejection.
            pointer: pattern of a place in the file, such as ``frames {first} to {last}``; '' for
                line numbers.
        """
        labels, codes = self.concepts(column, meaning, ledger)
        spans = spans_of(
            kind, instants_of(self.frames, fps), codes, labels, period_us(fps), self.name,
            partial(self._frames, pointer) if pointer else self.at,
        )  # fmt: skip
        return sorted_spans(spans), int((codes != UNKNOWN).sum())

    def _frames(self, pointer: str, first: int, last: int) -> str:
        ends = (int(self.frames[place]) + self.base for place in (first, last))
        return pointer.format(**dict(zip(("first", "last"), ends, strict=True)))

    def at(self, first: int, last: int) -> str:
        """Return the place of a run of rows in the file."""
        return f"lines {self.lines[first]} to {self.lines[last]}"


def read_frame_rows(
    data: bytes, name: str, ledger: Ledger, place: int = 0, header: Sequence[str] = ()
) -> FrameRows:
    """Parse a file; lines that can't be used are rejected.

    Args:
        data: the file's bytes; a byte-order mark, Windows line ends and blank lines are
            accepted.  Cells are separated by commas if the first line has any, otherwise by
            any run of blanks and tabs.
        name: path relative to the dataset's root.
        header: the names of all columns, if the file has no line of names.

    Raises:
        SourceBroken: the file is not text, is empty, or has no first line of names.
    """
    text = read_text(data, name).encode()
    bytes_, lines, starts, ends = _cells(text)
    names = list(header) or _header(text, lines, starts, ends, name)
    width = len(names)
    if not header:
        lines, starts, ends = lines[width:], starts[width:], ends[width:]
    sizes = np.bincount(lines)
    for number in np.flatnonzero((sizes != 0) & (sizes != width)).tolist():
        reason = f"{sizes[number]} cells where {width} columns are"
        ledger.reject((place, number), Code.BAD_ROW, reason, f"{name}:{number}")
    good = sizes[lines] == width
    lines, starts, ends = (part[good].reshape(-1, width) for part in (lines, starts, ends))
    frames = _numbers(text, bytes_, starts[:, 0], ends[:, 0], bool(header))
    kept = _placed(frames, lines[:, 0], name, ledger, place)
    columns = [_words(text, bytes_, starts[kept, k], ends[kept, k]) for k in range(1, width)]
    return FrameRows(
        name=name,
        columns=tuple(names[1:]),
        frames=frames[kept],
        lines=lines[kept, 0],
        words=tuple(words for words, _ in columns),
        codes=tuple(codes for _, codes in columns),
        read=int((sizes != 0).sum()),
        place=place,
    )


def _header(
    text: bytes, lines: np.ndarray, starts: np.ndarray, ends: np.ndarray, name: str
) -> list[str]:
    """Return the first line's cells: the name of the frame column, then of the others."""
    size = int((lines == lines[0]).sum()) if lines.size else 0
    header = [text[a:b].decode() for a, b in zip(starts[:size], ends[:size], strict=True)]
    if size < 2 or fold(header[0]) != "frame" or len(set(header)) < size:
        raise SourceBroken(
            f"{name} has no line of names" if header else f"{name} is empty",
            expected="a first line 'Frame' and the name of each further column",
            found=" ".join(header)[:60] or None,
            where=f"{name}:1",
            fix="download the file again",
        )
    return header


def _cells(text: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the text's bytes, and the line (from 1), first byte and end of each cell."""
    found = np.frombuffer(text, dtype=np.uint8)
    if COMMA in text.lstrip().partition(b"\n")[0]:
        return found, *_between_commas(found)
    filled = np.zeros(found.size + 2, dtype=bool)
    filled[1:-1] = found > BLANK
    edges = np.flatnonzero(filled[1:] != filled[:-1])
    starts, ends = edges[0::2], edges[1::2]
    lines = np.searchsorted(np.flatnonzero(found == NEWLINE), starts) + 1
    return found, lines, starts, ends


def _between_commas(found: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return line, first byte and end of each cell, without blanks around the cell."""
    newlines = np.flatnonzero(found == NEWLINE)
    marks = np.flatnonzero((found == COMMA) | (found == NEWLINE))
    starts, ends = np.append(0, marks + 1), np.append(marks, found.size)
    lines = np.searchsorted(newlines, starts) + 1
    while (blank := (starts < ends) & (found[np.minimum(starts, found.size - 1)] <= BLANK)).any():
        starts = starts + blank
    while (blank := (starts < ends) & (found[ends - 1] <= BLANK)).any():
        ends = ends - blank
    filled = (starts < ends) | (np.bincount(lines)[lines] > 1)  # a blank line is not a row
    return lines[filled], starts[filled], ends[filled]


def _numbers(
    text: bytes, found: np.ndarray, starts: np.ndarray, ends: np.ndarray, decimals: bool
) -> np.ndarray:
    """Return N cells as whole numbers, int64 (N,), or UNKNOWN; with ``decimals``, 3.0 is 3."""
    out = np.zeros(starts.size, dtype=np.int64)
    good = ends - starts <= DIGITS
    for k in range(DIGITS):
        here = np.maximum(ends - 1 - k, starts)
        digit = found[here].astype(np.int64) - ord("0")
        inside = ends - 1 - k >= starts
        good &= (digit >= 0) & (digit <= 9)
        out += np.where(inside, digit, 0) * 10**k
    out = np.where(good & (starts < ends), out, UNKNOWN)
    for at in np.flatnonzero(out == UNKNOWN).tolist() if decimals else ():
        cell = text[starts[at] : min(ends[at], starts[at] + LONGEST)].decode("utf-8", "replace")
        number = whole_number(cell) if cell.endswith((".", "0")) else None
        out[at] = number if number is not None and 0 <= number < 10**DIGITS else UNKNOWN
    return out


def _words(
    text: bytes, bytes_: np.ndarray, starts: np.ndarray, ends: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the distinct cells of a column; and for each row, the index of its cell, int64 (N,).

    Neighbouring cells are mostly equal, so only the first cell of each run is looked up.
    """
    sizes = np.minimum(ends - starts, LONGEST)
    same = sizes[1:] == sizes[:-1]
    for k in range(int(sizes.max(initial=0))):
        byte = bytes_[np.minimum(starts + k, bytes_.size - 1)]
        same &= (byte[1:] == byte[:-1]) | (sizes[1:] <= k)
    begins = np.concatenate([[0], np.flatnonzero(~same) + 1])[: starts.size]
    index: dict[bytes, int] = {}
    cells = zip(starts[begins].tolist(), sizes[begins].tolist(), strict=True)
    codes = [index.setdefault(text[a : a + size], len(index)) for a, size in cells]
    runs = np.diff(begins, append=starts.size)
    words = tuple(key.decode("utf-8", "replace") for key in index)
    return words, np.repeat(np.array(codes, dtype=np.int64), runs)


def _placed(
    frames: np.ndarray, lines: np.ndarray, name: str, ledger: Ledger, place: int
) -> np.ndarray:
    """Return the positions of the rows by frame; repeated and invalid frames are rejected."""
    _, first, counts = np.unique(frames, return_index=True, return_counts=True)
    repeated = np.isin(frames, frames[first[counts > 1]]) | (frames == UNKNOWN)
    for at in np.flatnonzero(repeated).tolist():
        code, reason = Code.BAD_FRAME, f"the frame is not a whole number of at most {DIGITS} digits"
        if frames[at] != UNKNOWN:
            code = Code.DUPLICATE_FRAME
            reason = f"frame {frames[at]} occurs more than once; none of its lines is used"
        line = int(lines[at])
        ledger.reject((place, line), code, reason, f"{name}:{line}")
    kept = first[counts == 1]
    return kept[frames[kept] != UNKNOWN]
