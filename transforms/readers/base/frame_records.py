"""JSON that lists records by frame: ``{"annotations": {"26": [{…}, {…}], …}}``.

A record is an object, or a list of numbers.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from surgqa.ontology.published import Unfit
from surgqa.ontology.records import IDLE, UNKNOWN, Code, Pair, Span
from surgqa.transforms.readers.base.frame_header import part_of
from surgqa.transforms.readers.base.json_text import JsonText
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import Box, Thing, clipped_box
from surgqa.transforms.readers.base.table import spans_of

LARGEST_KEY = 9_999_999
LARGEST = 2**31
LARGEST_FLOAT = sys.float_info.max
NUMBERS = frozenset((int, float))
BEYOND = 1e-9
"""How far a box may reach beyond the picture without being called cut."""

TORN = "records of one instrument and box say different things of its action"

T = TypeVar("T")
Note = Callable[[Code, str], None]
"""Enters into the ledger what was changed in a record that is kept."""
Parse = Callable[[Any, int, Note], T]
See = Callable[[T], Thing | None]
"""Returns the instance in a record."""
Fault = tuple[Code, str]


@dataclass(frozen=True, slots=True)
class KnownFrame(Generic[T]):
    """One frame that is fully known: its key as written, its number from 0, its records."""

    key: str
    number: int
    where: str
    records: tuple[T, ...]


def frames_of(
    text: JsonText, ledger: Ledger, parse: Parse[T], first: int = 0,
    fields: Collection[str] = (), seen: See[T] | None = None,
) -> tuple[list[KnownFrame[T]], int, int]:  # fmt: skip
    """Return the frames in the order of time, and how many records were read and kept.

    A frame with a rejected record is no longer fully known and leaves with all of them; one
    without any counts as one record: it says that nothing is there.

    Args:
        parse: function of a record, its position in the frame, and a function that records notes.
            It raises :class:`Unfit` for an invalid record.
        first: key of the first frame of the recording.
        fields: all that an object may have; any other is noted once.
        seen: function of a record. Records of one instrument and box that contradict each other
            are rejected; without the function, they are kept.

    Raises:
        SourceBroken: there are no annotations by frame.
    """
    every = _entries(text)
    times = Counter(_number(key, first) for key, entries in every.items() for _ in entries)
    out: list[KnownFrame[T]] = []
    for key, entries in every.items():
        number, where = _number(key, first), f'{text.name} annotations["{key[:40]}"]'
        problem = _problem(key, entries[0], number, times[number], first)
        if problem:
            ledger.reject((number, -1), *problem, where, sum(map(_size, entries)))
            continue
        records = _records(entries[0], number, where, parse, seen, ledger)
        if records is not None:
            out.append(KnownFrame(key, number, where, records))
            fields = _known_fields(entries[0], fields, number, where, ledger)
    kept = sum(max(1, len(frame.records)) for frame in out)
    read = sum(_size(entry) for entries in every.values() for entry in entries)
    return sorted(out, key=lambda f: f.number), read, kept


def _entries(text: JsonText) -> dict[str, list[Any]]:
    """Return the values of each key, of which there are several if the key is repeated."""
    copies = text.repeated.get("annotations", {})
    annotations = part_of(text, "annotations")
    return {key: copies.get(key, [entry]) for key, entry in annotations.items()}


def _size(entry: Any) -> int:
    return max(1, len(entry)) if isinstance(entry, list) else 1


def _number(key: str, first: int) -> int:
    """Return a key's frame number from 0, UNKNOWN if it is no number."""
    sane = key.isascii() and key.isdigit() and len(key) < 20
    return int(key) - first if sane and first <= int(key) <= LARGEST_KEY else UNKNOWN


def _problem(key: str, entry: Any, number: int, times: int, first: int) -> Fault | None:
    if number == UNKNOWN:
        reason = f"frame {key[:40]!r} is no whole number from {first} to {LARGEST_KEY}"
        return Code.BAD_FRAME, reason
    if times > 1:
        return Code.DUPLICATE_FRAME, f"frame {key} occurs {times} times; none of them is used"
    if not isinstance(entry, list):
        return Code.BAD_ROW, f"a frame holds {entry!r:.40} and no list of records"
    return None


