"""JSON that lists records by frame: ``{"annotations": {"26": [{…}, {…}], …}}``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import IDLE, UNKNOWN, Code, Span
from surgqa.transforms.readers.base.json_text import JsonText
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import Box, Thing, clipped_box
from surgqa.transforms.readers.base.table import spans_of

LARGEST_KEY = 9_999_999
LARGEST = 2**31
BEYOND = 1e-9
"""How far a box may reach beyond the picture without being called cut."""

T = TypeVar("T")
Note = Callable[[Code, str], None]
"""Enters into the ledger what was changed in a record that is kept."""
Parse = Callable[[Mapping[str, Any], int, Note], T]


class RecordFault(Exception):
    """Why a record must be rejected."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True)
class KnownFrame(Generic[T]):
    """One frame that is fully known: its key as written, its number from 0, its records."""

    key: str
    number: int
    where: str
    records: tuple[T, ...]


def frames_of(
    text: JsonText, ledger: Ledger, parse: Parse[T], fields: Collection[str], first: int = 0
) -> tuple[list[KnownFrame[T]], int, int]:
    """Return the frames in the order of time, and how many records were read and kept.

    A frame with a rejected record is no longer fully known and leaves with all of them; one
    without any counts as one record: it says that nothing is there.

    Args:
        parse: function of a record, its position in the frame, and a function that records notes.
            It raises :class:`RecordFault` for an invalid record.
        fields: all that a record may have; any other is noted once.
        first: key of the first frame of the recording.

    Raises:
        SourceBroken: there are no annotations by frame.
    """
    every = _entries(text)
    numbers = [_number(key, first) for key, _ in every]
    times = Counter(numbers)
    out: list[KnownFrame[T]] = []
    for (key, entry), number in zip(every, numbers, strict=True):
        where = f'{text.name} annotations["{key[:40]}"]'
        problem = _problem(key, entry, number, times[number], first)
        if problem:
            ledger.reject((number, -1), *problem, where, _size(entry))
            continue
        records = _records(entry, number, where, parse, ledger)
        if records is not None:
            out.append(KnownFrame(key, number, where, records))
            fields = _known_fields(entry, fields, number, where, ledger)
    kept = sum(max(1, len(frame.records)) for frame in out)
    return sorted(out, key=lambda f: f.number), sum(_size(entry) for _, entry in every), kept


def _entries(text: JsonText) -> list[tuple[str, Any]]:
    """Return keys and values; a key that occurs several times comes with each of its values."""
    annotations = text.data.get("annotations")
    if not isinstance(annotations, dict):
        raise SourceBroken(
            f"{text.name} has no annotations",
            expected='"annotations": {"26": [{…}], …}',
            where=f"{text.name} annotations",
            fix="copy the file again from the release",
        )
    copies = text.repeated.get("annotations", {})
    return [(key, entry) for key in annotations for entry in copies.get(key, [annotations[key]])]


def _size(entry: Any) -> int:
    return max(1, len(entry)) if isinstance(entry, list) else 1


def _number(key: str, first: int) -> int:
    """Return a key's frame number from 0, UNKNOWN if it is no number."""
    sane = key.isascii() and key.isdigit() and len(key) < 20
    return int(key) - first if sane and first <= int(key) <= LARGEST_KEY else UNKNOWN


def _problem(key: str, entry: Any, number: int, times: int, first: int) -> tuple[Code, str] | None:
    if number == UNKNOWN:
        reason = f"frame {key[:40]!r} is no whole number from {first} to {LARGEST_KEY}"
        return Code.BAD_FRAME, reason
    if times > 1:
        return Code.DUPLICATE_FRAME, f"frame {key} occurs more than once; none of them is used"
    if not isinstance(entry, list):
        return Code.BAD_ROW, f"a frame holds {entry!r:.40} and no list of records"
    return None


def _records(
    entry: list[Any], number: int, where: str, parse: Parse[T], ledger: Ledger
) -> tuple[T, ...] | None:
    """Return all records of a frame, None if one of them is invalid."""
    out: list[T] = []
    notes: list[tuple[int, Code, str]] = []
    for row, record in enumerate(entry):
        try:
            if not isinstance(record, dict):
                raise RecordFault(Code.BAD_ROW, f"a record is {record!r:.40} and no object")
            out.append(parse(record, row, partial(_remember, notes, row)))
        except RecordFault as fault:
            ledger.reject((number, row), fault.code, fault.reason, f"{where}[{row}]")
    if len(out) == len(entry):
        for row, code, why in notes:
            ledger.repair((number, row), code, why, f"{where}[{row}]")
        return tuple(out)
    if out:
        reason = "another record of this frame was rejected, so the frame is not fully known"
        ledger.reject((number, len(entry)), Code.INCOMPLETE_INSTANT, reason, where, len(out))
    return None


