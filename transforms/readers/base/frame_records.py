"""JSON that lists records by frame: ``{"annotations": {"26": [{…}, {…}], …}}``.

A record is an object, or a list of numbers.  All records of a file are parsed at once, by column;
only the frames in which something is damaged or repeated are parsed record by record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, NamedTuple

import numpy as np

from surgqa.ontology.boxes import Box, clipped_box
from surgqa.ontology.json_text import JsonText
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import IDLE, UNKNOWN, Code, Pair, Span
from surgqa.transforms.readers.base.frame_bulk import Bulk, FrameRecord, Note, Parser, S, corners
from surgqa.transforms.readers.base.frame_header import LARGEST, NUMBERS, part_of
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import PlacedThings, Thing
from surgqa.transforms.readers.base.table import spans_of

LARGEST_KEY = 9_999_999
BEYOND = 1e-9
"""Share of the frame by which a box may leave it without a note that it was cut."""

TORN = "records of one instrument and box say different things of its action"


Fault = tuple[Code, str]


@dataclass(frozen=True, slots=True)
class KnownFrames(Generic[S]):
    """F frames in the order of time; every record of these frames was understood.

    Attributes:
        name: the file.
        keys: the frames' keys in the file, such as "26".
        numbers: int64 (F,), frame numbers from 0.
        frame_labels: for each frame, the distinct labels of the whole frame in its records.
        things: the instances in the records.
        read, kept: how many records were read and kept.
    """

    name: str
    keys: Sequence[str]
    numbers: np.ndarray
    frame_labels: Sequence[tuple[S, ...]]
    things: PlacedThings
    read: int
    kept: int

    def agreed(
        self, value: Callable[[S], int], what: str, ledger: Ledger, count: int = LARGEST
    ) -> list[int]:
        """Return, for each frame, an id such as that of the phase, if its records agree.

        Otherwise the id is UNKNOWN, and the ledger states why.

        Args:
            value: function that returns the id, given a record's labels of the whole frame.
            what: what the ids are of, such as "phase", for the ledger.
            count: number of valid ids; they are counted from 0.
        """
        ids = {of: {value(one) for one in of} - {UNKNOWN} for of in {*self.frame_labels}}
        odd = {of for of, given in ids.items()
               if len(given) > 1 or not all(0 <= one < count for one in given)}  # fmt: skip
        for place in [at for at, of in enumerate(self.frame_labels) if of in odd]:
            given = sorted(ids[self.frame_labels[place]])
            code = Code.CONTRADICTION if len(given) > 1 else Code.UNKNOWN_LABEL
            found = f"the records of this frame give {what} {', '.join(map(str, given))}"
            at, where = (int(self.numbers[place]), -1), _where(self.name, self.keys[place])
            ledger.repair(at, code, f"{found}; its {what} counts as unknown", where)
        ids |= dict.fromkeys(odd, set())
        agreed = {of: min(given, default=UNKNOWN) for of, given in ids.items()}
        return [agreed[of] for of in self.frame_labels]

    def spans(
        self, kind: str, instants_us: np.ndarray, codes: Sequence[int], labels: Sequence[str],
        period_us: int,
    ) -> tuple[Span, ...]:  # fmt: skip
        """Return each run of frames with one label as a span; its pointer names the run's keys."""
        return spans_of(
            kind, instants_us, np.array(codes, dtype=np.int64), labels, period_us, self.name,
            lambda a, b: f'annotations["{self.keys[a]}"] to annotations["{self.keys[b]}"]',
        )  # fmt: skip


def known_frames(
    text: JsonText, ledger: Ledger, parser: Parser[S], first: int = 0,
    fields: Collection[str] = (), strict: bool = False,
) -> KnownFrames[S]:  # fmt: skip
    """Return the frames of which every record was understood, in the order of time.

    If one record of a frame is rejected, all of its records are, because absence in the frame is
    then unknown. A frame with an empty list counts as one record: it shows no instance.

    Args:
        first: key of the first frame of the recording.
        fields: known keys of a record; the ledger notes every other key once.
        strict: records of one instrument and box that contradict each other are rejected;
            otherwise they are kept.

    Raises:
        SourceBroken: there are no annotations by frame.
    """
    entries = part_of(text, "annotations")
    numbers, rejected = _usable(text, entries, first, ledger)
    keys = sorted(numbers, key=numbers.__getitem__)
    bulk = Bulk(parser, [entries[key] for key in keys])
    labels, kept = bulk.frame_labels(), np.ones(len(keys), dtype=bool)
    others: list[Thing] = []
    for place in bulk.damaged.tolist():
        frame = _Frame(entries[keys[place]], numbers[keys[place]], _where(text.name, keys[place]))
        records = _records(frame, parser, strict, ledger)
        kept[place] = records is not None
        labels[place] = tuple(one.frame for one in records or ())
        things = [one.thing for one in records or () if one.thing]
        others += [replace(one, sample=place) for one in _merged(things, frame, ledger)]
    counts, places = np.maximum(bulk.sizes, 1), np.flatnonzero(kept).tolist()
    names = {keys[place] for place in places}
    if fields:
        sound = [_Frame(entry, numbers[key], _where(text.name, key))
                 for key, entry in entries.items() if key in names]  # fmt: skip
        _note_fields(sound, fields, ledger)
    return KnownFrames(
        name=text.name,
        keys=[keys[place] for place in places],
        numbers=np.array([numbers[keys[place]] for place in places], dtype=np.int64),
        frame_labels=[labels[place] for place in places],
        things=bulk.things(others, kept),
        read=rejected + int(counts.sum()),
        kept=int(counts[kept].sum()),
    )


