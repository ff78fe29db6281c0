"""Anomalies in SurgCoT's published shape, read into happenings.

One anomaly gives one ``anomaly`` row from its onset to its control (else to its last key
frame), one ``anomaly_key`` for each key frame with its box and its growth, one
``anomaly_state`` for each spell of a state, ``anomaly_size`` where a size is stated, and
``anomaly_tissue``, ``anomaly_cause``, ``anomaly_location`` for what its source names.  The
rows of one anomaly share their ``source``, ``anomaly:<anomaly_id>``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa

from ontology.errors import SourceBroken
from ontology.records import Code, Rejected
from ontology.times import SECOND_US, frame_to_us, period_us, round_half_up
from transforms.evidence.derive.anomaly import BoxXywh, Evolution, KeyFrame, check_onset
from transforms.evidence.derive.rows import Box, Happening, happenings_table

STAGE = "read"
PRESENT, CONTROLLED = "present", "controlled"
AREA_RATIO = "area ratio"
_DIGITS = 15
ORIGINS = ("tissue", "cause", "location")


@dataclass(frozen=True, slots=True)
class Anomaly:
    """One anomaly that holds together.

    Attributes:
        name: its ``anomaly_id``.
        kind: its ``anomaly_type``.
        evolution: key frames from the onset on.
        control_s: seconds at which it is under control, or None.
        origin: (tissue, cause or location; name) pairs that were stated.
    """

    name: str
    kind: str
    evolution: Evolution
    control_s: Fraction | None
    origin: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What one file gave: read = anomalies + rejected (repaired ones are kept).

    Attributes:
        anomalies: in the file's order.
        rows: of ``HAPPENINGS``.
        rejected: what was left out or repaired.
    """

    anomalies: tuple[Anomaly, ...]
    rows: pa.Table
    rejected: tuple[Rejected, ...]


