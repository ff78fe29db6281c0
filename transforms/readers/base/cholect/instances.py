"""Convert label rows to the records: reject, repair and build."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.records import IDLE, UNKNOWN, Code, InstrumentTable, Source, Span
from surgqa.ontology.times import period_us
from surgqa.transforms.readers.base import (
    InstrumentRows,
    Ledger,
    instants_of,
    instrument_table,
    merge_rows,
    spans_of,
)
from surgqa.transforms.readers.base.cholect.header import LabelHeader
from surgqa.transforms.readers.base.cholect.rows import (
    BOX_FAULTS,
    NO_FAULT,
    PHASE,
    SCORE,
    LabelRows,
    RowMeanings,
    meaning_of,
)

POINTER = 'annotations["{frame}"][{row}]'


def evidence_of(
    rows: LabelRows, header: LabelHeader, ledger: Ledger, source: Source
) -> tuple[InstrumentTable, tuple[Span, ...], int]:
    """Reject invalid rows, repair others where possible, and build the records.

    An instant with a rejected row is no longer fully known, so that nothing is known to be absent.
    So it is removed from the list of instants, together with its other rows.

    Returns:
        The instruments, the phases, and how many rows were kept.
    """
    meaning = meaning_of(rows.values, header)
    meaning.faults.update({row: (Code.BAD_ROW, why) for row, why in rows.broken.items()})
    _find_clashes(rows, meaning)
    kept_frame = _reject_rows(rows, meaning, ledger, source.path)
    kept = kept_frame[rows.frame]
    _repair_rows(rows, meaning, header, kept, ledger, source.path)

    frames = rows.frames[kept_frame]
    instants_us = instants_of(frames, header.fps)
    sample = (np.cumsum(kept_frame) - 1)[rows.frame]
    instruments = _instrument_rows(sample, rows, meaning).take(kept & (meaning.label >= 0))
    labels = header.instrument.concepts
    table = instrument_table(instants_us, frames, instruments, labels, meaning.pairs, POINTER)

    phases = _phases(rows, meaning, kept, ledger, source.path)[kept_frame]
    keys = [rows.keys[i] for i in np.flatnonzero(kept_frame).tolist()]
    spans = spans_of(
        "phase",
        instants_us,
        phases,
        header.phase.concepts,
        period_us(header.fps),
        source.path,
        lambda first, last: f'annotations["{keys[first]}"] to annotations["{keys[last]}"]',
    )
    sizes = np.bincount(rows.frame, minlength=kept_frame.size)
    return table, spans, int(np.maximum(sizes, 1)[kept_frame].sum())


def _place(rows: LabelRows, row: int, path: str) -> str:
    key = rows.keys[int(rows.frame[row])]
    return f'{path} annotations["{key}"][{int(rows.row[row])}]'


def _at(rows: LabelRows, row: int) -> tuple[int, int]:
    return int(rows.frames[rows.frame[row]]), int(rows.row[row])


def _instrument_rows(sample: np.ndarray, rows: LabelRows, meaning: RowMeanings) -> InstrumentRows:
    return InstrumentRows(
        sample=sample,
        label=meaning.label,
        box_xyxy=meaning.box_xyxy,
        score=meaning.score,
        pair=meaning.pair,
        row=rows.row,
    )


def _find_clashes(rows: LabelRows, meaning: RowMeanings) -> None:
    """Mark rows of one instance (same class, same box) that contradict one another as faults."""
    good = np.ones(rows.frame.size, dtype=bool)
    good[list(meaning.faults)] = False
    good &= (meaning.label >= 0) & np.isfinite(meaning.box_xyxy[:, 0])
    kind = rows.frame * (meaning.label.max(initial=0) + 1) + np.maximum(meaning.label, 0)
    good &= np.bincount(kind[good], minlength=kind.max(initial=-1) + 1)[kind] > 1
    positions = np.flatnonzero(good)
    order, group = merge_rows(_instrument_rows(rows.frame, rows, meaning).take(good))
    sizes = np.bincount(group) if group.size else np.zeros(0, dtype=np.int64)
    idle = meaning.pairs.index(IDLE) if IDLE in meaning.pairs else UNKNOWN
    for instance in np.flatnonzero(sizes > 1).tolist():
        members = positions[order[group == instance]].tolist()
        pairs = {int(meaning.pair[row]) for row in members}
        if len(pairs) > 1 and pairs & {idle, UNKNOWN}:
            what = "idle" if idle in pairs else "without an annotated interaction"
            reason = f"rows with one instrument and box say it is acting and {what}"
            meaning.faults.update(dict.fromkeys(members, (Code.CONTRADICTION, reason)))


def _reject_rows(rows: LabelRows, meaning: RowMeanings, ledger: Ledger, path: str) -> np.ndarray:
    """Enter the faults into the ledger; True (F,) for frames that are still fully known."""
    kept = np.ones(len(rows.keys), dtype=bool)
    for row, (code, reason) in meaning.faults.items():
        kept[rows.frame[row]] = False
        ledger.reject(_at(rows, row), code, reason, _place(rows, row, path))
    faulty = np.zeros(rows.frame.size, dtype=bool)
    faulty[list(meaning.faults)] = True
    others = np.bincount(rows.frame[~faulty], minlength=len(rows.keys))
    for frame in np.flatnonzero(~kept & (others > 0)).tolist():
        reason = "another row of this frame was rejected, so the frame is not fully known"
        place = f'{path} annotations["{rows.keys[frame]}"]'
        at = (int(rows.frames[frame]), len(rows.frame))
        ledger.reject(at, Code.INCOMPLETE_INSTANT, reason, place, int(others[frame]))
    return kept


def _repair_rows(
    rows: LabelRows,
    meaning: RowMeanings,
    header: LabelHeader,
    kept: np.ndarray,
    ledger: Ledger,
    path: str,
) -> None:
    """Record what was changed in rows that are kept."""
    here = kept & (meaning.label >= 0)
    for row in np.flatnonzero(here & (meaning.box_fault != NO_FAULT)).tolist():
        reason = BOX_FAULTS[int(meaning.box_fault[row])].format(beyond=meaning.beyond[row])
        ledger.repair(_at(rows, row), Code.BAD_BOX, reason, _place(rows, row, path))
    for row in np.flatnonzero(here & meaning.half).tolist():
        reason = "only one of verb and target is given; the interaction counts as not annotated"
        ledger.repair(_at(rows, row), Code.BAD_ROW, reason, _place(rows, row, path))
    score = rows.values[:, SCORE]
    changed = here & (score != meaning.score) & (score != -1)
    for row in np.flatnonzero(changed).tolist():
        reason = f"the score {score[row]:g} is not between 0 and 1; 1 is used"
        ledger.repair(_at(rows, row), Code.BAD_ROW, reason, _place(rows, row, path))
    for row in np.flatnonzero(kept & meaning.bad_phase).tolist():
        phase = rows.values[row, [PHASE]]
        code, reason = header.phase.problem(int(header.phase.position(phase)[0]), phase[0])
        reason = f"{reason}; the phase counts as not annotated"
        ledger.repair(_at(rows, row), code, reason, _place(rows, row, path))


def _phases(
    rows: LabelRows, meaning: RowMeanings, kept: np.ndarray, ledger: Ledger, path: str
) -> np.ndarray:
    """Return the phase concept of each frame (F,), UNKNOWN where none is given or rows disagree."""
    given = kept & (meaning.phase >= 0)
    lowest = np.full(len(rows.keys), np.iinfo(np.int64).max)
    highest = np.full(len(rows.keys), UNKNOWN, dtype=np.int64)
    np.minimum.at(lowest, rows.frame[given], meaning.phase[given])
    np.maximum.at(highest, rows.frame[given], meaning.phase[given])
    torn = (highest != UNKNOWN) & (lowest != highest)
    for frame in np.flatnonzero(torn).tolist():
        place = f'{path} annotations["{rows.keys[frame]}"]'
        reason = "the rows of this frame name different phases; its phase counts as unknown"
        at = (int(rows.frames[frame]), len(rows.frame))
        ledger.repair(at, Code.CONTRADICTION, reason, place)
    return np.where(torn, UNKNOWN, highest)
