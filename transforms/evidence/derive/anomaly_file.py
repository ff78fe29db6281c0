"""Read anomalies in SurgCoT's published format as happenings.

One anomaly gives these rows:  ``anomaly`` from its onset to its control (or to its last key
frame), ``anomaly_key`` per key frame with its box and growth, ``anomaly_state`` per interval of
one state, ``anomaly_size`` if a size is stated, and ``anomaly_tissue``, ``anomaly_cause``,
``anomaly_location`` if the file names them.  All have the ``source`` ``anomaly:<anomaly_id>``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa

from ontology.anomalies import Anomaly, anomaly_of, name_of
from ontology.errors import SourceBroken
from ontology.published import Unfit, unit_box
from ontology.records import Code, Rejected
from ontology.times import frame_to_us, period_us
from transforms.evidence.derive.rows import Happening, happenings_table

STAGE = "read"
PRESENT, CONTROLLED = "present", "controlled"
AREA_RATIO = "area ratio"


@dataclass(frozen=True, slots=True)
class Imported:
    """Contents of one file: read = anomalies + rejected (repaired ones are kept).

    Attributes:
        anomalies: in the file's order.
        rows: rows of ``HAPPENINGS``.
        rejected: what was left out or repaired.
    """

    anomalies: tuple[Anomaly, ...]
    rows: pa.Table
    rejected: tuple[Rejected, ...]


def read_anomalies(
    text: str | bytes, fps: Fraction, width: int, height: int, where: str
) -> Imported:
    """Read ``{"anomaly_evidence": {"anomalies": [...]}}``, its inner part, or the list.

    Args:
        text: JSON.
        fps: exact rate of the frame numbers, frames per second.
        width, height: pixels of the frames that the boxes refer to.
        where: the file, for messages.

    Raises:
        SourceBroken: it is not JSON, or contains no list of anomalies.
    """
    kept: dict[str, Anomaly] = {}
    rejected: list[Rejected] = []
    for place, entry in enumerate(_entries(text, where)):
        spot = f"{where}, anomalies[{place}]"
        name = name_of(entry, place)
        try:
            if name in kept:
                raise Unfit(Code.CONTRADICTION, f"a second anomaly is called {name}")
            kept[name], clipped = anomaly_of(name, entry, fps, width, height)
        except Unfit as bad:
            rejected.append(Rejected(STAGE, name, bad.code, bad.reason, spot))
            continue
        if clipped:
            reason = "a box reached beyond the frame and was clipped"
            rejected.append(Rejected(STAGE, name, Code.BAD_BOX, reason, spot, clipped, "repaired"))
    rows = [row for one in kept.values() for row in anomaly_rows(one, fps, width, height)]
    return Imported(tuple(kept.values()), happenings_table(rows), tuple(rejected))


def anomaly_rows(one: Anomaly, fps: Fraction, width: int, height: int) -> Iterator[Happening]:
    """Yield the rows of one anomaly; the module's docstring lists them."""
    keys, source = one.evolution.keys, f"anomaly:{one.name}"
    first = keys[0].frame
    start, end = one.onset_us(fps), one.end_us(fps)
    resolution = period_us(fps)
    ratios = [one.evolution.growth(first, key.frame) for key in keys]
    growths = [None if ratio is None else float(ratio) for ratio in ratios]
    box = unit_box(keys[0].box_xywh, width, height)
    yield Happening(start, end, "anomaly", one.kind, source, resolution, box=box,
                    value=growths[-1], unit=AREA_RATIO)  # fmt: skip
    for key, growth in zip(keys, growths, strict=True):
        time, here = frame_to_us(key.frame, fps), unit_box(key.box_xywh, width, height)
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
    """(start, end, state) from the onset on: present unless stated, controlled at the end."""
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
