"""Find videos that show the same recording: equal parts of frame hashes, then alignment in time.

Copies may be re-encoded, rescaled, trimmed at either end, sampled at other times, or slightly
cropped.  Mirrored, rotated and speed-changed copies are not found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from surgqa.ontology.observed import DECISIONS
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.curate.settings import CurateSettings, DuplicateSettings
from surgqa.transforms.evidence.curate.states import DARK, UNKNOWN, column, states

PIECES = ((0, 21), (21, 21), (42, 22))
"""(lowest bit, number of bits) of the three parts of a frame hash. If two hashes differ in up to 2
bits, at least one part is equal in both."""

VIDEO_BITS, SHIFT_BITS = 21, 20
"""Two million videos, and shifts of up to six days, fit into one 64-bit number."""
VIDEO_MASK = (1 << VIDEO_BITS) - 1
SHIFT_MASK, SHIFT_ZERO = (1 << SHIFT_BITS) - 1, 1 << (SHIFT_BITS - 1)


@dataclass(frozen=True, slots=True, eq=False)
class FrameHashes:
    """Frame hashes of one video: int64 (F,) ascending times and uint64 (F,) hashes."""

    times_us: np.ndarray
    codes: np.ndarray


def candidates(
    videos: Sequence[FrameHashes], settings: DuplicateSettings
) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return, for pairs of videos (i < j), the shifts to try: time in i minus time in j, in us.

    The work grows with the number of frames and of equal hash parts, not with pairs of videos.
    """
    votes = [vote for low, bits in PIECES for vote in _votes(videos, low, bits, settings)]
    if not votes:
        return {}
    cells, counts = np.unique(np.concatenate(votes), return_counts=True)
    # The samples of two copies can lie on both sides of a whole second of shift.
    agreed = counts + _count_at(cells, counts, cells - 1) + _count_at(cells, counts, cells + 1)
    enough = agreed >= settings.votes
    pairs, shifts = cells[enough] >> SHIFT_BITS, (cells[enough] & SHIFT_MASK) - SHIFT_ZERO
    found: dict[tuple[int, int], list[int]] = {}
    for index in np.lexsort((shifts, np.abs(shifts), -agreed[enough], pairs)).tolist():
        pair = (int(pairs[index]) >> VIDEO_BITS, int(pairs[index]) & VIDEO_MASK)
        tried = found.setdefault(pair, [])
        if len(tried) < settings.shifts:
            tried.append(int(shifts[index]) * SECOND_US)
    return {pair: tuple(tried) for pair, tried in found.items()}