class _Frame(NamedTuple):
    """A frame that is parsed record by record: its records, its number, its place."""

    entry: list[Any]
    number: int
    where: str


def _where(name: str, key: str) -> str:
    return f'{name} annotations["{key[:40]}"]'


def _usable(
    text: JsonText, entries: Mapping[str, Any], first: int, ledger: Ledger
) -> tuple[dict[str, int], int]:
    """Return the frame number (from 0) of each valid key, and how many records are rejected."""
    copies = text.repeated.get("annotations", {})
    numbers = {key: _number(key, first) for key in entries}
    times = Counter(numbers.values())
    times.update(numbers[key] for key, values in copies.items() for _ in values[1:])
    rejected = 0
    for key, entry in entries.items():
        if fault := _frame_fault(key, entry, numbers[key], times[numbers[key]], first):
            values = copies.get(key, [entry])
            count = sum(max(1, len(one)) if isinstance(one, list) else 1 for one in values)
            ledger.reject((numbers.pop(key), -1), *fault, _where(text.name, key), count)
            rejected += count
    return numbers, rejected


def _number(key: str, first: int) -> int:
    """Return a key's frame number from 0, UNKNOWN if it is not a number."""
    sane = key.isascii() and key.isdigit() and len(key) < 20
    return int(key) - first if sane and first <= int(key) <= LARGEST_KEY else UNKNOWN


def _frame_fault(key: str, entry: Any, number: int, times: int, first: int) -> Fault | None:
    if number == UNKNOWN:
        reason = f"frame {key[:40]!r} is not a whole number from {first} to {LARGEST_KEY}"
        return Code.BAD_FRAME, reason
    if times > 1:
        return Code.DUPLICATE_FRAME, f"frame {key} occurs {times} times; none of them is used"
    if not isinstance(entry, list):
        return Code.BAD_ROW, f"a frame holds {entry!r:.40} and no list of records"
    return None


def _records(
    frame: _Frame, parser: Parser[S], strict: bool, ledger: Ledger
) -> list[FrameRecord[S]] | None:  # fmt: skip
    """Return all records of a frame, None if one of them is invalid."""
    good: list[FrameRecord[S]] = []
    faults: dict[int, Fault] = {}
    notes: list[tuple[int, Code, str]] = []
    for row, record in enumerate(frame.entry):
        try:
            good.append(parser.parse(record, row, partial(_remember, notes, row)))
        except Unfit as fault:
            faults[row] = fault.code, fault.reason
    things = [one.thing for one in good if strict and one.thing and one.thing.box_xyxy]
    for thing in things:
        alike = [o for o in things if (o.label, o.box_xyxy) == (thing.label, thing.box_xyxy)]
        if _contradict([other.pairs for other in alike]):
            faults[thing.row] = Code.CONTRADICTION, TORN
    if not faults:
        for row, code, why in notes:
            ledger.repair((frame.number, row), code, why, f"{frame.where}[{row}]")
        return good
    for row, (code, why) in faults.items():
        ledger.reject((frame.number, row), code, why, f"{frame.where}[{row}]")
    if others := len(frame.entry) - len(faults):
        reason = "another record of this frame was rejected, so the frame is not fully known"
        at = (frame.number, len(frame.entry))
        ledger.reject(at, Code.INCOMPLETE_INSTANT, reason, frame.where, others)
    return None


def _remember(notes: list[tuple[int, Code, str]], row: int, code: Code, reason: str) -> None:
    notes.append((row, code, reason))


def _note_fields(frames: Sequence[_Frame], known: Collection[str], ledger: Ledger) -> None:
    """Record each unknown field of a file's records in the ledger, once."""
    fields = set(known)
    for entry, number, where in frames:
        for row, record in enumerate(entry):
            for field in () if record.keys() <= fields else sorted(set(record) - fields):
                reason = f"the field {field[:40]!r} is not known, and nothing of it is read"
                ledger.repair((number, row), Code.UNKNOWN_LABEL, reason, f"{where}[{row}]")
                fields.add(field)


def _contradict(pairs: Sequence[tuple[Pair, ...] | None]) -> bool:
    """True if one record of an instance states an action, and another idling or no action."""
    different = {*pairs}
    return len(different) > 1 and any(one is None or IDLE in one for one in different)


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
    x1, y1, x2, y2 = ends = corners(*value)
    cut = clipped_box(ends)
    if cut == ends:
        return cut
    if x1 >= x2 or y1 >= y2:
        note(Code.BAD_BOX, "the box has no width or height; the row is kept without it")
        return None
    if cut is None:
        note(Code.BAD_BOX, "the box lies outside the picture; the row is kept without it")
    elif (beyond := max(abs(a - b) for a, b in zip(cut, ends, strict=True))) > BEYOND:
        by = f" by {beyond:.3g}" if measured else ""
        note(Code.BAD_BOX, f"the box reached beyond the picture{by} and was cut to it")
    return cut


def _merged(things: Sequence[Thing], frame: _Frame, ledger: Ledger) -> tuple[Thing, ...]:
    """Merge records of one instrument and box; a track that is then in two places is unknown."""
    if len(things) < 2:
        return tuple(things)
    out: dict[Any, Thing] = {}
    for thing in things:
        key = (thing.label, thing.box_xyxy or thing.row)
        before = out.setdefault(key, thing)
        if before is not thing:
            pairs = {pair for one in (before, thing) for pair in one.pairs or ()}
            if _contradict([before.pairs, thing.pairs]):
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
