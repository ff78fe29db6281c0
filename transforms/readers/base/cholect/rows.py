"""The label rows of one file: 15 numbers for each instrument and frame.

Columns (the dataset's read-me): 0 triplet id; 1 instrument id; 2 its score; 3-6 box of
the instrument's tip as x, y, width, height in parts of the picture; 7 verb id; 8 target
id; 9 its score; 10-13 its box; 14 phase id.  -1 is null.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from surgqa.ontology import boxes
from surgqa.ontology.records import IDLE, UNKNOWN, Code, Pair
from surgqa.transforms.readers.base import Categories, Ledger
from surgqa.transforms.readers.base.cholect.header import LabelHeader

WIDTH = 15
TRIPLET, INSTRUMENT, SCORE, BOX, VERB, TARGET, PHASE = 0, 1, 2, slice(3, 7), 7, 8, 14
LARGEST_FRAME = 9_999_999
CLIP_TOLERANCE = 1e-9

NULL = -1
NO_FAULT, CLIPPED, NO_SIZE, OUTSIDE, NO_FRACTIONS = range(5)
BOX_FAULTS = {
    CLIPPED: "the box reached beyond the picture by {beyond:.3g} and was cut to it",
    NO_SIZE: "the box has no width or height; the row is kept without it",
    OUTSIDE: "the box lies outside the picture; the row is kept without it",
    NO_FRACTIONS: "the box is not in parts of the picture; the row is kept without it",
}

Explain = Callable[[int], tuple[Code, str]]


@dataclass(frozen=True, slots=True)
class LabelRows:
    """F frames with unique numbers, ascending, and their N rows in the file's order.

    Attributes:
        keys: frame ids as written.
        frames: int64 (F,).
        frame: int64 (N,), index into the frames.
        row: int64 (N,), position within the frame.
        values: float64 (N, 15), NaN in rows that are no rows.
        broken: for each row, why it is no row of 15 numbers.
    """

    keys: tuple[str, ...]
    frames: np.ndarray
    frame: np.ndarray
    row: np.ndarray
    values: np.ndarray
    broken: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class RowMeanings:
    """The meaning of N rows, in the ontology's terms; valid only for rows without a fault.

    Attributes:
        label: int (N,), index into the instrument concepts, NULL where there is none.
        pair: int (N,), index into ``pairs``, UNKNOWN where not annotated.
        pairs: all (verb, target), sorted.
        half: bool (N,), True where only one of verb and target is given.
        box_xyxy: float64 (N, 4), NaN where there is no usable box.
        box_fault: int (N,), a key of :data:`BOX_FAULTS` or NO_FAULT.
        beyond: float64 (N,), how far a box reached beyond the picture.
        score: float64 (N,).
        phase: int (N,), index into the phase concepts, NULL where unknown.
        bad_phase: bool (N,), True where a phase is given that has no concept.
        faults: for each row, why it must be rejected.
    """

    label: np.ndarray
    pair: np.ndarray
    pairs: tuple[Pair, ...]
    half: np.ndarray
    box_xyxy: np.ndarray
    box_fault: np.ndarray
    beyond: np.ndarray
    score: np.ndarray
    phase: np.ndarray
    bad_phase: np.ndarray
    faults: dict[int, tuple[Code, str]]


def count_rows(annotations: Mapping[str, Any], copies: Mapping[str, list[Any]]) -> int:
    """Return the number of rows in the file.

    A frame without rows counts as one row, which states that nothing is in view.
    """
    once = [rows for key, rows in annotations.items() if key not in copies]
    sizes = [len(rows) for rows in once if type(rows) is list]
    repeated = sum(_size(rows) for values in copies.values() for rows in values)
    return sum(sizes) + sizes.count(0) + len(once) - len(sizes) + repeated


def _size(rows: Any) -> int:
    return max(1, len(rows)) if type(rows) is list else 1


def rows_of(
    annotations: Mapping[str, Any], copies: Mapping[str, list[Any]], odd: bool, ledger: Ledger,
    name: str,
) -> LabelRows:  # fmt: skip
    """Return the rows of all frames; frames without a valid or unique number are rejected.

    Args:
        annotations: for each frame id, the rows, as parsed.
        copies: for each frame id that occurs several times, all values of the key.
        odd: True if the file holds ``true`` or ``false``, which numpy would take for numbers.
        name: the label file, for messages.
    """
    numbers = _frame_numbers(annotations)
    seen: dict[int, list[str]] = {}
    if len(set(numbers.values())) < len(numbers) or copies or -1 in numbers.values():
        for key, number in numbers.items():
            seen.setdefault(number, []).append(key)
        _reject_frames(annotations, copies, seen, ledger, name)
    good = [
        key
        for key, number in numbers.items()
        if not seen or (number >= 0 and len(seen[number]) == 1 and key not in copies)
    ]
    for key in [key for key in good if type(annotations[key]) is not list]:
        found = f"{annotations[key]!r:.40}"
        place = f'{name} annotations["{key}"]'
        at = (numbers[key], 0)
        ledger.reject(at, Code.BAD_ROW, f"a frame holds {found} and no list of rows", place)
    keys = sorted((key for key in good if type(annotations[key]) is list), key=numbers.__getitem__)
    sizes = np.fromiter((len(annotations[key]) for key in keys), np.int64, len(keys))
    starts = np.cumsum(sizes) - sizes
    values, broken = _values(list(chain.from_iterable(annotations[key] for key in keys)), odd)
    return LabelRows(
        keys=tuple(keys),
        frames=np.array([numbers[key] for key in keys], dtype=np.int64),
        frame=np.repeat(np.arange(len(keys)), sizes),
        row=np.arange(len(values)) - np.repeat(starts, sizes),
        values=values,
        broken=broken,
    )


def _frame_numbers(keys: Collection[str]) -> dict[str, int]:
    """Return the frame ids by key, -1 for an invalid id (``016`` is 16, as in names of images)."""
    digits = "".join(keys)
    sane = digits.isascii() and digits.isdigit() and all(keys) and max(map(len, keys)) < 8
    return dict(zip(keys, map(int if sane else _frame_number, keys), strict=True))


def _frame_number(key: str) -> int:
    if key.isascii() and key.isdigit() and len(key) < 20 and int(key) <= LARGEST_FRAME:
        return int(key)
    return -1


def _reject_frames(
    annotations: Mapping[str, Any], copies: Mapping[str, list[Any]], seen: Mapping[int, list[str]],
    ledger: Ledger, name: str,
) -> None:  # fmt: skip
    for number, keys in seen.items():
        for key in keys:
            versions = copies.get(key, [annotations[key]])
            count = sum(map(_size, versions))
            place = f'{name} annotations["{key[:40]}"]'
            if number < 0:
                expected = f"a whole number from 0 to {LARGEST_FRAME}"
                reason = f"frame id {key[:40]!r} is not {expected}"
                ledger.reject((-1, 0), Code.BAD_FRAME, reason, place, count)
            elif len(keys) > 1 or len(versions) > 1:
                times = sum(len(copies.get(other, [0])) for other in keys)
                reason = f"frame {number} occurs {times} times; none of them is used"
                ledger.reject((number, 0), Code.DUPLICATE_FRAME, reason, place, count)


def _values(rows: list[Any], odd: bool) -> tuple[np.ndarray, dict[int, str]]:
    """Return the rows as float64 (N, 15), and for each invalid row the reason."""
    if not odd and rows:
        try:
            quick = np.array(rows)
        except (ValueError, OverflowError):  # rows of different lengths, huge integers
            quick = np.empty(0)
        if quick.shape == (len(rows), WIDTH) and quick.dtype.kind in "if":
            return quick.astype(np.float64), {}
    values = np.full((len(rows), WIDTH), np.nan)
    broken = {}
    for position, row in enumerate(rows):
        reason = _no_row(row)
        if reason:
            broken[position] = reason
        else:
            values[position] = row
    return values, broken


def _no_row(row: Any) -> str | None:
    if type(row) is not list:
        return f"a row is {row!r:.40} and no list"
    if len(row) != WIDTH:
        return f"a row has {len(row)} values and not {WIDTH}"
    for column, value in enumerate(row):
        if type(value) not in (int, float):
            return f"value {column} is {value!r:.40} and no number"
        if not -1e300 < value < 1e300:
            return f"value {column} is {value!s:.40} and no finite number"
    return None


def meaning_of(values: np.ndarray, header: LabelHeader) -> RowMeanings:
    """Map all columns at once; rows that can't be believed are listed in ``faults``."""
    at = {
        "instrument": header.instrument.position(values[:, INSTRUMENT]),
        "verb": header.verb.position(values[:, VERB]),
        "target": header.target.position(values[:, TARGET]),
    }
    label = header.instrument.concept[at["instrument"]]
    verb = header.verb.concept[at["verb"]]
    target = header.target.concept[at["target"]]
    box_xyxy, box_fault, beyond = boxes_of(values[:, BOX])
    phase_at = header.phase.position(values[:, PHASE])
    phase = header.phase.concept[phase_at]
    score = values[:, SCORE]
    targets = header.target.concepts
    known = (verb >= 0) & (target >= 0)
    return RowMeanings(
        label=label,
        pair=np.where(known, verb * len(targets) + target, UNKNOWN),
        pairs=tuple((v, t) for v in header.verb.concepts for t in targets),
        half=(at["verb"] == NULL) != (at["target"] == NULL),
        box_xyxy=box_xyxy,
        box_fault=box_fault,
        beyond=beyond,
        score=np.where((score >= 0) & (score <= 1), score, 1.0),
        phase=phase,
        bad_phase=(phase < 0) & (phase_at != NULL),
        faults=_faults(values, header, at),
    )