def _count_at(cells: np.ndarray, counts: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    place = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
    return np.where(cells[place] == wanted, counts[place], 0)


def _votes(
    videos: Sequence[FrameHashes], low: int, bits: int, settings: DuplicateSettings
) -> list[np.ndarray]:
    """Return, for each hash part that videos i and j share, i, j and the shift (s) as one int64."""
    pieces, owners, times = _first_uses(videos, low, bits)
    order = np.lexsort((times, owners, pieces))
    pieces, owners, times = pieces[order], owners[order], times[order]
    starts = np.flatnonzero(np.append(True, pieces[1:] != pieces[:-1])) if len(pieces) else []
    sizes = np.diff(np.append(starts, len(pieces)))
    votes = []
    for size in range(2, settings.crowd + 1):
        groups = np.asarray(starts)[sizes == size]
        if not len(groups):
            continue
        a, b = np.triu_indices(size, 1)
        first, second = (groups[:, None] + a).reshape(-1), (groups[:, None] + b).reshape(-1)
        shift = (times[first] - times[second] + SECOND_US // 2) // SECOND_US
        pair = (owners[first] << VIDEO_BITS) | owners[second]
        votes.append((pair << SHIFT_BITS) | (shift + SHIFT_ZERO))
    return votes


def _first_uses(
    videos: Sequence[FrameHashes], low: int, bits: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct hash parts of all videos: part, video, and time of first use, int64."""
    pieces, owners, times = [], [], []
    for number, video in enumerate(videos):
        values = (video.codes >> np.uint64(low)) & np.uint64((1 << bits) - 1)
        unique, first = np.unique(values, return_index=True)
        pieces.append(unique.astype(np.int64))
        times.append(video.times_us[first])
        owners.append(np.full(len(unique), number, dtype=np.int64))
    if not pieces:
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty, empty
    return np.concatenate(pieces), np.concatenate(owners), np.concatenate(times)


RULE = "near_duplicate"
BETWEEN = " copies "


@dataclass(frozen=True, slots=True)
class _Video:
    key: str
    codes: FrameHashes
    length_us: int
    pixels: int
    digest: str | None
    title: str | None
    unfit: bool

    @property
    def rank(self) -> tuple[bool, int, int, int, str]:
        """Sort key, best first: fit, longer in whole seconds, more pixels, longer, then key."""
        return (self.unfit, -(self.length_us // SECOND_US), -self.pixels, -self.length_us, self.key)


@dataclass(frozen=True, slots=True)
class _Alike:
    bits: float
    share: float
    compared: int
    shift_us: int


def near_duplicates(
    videos: Iterable[tuple[str, pa.Table, Mapping[str, Any]]],
    settings: CurateSettings,
    unfit: Collection[str] = (),
) -> pa.Table:
    """Return rows of ``DECISIONS``, one for each compared pair; ``passed`` means: no copy.

    Of two copies, the one that is not unfit is kept, then the longer one (in whole seconds). If
    they are equal, the one with more pixels is kept, then the longer one in microseconds, then the
    one whose key sorts first. A video is dropped only as a copy of a video that is kept, so a chain
    of copies loses no part of a recording.

    Args:
        videos: key, rows of ``FRAMES``, and facts: ``duration_us``, ``medium`` with
            ``sha256``, ``width`` and ``height``, ``metadata`` with ``title``; any may be
            missing.  Their order does not matter.
        unfit: keys of videos that are dropped for another reason.
    """
    known = sorted(
        (_video(*video, settings, video[0] in unfit) for video in videos), key=lambda v: v.rank
    )
    pairs = _pairs(known, settings.duplicates)
    dropped = {index for index, video in enumerate(known) if video.unfit}
    rows = []
    for (better, worse), shifts in sorted(pairs.items()):
        compared = _compared(known[better], known[worse], shifts, settings.duplicates)
        if compared is None:
            continue
        row, same = compared
        if same and better in dropped:
            row |= {
                "passed": True,
                "reason": f"{row['reason']}; but {known[better].key} is dropped",
            }
        elif same:
            dropped.add(worse)
        rows.append(row)
    rows.sort(key=lambda row: row["subject"])
    return pa.Table.from_pylist(rows, schema=DECISIONS)


def copy_of(subject: str) -> tuple[str, str]:
    """Return the two keys in a row's subject: the copy, and the video of which it is a copy."""
    dropped, _, kept = subject.partition(BETWEEN)
    return dropped, kept


def _video(
    key: str, frames: pa.Table, facts: Mapping[str, Any], settings: CurateSettings, unfit: bool
) -> _Video:
    found = states(frames, settings)
    usable = (found != UNKNOWN) & (found != DARK) & frames["dhash"].is_valid().to_numpy()
    usable &= column(frames, "contrast") >= settings.duplicates.contrast
    chosen = frames.filter(pa.array(usable))
    times = frames["time_us"].to_numpy()
    medium = facts.get("medium") or {}
    title = (facts.get("metadata") or {}).get("title")
    return _Video(
        key=key,
        codes=FrameHashes(
            chosen["time_us"].to_numpy(), chosen["dhash"].to_numpy().astype(np.uint64)
        ),
        length_us=int(facts.get("duration_us") or (times[-1] - times[0] if len(times) else 0)),
        pixels=int(medium.get("width") or 0) * int(medium.get("height") or 0),
        digest=medium.get("sha256"),
        title=" ".join(str(title).lower().split()) if title else None,
        unfit=unfit,
    )


def _pairs(
    videos: list[_Video], settings: DuplicateSettings
) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return pairs (better, worse) to compare, with the shifts to try."""
    titles = (None if v.title is None else (v.title, v.length_us // SECOND_US) for v in videos)
    same = [one for one in _grouped(titles) if len(one) <= settings.crowd]
    pairs: dict[tuple[int, int], tuple[int, ...]] = {}
    for first, *others in [*_grouped(v.digest for v in videos), *same]:
        pairs |= {(first, other): (0,) for other in others}
    for pair, shifts in candidates([v.codes for v in videos], settings).items():
        pairs[pair] = tuple(sorted({*shifts, *pairs.get(pair, ())}))
    return pairs


def _grouped(keys: Iterable[Any]) -> list[list[int]]:
    """Return the indices of each key as a list, in order of first index; None is no key."""
    groups: dict[Any, list[int]] = {}
    for index, key in enumerate(keys):
        if key is not None:
            groups.setdefault(key, []).append(index)
    return [*groups.values()]


def _compared(
    better: _Video, worse: _Video, shifts: tuple[int, ...], settings: DuplicateSettings
) -> tuple[dict[str, Any], bool] | None:
    """Return the row of a pair and whether both are copies; None if too few frames fit together."""
    row = {"rule": RULE, "subject": f"{worse.key}{BETWEEN}{better.key}",
           "threshold": float(settings.bits), "unit": "bits"}  # fmt: skip
    if better.digest is not None and better.digest == worse.digest:
        return row | {"measured": 0.0, "passed": False, "reason": "the same file"}, True
    found = [_aligned(better.codes, worse.codes, shift, settings) for shift in shifts]
    best = min(
        (one for one in found if one is not None),
        key=lambda one: (one.bits, -one.compared, abs(one.shift_us), one.shift_us),
        default=None,
    )
    if best is None:
        return None
    same = best.bits <= settings.bits
    reason = (
        f"{best.compared} pictures compared ({best.share:.0%} of the shorter), "
        f"shifted by {best.shift_us / SECOND_US:.1f} s"
    )
    return row | {"measured": best.bits, "passed": not same, "reason": reason}, same


def _aligned(
    a: FrameHashes, b: FrameHashes, shift_us: int, settings: DuplicateSettings
) -> _Alike | None:
    """Return the median distance of the hashes of two videos aligned by a shift, or None.

    Args:
        shift_us: time in ``a`` minus time in ``b``.
    """
    if len(b.times_us) > len(a.times_us):
        a, b, shift_us = b, a, -shift_us
    wanted = b.times_us + shift_us
    first = np.searchsorted(a.times_us, wanted - settings.slack_us, side="left")
    last = np.searchsorted(a.times_us, wanted + settings.slack_us, side="right")
    both = last > first
    compared = int(np.count_nonzero(both))
    if compared < max(settings.samples, settings.share * len(b.times_us)):
        return None
    within = wanted[both]
    if within[-1] - within[0] < settings.overlap_us:
        return None
    first, last, codes = first[both], last[both], b.codes[both]
    best = np.full(compared, np.iinfo(np.uint8).max, dtype=np.uint8)
    for step in range(int((last - first).max())):
        index = np.minimum(first + step, last - 1)
        best = np.minimum(best, np.bitwise_count(a.codes[index] ^ codes))
    return _Alike(float(np.median(best)), compared / len(b.times_us), compared, shift_us)