def _records(
    entry: list[Any], number: int, where: str, parse: Parse[T], seen: See[T] | None,
    ledger: Ledger,
) -> tuple[T, ...] | None:  # fmt: skip
    """Return all records of a frame, None if one of them is invalid."""
    good: dict[int, T] = {}
    faults: dict[int, Fault] = {}
    notes: list[tuple[int, Code, str]] = []
    for row, record in enumerate(entry):
        try:
            good[row] = parse(record, row, partial(_remember, notes, row))
        except Unfit as fault:
            faults[row] = fault.code, fault.reason
    things = [thing for one in good.values() if seen and (thing := seen(one)) and thing.box_xyxy]
    for thing in things if len(things) > 1 else ():
        alike = [o for o in things if (o.label, o.box_xyxy) == (thing.label, thing.box_xyxy)]
        if _torn([other.pairs for other in alike]):
            faults[thing.row] = Code.CONTRADICTION, TORN
    if not faults:
        for row, code, why in notes:
            ledger.repair((number, row), code, why, f"{where}[{row}]")
        return tuple(good.values())
    for row, (code, why) in faults.items():
        ledger.reject((number, row), code, why, f"{where}[{row}]")
    if others := len(entry) - len(faults):
        reason = "another record of this frame was rejected, so the frame is not fully known"
        ledger.reject((number, len(entry)), Code.INCOMPLETE_INSTANT, reason, where, others)
    return None


def _remember(notes: list[tuple[int, Code, str]], row: int, code: Code, reason: str) -> None:
    notes.append((row, code, reason))


def _known_fields(
    entry: list[Any], known: Collection[str], number: int, where: str, ledger: Ledger
) -> set[str]:
    """Return the fields seen so far; a new field of an object is noted."""
    fields = set(known)
    for row, record in enumerate(entry):
        for field in sorted(set(record) - fields) if isinstance(record, dict) else ():
            reason = f"the field {field[:40]!r} is not known, and nothing of it is read"
            ledger.repair((number, row), Code.UNKNOWN_LABEL, reason, f"{where}[{row}]")
            fields.add(field)
    return fields


def _torn(pairs: Sequence[tuple[Pair, ...] | None]) -> bool:
    """True if what records say of one instance differs, and one of them says that it rests or
    nothing at all.
    """
    different = {*pairs}
    return len(different) > 1 and any(one is None or IDLE in one for one in different)


def row_fault(row: Any, width: int) -> str:
    """Return why a record is no list of so many finite numbers, '' if it is one."""
    if type(row) is not list:
        return f"a row is {row!r:.40} and no list"
    if len(row) != width:
        return f"a row has {len(row)} values and not {width}"
    if _are_numbers(row):
        return ""
    for column, value in enumerate(row):
        if type(value) is not float and type(value) is not int:
            return f"value {column} is {value!r:.40} and no number"
        if not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
            return f"value {column} is {value!s:.40} and no finite number"
    return ""


def _are_numbers(row: list[Any]) -> bool:
    """True if all values are finite numbers; may be False for the largest floats."""
    if not NUMBERS.issuperset(map(type, row)):
        return False
    return -LARGEST <= min(row) <= max(row) <= LARGEST and (total := sum(row)) == total


def whole(record: Mapping[str, Any], field: str) -> int:
    """Return a field's whole number from -2, UNKNOWN if the record lacks the field.

    Raises:
        Unfit: the value is something else.
    """
    value = record.get(field, UNKNOWN)
    if type(value) is not int or not -2 <= value < LARGEST:
        raise Unfit(Code.BAD_ROW, f"{field} is {value!r:.40} and no whole number")
    return value


def agreed(
    frame: KnownFrame[Any], ids: Collection[int], what: str, ledger: Ledger,
    count: int | None = None,
) -> int:  # fmt: skip
    """Return the one id on which a frame's records agree, else UNKNOWN, with a note.

    Args:
        count: ids are below this number.
    """
    given = set(ids) - {UNKNOWN}
    if given and not (len(given) == 1 and (count is None or 0 <= min(given) < count)):
        code = Code.CONTRADICTION if len(given) > 1 else Code.UNKNOWN_LABEL
        shown = ", ".join(map(str, sorted(given)))
        reason = f"the records of this frame give {what} {shown}; its {what} counts as unknown"
        ledger.repair((frame.number, -1), code, reason, frame.where)
        return UNKNOWN
    return min(given, default=UNKNOWN)


