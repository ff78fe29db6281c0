"""Convert label rows to records: instants, instrument instances and labelled intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surgqa.ontology.records import UNKNOWN, InstrumentTable, Pair, Span
from surgqa.ontology.times import SECOND_US, frame_to_us

_EXACT = 2**62


@dataclass(frozen=True, slots=True)
class InstrumentRows:
    """N source rows; each row is one instrument with at most one interaction.

    Attributes:
        sample: int (N,), index into the video's instants.
        label: int (N,), index into the sorted concept ids.
        box_xyxy: float64 (N, 4), NaN where the row has no box.
        score: float64 (N,).
        pair: int (N,), index into the sorted pairs, UNKNOWN where not annotated.
        row: int (N,), position of the row within its instant in the source.
    """

    sample: np.ndarray
    label: np.ndarray
    box_xyxy: np.ndarray
    score: np.ndarray
    pair: np.ndarray
    row: np.ndarray

    def take(self, which: np.ndarray) -> InstrumentRows:
        """Return the rows at these positions, or where the mask is true."""
        return InstrumentRows(
            self.sample[which],
            self.label[which],
            self.box_xyxy[which],
            self.score[which],
            self.pair[which],
            self.row[which],
        )


def instants_of(frames: np.ndarray, fps: Fraction) -> np.ndarray:
    """Times of frames (T,) in int64 microseconds (T,), exactly as ``times.frame_to_us``."""
    twice_us = 2 * SECOND_US * fps.denominator
    largest = int(frames.max(initial=1))
    if largest * twice_us + 2 * fps.numerator < _EXACT:
        return (frames * twice_us + fps.numerator) // (2 * fps.numerator)
    return np.array([frame_to_us(int(frame), fps) for frame in frames], dtype=np.int64)


def merge_rows(rows: InstrumentRows) -> tuple[np.ndarray, np.ndarray]:
    """Group rows into instances: rows of one instance share instant, class and box.

    Each row without a box becomes a separate instance, because two instances of one
    class cannot be distinguished without boxes.

    Returns:
        ``order`` (N,): positions of the rows sorted by (sample, label, box, row);
        ``group`` (N,): number of the instance of each row in that order, ascending.
    """
    x1, y1, x2, y2 = rows.box_xyxy.T
    order = np.lexsort((rows.row, y2, x2, y1, x1, rows.label, rows.sample))
    sorted_rows = rows.take(order)
    new = np.ones(order.size, dtype=bool)
    if order.size:
        same = sorted_rows.sample[1:] == sorted_rows.sample[:-1]
        same &= sorted_rows.label[1:] == sorted_rows.label[:-1]
        same &= (sorted_rows.box_xyxy[1:] == sorted_rows.box_xyxy[:-1]).all(axis=1)
        new[1:] = ~same
    return order, np.cumsum(new) - 1


def instrument_table(
    instants_us: np.ndarray,
    frames: np.ndarray,
    rows: InstrumentRows,
    labels: Sequence[str],
    pairs: Sequence[Pair],
    pointer: str,
) -> InstrumentTable:
    """Return the instrument table of one video, from manual labels without track ids.

    Args:
        instants_us: int64 (T,), strictly ascending.
        frames: int64 (T,).
        rows: the rows, in any order. Rows with the same box are merged into one instance.
        labels: sorted concept ids that ``rows.label`` indexes.
        pairs: sorted pairs that ``rows.pair`` indexes.
        pointer: format string for a place in the source, with ``{frame}`` and ``{row}``.
    """
    order, group = merge_rows(rows)
    ordered = rows.take(order)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    pair_codes, pair_sets = _pair_sets(ordered.pair, first, pairs)
    instances = ordered.take(first)
    has_box = bool(np.isfinite(instances.box_xyxy).any())
    return InstrumentTable(
        instants_us=instants_us,
        frames=frames,
        sample=instances.sample.astype(np.int32),
        label=instances.label.astype(np.int16),
        box_xyxy=instances.box_xyxy,
        score=instances.score,
        pairs=pair_codes,
        track=np.full(first.size, UNKNOWN, dtype=np.int32),
        row=instances.row.astype(np.int32),
        labels=tuple(labels),
        pair_sets=pair_sets,
        box_origin="manual" if has_box else "none",
        pointer=pointer,
    )


def _pair_sets(
    pair: np.ndarray, first: np.ndarray, pairs: Sequence[Pair]
) -> tuple[np.ndarray, tuple[tuple[Pair, ...], ...]]:
    """Return codes (instances,) into the sorted sets of pairs that occur.

    ``pair`` (N,) is sorted by instance; ``first`` (instances,) holds the first row of each.
    Pairs are compared by index.  They are sorted, so index order is alphabetical.
    """
    alone = pair[first]
    sizes = np.diff(first, append=pair.size)
    several = {
        instance: tuple(sorted(set(pair[first[instance] :][: sizes[instance]].tolist())))
        for instance in np.flatnonzero(sizes > 1).tolist()
    }
    single = np.ones(first.size, dtype=bool)
    single[list(several)] = False
    known = np.unique(alone[single & (alone != UNKNOWN)])
    sets = sorted({(int(code),) for code in known} | set(several.values()) - {(UNKNOWN,)})
    index = {members: code for code, members in enumerate(sets)} | {(UNKNOWN,): UNKNOWN}
    lookup = np.full(len(pairs) + 1, UNKNOWN, dtype=np.int16)
    for code in known.tolist():
        lookup[code] = index[(code,)]
    codes = lookup[alone]  # UNKNOWN is -1, so it indexes the last entry: UNKNOWN
    for instance, members in several.items():
        codes[instance] = index[members]
    return codes, tuple(tuple(pairs[code] for code in members) for members in sets)


def spans_of(
    kind: str,
    instants_us: np.ndarray,
    codes: np.ndarray,
    labels: Sequence[str],
    period_us: int,
    source: str,
    place: Callable[[int, int], str],
) -> tuple[Span, ...]:
    """Half-open intervals of consecutive instants with the same label.

    An instant lasts one period.  An interval ends where the label changes, where the
    label is unknown, or where two annotated instants are more than 1.5 periods apart.

    Args:
        instants_us: int64 (T,), ascending.
        codes: int (T,), index into ``labels``, UNKNOWN where not annotated.
        place: maps first and last position in the instants to a place in the source.
    """
    if not codes.size:
        return ()
    far = 2 * np.diff(instants_us) > 3 * period_us
    breaks = np.flatnonzero((codes[1:] != codes[:-1]) | far) + 1
    starts = [0, *breaks.tolist()]
    ends = [*breaks.tolist(), codes.size]
    out = []
    for start, end in zip(starts, ends, strict=True):
        if codes[start] == UNKNOWN:
            continue
        end_us = int(instants_us[end - 1]) + period_us
        if end < codes.size:
            # Rounding to microseconds may make neighbours overlap by one microsecond.
            end_us = min(end_us, int(instants_us[end]))
        label = labels[int(codes[start])]
        where = place(start, end - 1)
        out.append(Span(kind, label, int(instants_us[start]), end_us, source, where,
                        sampled_us=period_us))  # fmt: skip
    return tuple(out)