def _remember(notes: list[tuple[int, Code, str]], row: int, code: Code, reason: str) -> None:
    notes.append((row, code, reason))


def _known_fields(
    entry: list[Any], known: Collection[str], number: int, where: str, ledger: Ledger
) -> set[str]:
    """Return the fields seen so far; a new field is noted."""
    fields = set(known)
    for row, record in enumerate(entry):
        for field in sorted(set(record) - fields):
            reason = f"the field {field[:40]!r} is not known, and nothing of it is read"
            ledger.repair((number, row), Code.UNKNOWN_LABEL, reason, f"{where}[{row}]")
            fields.add(field)
    return fields


def whole(record: Mapping[str, Any], field: str) -> int:
    """Return a field's whole number from -2, UNKNOWN if the record lacks the field.

    Raises:
        Fault: the value is something else.
    """
    value = record.get(field, UNKNOWN)
    if type(value) is not int or not -2 <= value < LARGEST:
        raise RecordFault(Code.BAD_ROW, f"{field} is {value!r:.40} and no whole number")
    return value


def listed(text: JsonText, kind: str) -> dict[int, str]:
    """Return the names by id of ``{"categories": {kind: [{"id": 0, "name": "grasper"}, …]}}``.

    Raises:
        SourceBroken: there are none.
    """
    lists = text.data.get("categories")
    entries = lists.get(kind) if isinstance(lists, dict) else None
    plain = [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
    names = {
        e["id"]: e["name"]
        for e in plain
        if type(e.get("id")) is int and isinstance(e.get("name"), str)
    }
    if not names:
        raise SourceBroken(
            f"{text.name} lists no {kind}",
            expected=f'"categories": {{"{kind}": [{{"id": 0, "name": …}}, …]}}',
            where=f"{text.name} categories",
            fix="copy the file again from the release",
        )
    return names


def agreed(
    frame: KnownFrame[Any], ids: Collection[int], count: int, what: str, ledger: Ledger
) -> int:
    """Return the one id from 0 to ``count`` on which a frame's records agree, else UNKNOWN, with a
    note.
    """
    given = set(ids) - {UNKNOWN}
    if given and not (len(given) == 1 and 0 <= min(given) < count):
        code = Code.CONTRADICTION if len(given) > 1 else Code.UNKNOWN_LABEL
        shown = ", ".join(map(str, sorted(given)))
        reason = f"the records of this frame give {what} {shown}; its {what} counts as unknown"
        ledger.repair((frame.number, -1), code, reason, frame.where)
        return UNKNOWN
    return min(given, default=UNKNOWN)


def part_box(value: Any, note: Note) -> Box | None:
    """Convert x, y, width, height (in fractions of the image) to corners inside it.

    A note is recorded if the box is cut or invalid.
    """
    if value is None or value == [-1, -1, -1, -1]:
        return None
    plain = isinstance(value, list) and all(type(part) in (int, float) for part in value)
    if not plain or len(value) != 4 or not all(-2 <= part <= 2 for part in value):
        note(Code.BAD_BOX, "the box is not four parts of the picture; the row is kept without it")
        return None
    x, y, width, height = value
    corners = x, y, x + width, y + height
    cut = clipped_box(corners) if width > 0 and height > 0 else None
    if cut is None:
        note(Code.BAD_BOX, "the box has no area in the picture; the row is kept without it")
    elif max(abs(a - b) for a, b in zip(cut, corners, strict=True)) > BEYOND:
        note(Code.BAD_BOX, "the box reached beyond the picture and was cut to it")
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
        out += [replace(thing, sample=at) for thing in merged(things, frame, ledger)]
    return out


def merged(things: Sequence[Thing], frame: KnownFrame[Any], ledger: Ledger) -> tuple[Thing, ...]:
    """Merge records of one instrument and box into one instance; a track occurs once in a frame."""
    out: dict[Any, Thing] = {}
    for thing in things:
        key = (thing.label, thing.box_xyxy or thing.row)
        before = out.setdefault(key, thing)
        if before is not thing:
            pairs = {pair for one in (before, thing) for pair in one.pairs or ()}
            torn = None in (before.pairs, thing.pairs) or IDLE in pairs
            if before.pairs != thing.pairs and torn:
                reason = "records of one instrument and box say different things of its action"
                place = f"{frame.where}[{thing.row}]"
                ledger.repair((frame.number, thing.row), Code.CONTRADICTION, reason, place)
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