def boxes_of(xywh: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Convert (N, 4) x, y, width, height to corners; return also what is wrong, and by how much."""
    absent = (xywh == -1).all(axis=1)
    with np.errstate(invalid="ignore", over="ignore"):
        corners = boxes.from_xywh(xywh)
        cut = boxes.clip(corners)
        beyond = np.abs(corners - cut).max(axis=1, initial=0.0)
        fault = np.where(beyond > CLIP_TOLERANCE, CLIPPED, NO_FAULT)
        fault[(cut[:, :2] >= cut[:, 2:]).any(axis=1)] = OUTSIDE
        fault[(corners[:, :2] >= corners[:, 2:]).any(axis=1)] = NO_SIZE
        fault[(np.abs(xywh) > 2).any(axis=1)] = NO_FRACTIONS
    fault[absent] = NO_FAULT
    cut[absent | (fault > CLIPPED)] = np.nan
    return cut, fault, beyond


def _faults(
    values: np.ndarray, header: LabelHeader, at: Mapping[str, np.ndarray]
) -> dict[int, tuple[Code, str]]:
    """Return, for each row, the first reason for which it must be rejected."""
    faults: dict[int, tuple[Code, str]] = {}
    for wrong, explain in chain(
        _number_rules(values),
        _label_rules(values, header, at),
        _contradiction_rules(values, header, at),
    ):
        for row in np.flatnonzero(wrong).tolist():
            faults.setdefault(row, explain(row))
    return faults


def _number_rules(values: np.ndarray) -> Iterable[tuple[np.ndarray, Explain]]:
    finite = np.isfinite(values)

    def not_finite(row: int) -> tuple[Code, str]:
        column = int(np.argmin(finite[row]))
        return Code.BAD_ROW, f"value {column} is {values[row, column]} and no finite number"

    yield ~finite.all(axis=1), not_finite
    columns = {"triplet": TRIPLET, "instrument": INSTRUMENT, "verb": VERB, "target": TARGET}
    for kind, column in {**columns, "phase": PHASE}.items():
        ids = values[:, column]

        def explain(row: int, kind: str = kind, ids: np.ndarray = ids) -> tuple[Code, str]:
            return Code.BAD_ROW, f"{kind} id {ids[row]:g} is not a whole number"

        with np.errstate(invalid="ignore"):
            yield ids != np.floor(ids), explain


def _label_rules(
    values: np.ndarray, header: LabelHeader, at: Mapping[str, np.ndarray]
) -> Iterable[tuple[np.ndarray, Explain]]:
    parts = (
        (header.instrument, at["instrument"], INSTRUMENT),
        (header.verb, at["verb"], VERB),
        (header.target, at["target"], TARGET),
    )
    for kind, position, column in parts:

        def explain(
            row: int,
            kind: Categories = kind,
            position: np.ndarray = position,
            column: int = column,
        ) -> tuple[Code, str]:
            return kind.problem(int(position[row]), values[row, column])

        yield (kind.concept[position] < 0) & (position != NULL), explain
    if header.triplet is not None:
        yield (
            header.triplet.position(values[:, TRIPLET]) < NULL,
            lambda row: (
                Code.UNKNOWN_LABEL,
                f"triplet id {values[row, TRIPLET]:g} is not in the list of names",
            ),
        )


def _contradiction_rules(
    values: np.ndarray, header: LabelHeader, at: Mapping[str, np.ndarray]
) -> Iterable[tuple[np.ndarray, Explain]]:
    parts = np.stack([at["instrument"], at["verb"], at["target"]], axis=1)
    has_triplet = values[:, TRIPLET] >= 0

    def explain(row: int) -> tuple[Code, str]:
        ids = ", ".join(f"{value:g}" for value in values[row, [INSTRUMENT, VERB, TARGET]])
        triplet = f"triplet {values[row, TRIPLET]:g}"
        return Code.CONTRADICTION, f"{triplet} is not instrument, verb, target {ids}"

    if header.triplet is not None:
        triplet = header.triplet.position(values[:, TRIPLET])
        yield has_triplet & (header.members[np.maximum(triplet, 0)] != parts).any(axis=1), explain
    nothing = parts[:, 0] == NULL
    has_box = (values[:, 5] > 0) & (values[:, 6] > 0)
    something = has_triplet | (parts[:, 1:] != NULL).any(axis=1) | has_box
    yield (
        nothing & something,
        lambda row: (Code.CONTRADICTION, "a verb, target or box without an instrument"),
    )
    idle = _is(header.verb, IDLE[0], at["verb"])
    at_rest = _is(header.target, IDLE[1], at["target"]) | (at["target"] == NULL)
    yield idle & ~at_rest, lambda row: (Code.CONTRADICTION, "idle, but with a target")


def _is(kind: Categories, concept: str, position: np.ndarray) -> np.ndarray:
    if concept not in kind.concepts:
        return np.zeros(position.shape, dtype=bool)
    return kind.concept[position] == kind.concepts.index(concept)