class _Bad(Exception):
    """Why one anomaly is left out."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


def read_anomalies(
    text: str | bytes, fps: Fraction, width: int, height: int, where: str
) -> Imported:
    """Read ``{"anomaly_evidence": {"anomalies": [...]}}``, its inner part, or the list.

    Args:
        text: JSON.
        fps: exact rate that the frame numbers count at.
        width, height: pixels of the pictures that the boxes refer to.
        where: the file, for messages.

    Raises:
        SourceBroken: no JSON, or no list of anomalies in it.
    """
    kept: dict[str, Anomaly] = {}
    rejected: list[Rejected] = []
    for place, entry in enumerate(_entries(text, where)):
        spot = f"{where}, anomalies[{place}]"
        name = _name(entry, place)
        try:
            if name in kept:
                raise _Bad(Code.CONTRADICTION, f"a second anomaly is called {name}")
            kept[name], clipped = _anomaly(name, entry, fps, width, height)
        except _Bad as bad:
            rejected.append(Rejected(STAGE, name, bad.code, bad.reason, spot))
            continue
        if clipped:
            reason = "a box reached beyond the frame and was clipped"
            rejected.append(Rejected(STAGE, name, Code.BAD_BOX, reason, spot, clipped, "repaired"))
    rows = [row for one in kept.values() for row in anomaly_rows(one, fps, width, height)]
    return Imported(tuple(kept.values()), happenings_table(rows), tuple(rejected))


def anomaly_rows(one: Anomaly, fps: Fraction, width: int, height: int) -> Iterator[Happening]:
    """The rows of one anomaly, as the module says."""
    keys, source = one.evolution.keys, f"anomaly:{one.name}"
    first, last = keys[0].frame, keys[-1].frame
    start, end = frame_to_us(first, fps), frame_to_us(last, fps)
    resolution = period_us(fps)
    if one.control_s is not None:
        end = round_half_up(one.control_s * SECOND_US)
    ratios = [one.evolution.growth(first, key.frame) for key in keys]
    growths = [None if ratio is None else float(ratio) for ratio in ratios]
    box = _unit_box(keys[0].box_xywh, width, height)
    yield Happening(start, end, "anomaly", one.kind, source, resolution, box=box,
                    value=growths[-1], unit=AREA_RATIO)  # fmt: skip
    for key, growth in zip(keys, growths, strict=True):
        time, here = frame_to_us(key.frame, fps), _unit_box(key.box_xywh, width, height)
        state = one.evolution.state_at(key.frame)
        yield Happening(time, time, "anomaly_key", state, source, resolution, box=here,
                        value=growth, unit=AREA_RATIO)  # fmt: skip
        if key.size is not None:
            yield Happening(time, time, "anomaly_size", key.size, source, resolution, box=here)
    for time, until, state in _spells(one, fps, end):
        yield Happening(time, until, "anomaly_state", state, source, resolution)
    for what, label in one.origin:
        yield Happening(start, end, f"anomaly_{what}", label, source, resolution)


def _spells(one: Anomaly, fps: Fraction, end_us: int) -> list[tuple[int, int, str]]:
    """(start, end, state): from the onset on, present unless stated; controlled at the end."""
    turns: list[tuple[int, str]] = []
    for key in one.evolution.keys:
        state = key.state or (turns[-1][1] if turns else PRESENT)
        if not turns or turns[-1][1] != state:
            turns.append((frame_to_us(key.frame, fps), state))
    if one.control_s is not None and CONTROLLED not in [state for _, state in turns]:
        turns.append((end_us, CONTROLLED))
    ends = [time for time, _ in turns[1:]] + [max(end_us, turns[-1][0])]
    return [(time, until, state) for (time, state), until in zip(turns, ends, strict=True)]


def _entries(text: str | bytes, where: str) -> Sequence[Any]:
    expected = 'a list of anomalies, or {"anomaly_evidence": {"anomalies": [...]}}'
    fix = "see docs/derived.md for the shape"
    try:
        found = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as bad:
        raise SourceBroken("the anomalies are no JSON", expected=expected, found=str(bad),
                           where=where, fix=fix) from None  # fmt: skip
    for name in ("anomaly_evidence", "anomalies"):
        if isinstance(found, Mapping) and name in found:
            found = found[name]
    if not isinstance(found, list):
        raise SourceBroken("no list of anomalies", expected=expected,
                           found=type(found).__name__, where=where, fix=fix)  # fmt: skip
    return found


def _name(entry: Any, place: int) -> str:
    name = entry.get("anomaly_id") if isinstance(entry, Mapping) else None
    plain = isinstance(name, str | int) and not isinstance(name, bool) and name != ""
    return str(name) if plain else f"anomalies[{place}]"


def _anomaly(name: str, entry: Any, fps: Fraction, width: int, height: int) -> tuple[Anomaly, int]:
    """The anomaly and how many of its boxes were clipped."""
    if not isinstance(entry, Mapping) or name.startswith("anomalies["):
        raise _Bad(Code.BAD_ROW, "an anomaly is an object with an anomaly_id")
    kind = _word(entry.get("anomaly_type"), "anomaly_type")
    onset, stated = _frame(entry, "onset_frame"), _number(entry.get("onset_time"), "onset_time")
    if kind is None:
        raise _Bad(Code.BAD_ROW, "anomaly_type is missing")
    if not check_onset(onset, fps, stated):
        raise _Bad(
            Code.CONTRADICTION,
            f"frame {onset} at {float(fps):g} fps is {float(onset / fps):.3f} s, "
            f"more than half a frame from the stated {float(stated):g} s",
        )
    boxes = [_box(entry.get("initial_bbox"), width, height)]
    keys = [KeyFrame(onset, boxes[0][0])]
    for part in _list(entry.get("evolution"), "evolution"):
        boxes.append(_box(part.get("bbox"), width, height))
        size, state = (_word(part.get(what), what) for what in ("size", "state"))
        keys.append(KeyFrame(_frame(part, "frame"), boxes[-1][0], size, state))
    control = entry.get("hemostasis_time")
    control_s = None if control is None else _number(control, "hemostasis_time")
    if control_s is not None and control_s < Fraction(onset) / fps:
        raise _Bad(Code.CONTRADICTION, "it is under control before it begins")
    one = Anomaly(name, kind, _evolution(keys), control_s, _origin(entry.get("source")))
    return one, sum(clipped for _, clipped in boxes)


def _evolution(keys: list[KeyFrame]) -> Evolution:
    """The onset's key frame and the others; one of the onset's own frame must agree with it."""
    onset, others = keys[0], sorted(keys[1:], key=lambda key: key.frame)
    if others and others[0].frame < onset.frame:
        raise _Bad(Code.BAD_FRAME, f"key frame {others[0].frame} lies before the onset")
    if others and others[0].frame == onset.frame:
        if others[0].box_xywh != onset.box_xywh:
            raise _Bad(Code.CONTRADICTION, "initial_bbox is not the box of the first key frame")
        onset = others.pop(0)
    numbers = [onset.frame, *(key.frame for key in others)]
    if len(set(numbers)) < len(numbers):
        raise _Bad(Code.DUPLICATE_FRAME, "two key frames have the same number")
    return Evolution((onset, *others))


def _origin(found: Any) -> tuple[tuple[str, str], ...]:
    if found is None:
        return ()
    if not isinstance(found, Mapping):
        raise _Bad(Code.BAD_ROW, "source is no object")
    words = ((what, _word(found.get(what), what)) for what in ORIGINS)
    return tuple((what, word) for what, word in words if word is not None)


def _list(found: Any, what: str) -> Sequence[Mapping[str, Any]]:
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(part, Mapping) for part in found):
        raise _Bad(Code.BAD_ROW, f"{what} is no list of objects")
    return found


def _word(found: Any, what: str) -> str | None:
    """Text or a number as text; None where there is none."""
    if found is None or found == "":
        return None
    if isinstance(found, bool) or not isinstance(found, str | int | Decimal):
        raise _Bad(Code.BAD_ROW, f"{what} is neither text nor a number")
    return str(found)


def _frame(entry: Mapping[str, Any], what: str) -> int:
    found = entry.get(what)
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        raise _Bad(Code.BAD_FRAME, f"{what} is no frame number: {found!r}")
    return found


def _number(found: Any, what: str) -> Fraction:
    plain = isinstance(found, int | Decimal) and not isinstance(found, bool)
    # A huge exponent would be written out digit by digit as a fraction.
    if not plain or not -_DIGITS < Decimal(found).adjusted() < _DIGITS:
        raise _Bad(Code.BAD_ROW, f"{what} is no number: {found!r}")
    return Fraction(found)


def _box(found: Any, width: int, height: int) -> tuple[BoxXywh, bool]:
    """The box inside the frame, and whether it had to be clipped."""
    if not isinstance(found, list) or len(found) != 4:
        raise _Bad(Code.BAD_BOX, f"a box is [x, y, width, height]: {found!r}")
    x, y, w, h = (_number(value, "a box's value") for value in found)
    left, top = max(x, Fraction(0)), max(y, Fraction(0))
    right, bottom = min(x + w, Fraction(width)), min(y + h, Fraction(height))
    if w <= 0 or h <= 0 or right <= left or bottom <= top:
        raise _Bad(
            Code.BAD_BOX, f"a box is empty inside the frame: {[float(v) for v in (x, y, w, h)]}"
        )
    box = (left, top, right - left, bottom - top)
    return box, box != (x, y, w, h)


def _unit_box(box_xywh: BoxXywh, width: int, height: int) -> Box:
    x, y, w, h = box_xywh
    return float(x / width), float(y / height), float((x + w) / width), float((y + h) / height)
