"""Happenings (derived events) and stretches (derived intervals), and the tables made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from surgqa.ontology.keys import digest
from surgqa.ontology.observed import HAPPENINGS, STRETCHES
from surgqa.transforms.evidence.base import rounded

DECIMALS = 6
"""Decimals of measured values; rounding keeps tiny differences from changing an id."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Happening:
    """One row of the happenings, without its id.

    Attributes:
        time_us: start of the happening, or its time if it has no duration.
        end_us: end of the happening; equals ``time_us`` without a duration.
        kind: contact, onset, cut, ...
        label: subject of the happening: a concept id, a state, or a word such as ``brighter``.
        track: track of the tool (or of the tissue whose state changes).
        other_track: track of the tissue (or of the tool that a change is attributed to).
        box: position of the happening, in [0, 1].
        value: the measure from which the rule found the happening.
        unit: unit of the value.
        resolution_us: the true time is at most this before ``time_us``.  For a contact: start
            and end are at most this far off; None if its start or end was not observed.
        source: the rule that found the happening.
    """

    time_us: int
    end_us: int
    kind: str
    label: str | None
    source: str
    resolution_us: int | None = None
    track: int | None = None
    other_track: int | None = None
    box: Box | None = None
    value: float | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class StretchRow:
    """One row of the stretches, such as a shot or a segment.

    Attributes:
        level: 1 for shots and phases, 2 for segments, 0 for the whole video.
        score: strength of the cut or boundary at the start; None if there is none.
    """

    start_us: int
    end_us: int
    kind: str
    label: str | None
    level: int | None
    score: float | None
    source: str


def happenings_table(found: Iterable[Happening]) -> pa.Table:
    """Return the rows of ``HAPPENINGS`` without duplicates, ordered by (time, kind, subject).

    An id is the digest of everything else in the row, so it does not depend on other rows.
    """
    rows = {_happening_row(one) for one in found}
    named = [(digest(*row), *row) for row in rows]
    return _table(sorted(named, key=_happening_order), HAPPENINGS)


def stretches_table(found: Iterable[StretchRow]) -> pa.Table:
    """Return the rows of ``STRETCHES``, ordered by (start, kind, label), then level and end."""
    rows = {astuple(one) for one in found}
    return _table(sorted(rows, key=lambda row: _order(row[0], *row[2:5], row[1], *row)), STRETCHES)


def box_of(box: np.ndarray) -> Box:
    """Convert a float64 (4,) box to a plain tuple."""
    x1, y1, x2, y2 = box.tolist()
    return x1, y1, x2, y2


def _happening_row(one: Happening) -> tuple[Any, ...]:
    value = None
    if one.value is not None and np.isfinite(one.value):
        value = float(rounded(one.value, DECIMALS))
    return (
        one.time_us, one.end_us, one.kind, one.label, one.track, one.other_track,
        *(one.box or (None, None, None, None)), value, one.unit, one.resolution_us, one.source,
    )  # fmt: skip


def _happening_order(row: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    name, time, end, kind, label, track, other, *_ = row
    return _order(time, kind, track, other, label, end, row[-1], name)


def _order(*parts: Any) -> tuple[tuple[bool, Any], ...]:
    """Return a sort key that puts None last."""
    return tuple((part is None, 0 if part is None else part) for part in parts)


def _table(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