def part_box(value: Any, note: Note, measured: bool = False) -> Box | None:
    """Convert x, y, width, height (in fractions of the image) to corners inside it.

    A note is recorded if the box is cut or invalid.

    Args:
        measured: the note says by how much the box was cut.
    """
    if value is None or value == [-1, -1, -1, -1]:
        return None
    plain = isinstance(value, list) and len(value) == 4 and NUMBERS.issuperset(map(type, value))
    if not plain or not -2 <= min(value) <= max(value) <= 2:
        note(Code.BAD_BOX, "the box is not in parts of the picture; the row is kept without it")
        return None
    x, y, width, height = value
    corners = x, y, x + width, y + height
    cut = clipped_box(corners)
    if cut == corners:
        return cut
    if corners[0] >= corners[2] or corners[1] >= corners[3]:
        note(Code.BAD_BOX, "the box has no width or height; the row is kept without it")
        return None
    if cut is None:
        note(Code.BAD_BOX, "the box lies outside the picture; the row is kept without it")
    elif (beyond := max(abs(a - b) for a, b in zip(cut, corners, strict=True))) > BEYOND:
        by = f" by {beyond:.3g}" if measured else ""
        note(Code.BAD_BOX, f"the box reached beyond the picture{by} and was cut to it")
    return cut


def spans_by_frame(
    kind: str, frames: Sequence[KnownFrame[Any]], instants_us: np.ndarray, codes: Sequence[int],
    labels: Sequence[str], period_us: int, name: str,
) -> tuple[Span, ...]:  # fmt: skip
    """Return runs of frames with one label as intervals, whose pointers name the keys of
    the file.
    """
    return spans_of(
        kind, instants_us, np.array(codes, dtype=np.int64), labels, period_us, name,
        lambda a, b: f'annotations["{frames[a].key}"] to annotations["{frames[b].key}"]',
    )  # fmt: skip


def things_by_frame(
    frames: Sequence[KnownFrame[T]], seen: Callable[[T], Thing | None], ledger: Ledger
) -> list[Thing]:
    """Return the instances in the records, at the positions of their frames."""
    out: list[Thing] = []
    for at, frame in enumerate(frames):
        things = [thing for thing in map(seen, frame.records) if thing]
        out += [Thing(at, one.label, one.box_xyxy, one.pairs, one.row, one.track, one.score,
                      one.mask, one.attributes)
                for one in merged(things, frame, ledger)]  # fmt: skip
    return out


def merged(things: Sequence[Thing], frame: KnownFrame[Any], ledger: Ledger) -> tuple[Thing, ...]:
    """Merge records of one instrument and box into one instance; a track occurs once in a frame."""
    if len(things) < 2:
        return tuple(things)
    out: dict[Any, Thing] = {}
    for thing in things:
        key = (thing.label, thing.box_xyxy or thing.row)
        before = out.setdefault(key, thing)
        if before is not thing:
            pairs = {pair for one in (before, thing) for pair in one.pairs or ()}
            if _torn([before.pairs, thing.pairs]):
                place = f"{frame.where}[{thing.row}]"
                ledger.repair((frame.number, thing.row), Code.CONTRADICTION, TORN, place)
                pairs = set()
            out[key] = replace(before, pairs=tuple(sorted(pairs)) or None)
    times = Counter((thing.label, thing.track) for thing in out.values())
    for key, thing in out.items():
        if thing.track != UNKNOWN and times[thing.label, thing.track] > 1:
            at, place = (frame.number, thing.row), f"{frame.where}[{thing.row}]"
            reason = f"track {thing.track} is in two places of this frame; it counts as unknown"
            ledger.repair(at, Code.CONTRADICTION, reason, place)
            out[key] = replace(thing, track=UNKNOWN)
    return tuple(out.values())
