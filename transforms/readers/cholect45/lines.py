"""The text files of CholecT45: lists of names, and one line of zeros and ones a frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from surgqa.ontology.concepts import label_map
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.files import empty_file, read_text
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import IDLE, Code
from surgqa.transforms.readers.base import Ledger, Thing, concept_of

KINDS = ("instrument", "verb", "target")
LARGEST_FRAME = 9_999_999
Fault = tuple[Code, str]
On = tuple[tuple[int, ...], ...]
"""For each task, the columns that are 1 in a frame."""
LabelLine = tuple[int, tuple[int, ...]]
"""A usable line's number in the file, and the columns that are 1."""


class LabelLines(NamedTuple):
    """A label file: the valid lines by frame, and how many lines are not blank."""

    name: str
    by_frame: Mapping[int, LabelLine]
    read: int

    def place(self, frame: int) -> str:
        """Return ``file:line`` of a frame."""
        return f"{self.name}:{self.by_frame[frame][0]}"


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
                f"{name} has an invalid line", found=f"{line!r:.60}", where=f"{name}:{number}",
                expected=f"'{len(names)}:' and a name that no other line has",
            )  # fmt: skip
        names.append(match[2])
    if not names:
        raise empty_file(name, "lines such as '0:name'")
    return names


def lines_of(data: bytes, name: str, width: int, ledger: Ledger, place: int) -> LabelLines:
    """Parse a label file; lines that can't be used are rejected.

    Args:
        width: how many labels there are.
        place: position of the file among the video's files, for sorting the ledger.

    Raises:
        SourceBroken: the file is not text, or is empty.
    """
    lines = [(number, line) for number, line in enumerate(read_text(data, name).split("\n"), 1)
             if line.strip()]  # fmt: skip
    if not lines:
        raise empty_file(name, f"a frame id and {width} zeros and ones a line")
    labels = cache(partial(_labels, width, f"dict/{name.split('/')[0]}.txt"))
    found: dict[int, list[LabelLine]] = {}
    for number, line in lines:
        first = line.partition(",")[0]
        head = first.strip()
        frame = int(head) if head.isascii() and head.isdigit() and len(head) < 20 else -1
        try:
            if not 0 <= frame <= LARGEST_FRAME:
                expected = f"a whole number from 0 to {LARGEST_FRAME}"
                raise Unfit(Code.BAD_FRAME, f"frame id {head[:40]!r} is not {expected}")
            found.setdefault(frame, []).append((number, labels(line[len(first) :])))
        except Unfit as fault:
            ledger.reject((frame, place, number), fault.code, fault.reason, f"{name}:{number}")
    for frame, copies in found.items():
        for number, _ in copies if len(copies) > 1 else ():
            reason = f"frame {frame} occurs more than once; none of its lines is used"
            at = (frame, place, number)
            ledger.reject(at, Code.DUPLICATE_FRAME, reason, f"{name}:{number}")
    once = {frame: copies[0] for frame, copies in found.items() if len(copies) == 1}
    return LabelLines(name, once, len(lines))


def _labels(width: int, listed: str, text: str) -> tuple[int, ...]:
    """Return the columns that are 1 in ``,0,1,0``; ``listed`` is the file that lists the labels.

    Raises:
        Unfit: they are not zeros and ones, or their number is wrong.
    """
    cells = [cell.strip() for cell in text.split(",")[1:]]
    if len(cells) != width:
        raise Unfit(Code.BAD_ROW, f"{len(cells)} labels and not the {width} of {listed}")
    if odd := [cell for cell in cells if cell not in ("0", "1")]:
        raise Unfit(Code.BAD_ROW, f"a label is {odd[0][:40]!r} and not 0 or 1")
    return tuple(column for column, cell in enumerate(cells) if cell == "1")


class TripletColumns:
    """The meaning of the columns of a video's files.

    Args:
        names: for each task with a file, the names by column.
    """

    def __init__(self, names: Mapping[str, Sequence[str]]):
        self.names, self.known = names, label_map("cholect50")
        self.triplets = [tuple((*name.split(","), "", "")[:3]) for name in names.get("triplet", ())]
        tools = names.get("instrument") or [parts[0] for parts in self.triplets]
        meant = self.known["instrument"]
        self.tools = sorted({meant[name] for name in tools if isinstance(meant.get(name), str)})
        self.faults = cache(lambda on: dict(reversed([*self._faults(on)])))
        """The most serious fault of the lines of a frame, by task."""

    def _faults(self, on: On) -> Iterator[tuple[str, Fault]]:
        """Yield (task, fault) for each fault in the lines of a frame, the most serious first.

        If a triplet is 1, its instrument, verb and target must be 1 in their own files, except for
        the null verb and the null target. The reverse is not a fault: the interaction of an
        instrument without a triplet was not annotated.
        """
        columns = dict(zip(self.names, on, strict=True))
        own = {kind: [self.names[kind][column] for column in columns[kind]]
               for kind in KINDS if kind in columns}  # fmt: skip
        for column in columns.get("triplet", ()):
            for kind, name in zip(KINDS, self.triplets[column], strict=True):
                if kind in own and name not in self.names[kind]:
                    shown = self.names["triplet"][column]
                    reason = f"triplet {shown!r}: no such {kind} in dict/{kind}.txt"
                    yield "triplet", (Code.UNKNOWN_LABEL, reason)
                elif not isinstance(problem := concept_of(kind, name, self.known), str):
                    yield "triplet", problem
        for kind, name in ((kind, name) for kind, names in own.items() for name in names):
            if not isinstance(problem := concept_of(kind, name, self.known), str):
                yield kind, problem
        for kind, names in own.items():
            said = {self.triplets[c][KINDS.index(kind)] for c in columns.get("triplet", ())}
            if missing := sorted(said - {*names, *IDLE}):
                reason = f"a triplet has {kind} {', '.join(missing)}, whose own column is 0"
                yield "triplet", (Code.CONTRADICTION, reason)

    def things(self, on: On) -> Iterator[Thing]:
        """Yield an instance for each triplet, and for each instrument that no triplet names."""
        columns, told = dict(zip(self.names, on, strict=True)), set()
        for column in columns.get("triplet", ()):
            parts = self.triplets[column]
            told.add(parts[0])
            tool, verb, target = (self.known[k][name] for k, name in zip(KINDS, parts, strict=True))
            yield Thing(0, tool, None, ((verb, target),), column)
        for column in columns.get("instrument", ()):
            name = self.names["instrument"][column]
            if name not in told:
                yield Thing(0, self.known["instrument"][name], row=column + len(self.triplets))
