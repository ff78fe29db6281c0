"""Find lost and damaged packets in transport streams, and frames that lost their beginning.

The packets of each track are numbered, and each frame begins with a start code.  A reader that
finds no start code drops the frame without an error.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

SYNC = 0x47
PIECES = (188, 192, 204)
"""Bytes from packet to packet, including what some formats insert between packets."""
HEAD = 4
"""Bytes of a packet's header."""
BODY = 188
TIMED, LEAD = 192, 4
"""Bytes of a packet with a leading time stamp, and of that time stamp."""
FOLLOWED = 4
"""Consecutive packets needed to find the packet positions."""
PART = 1 << 14
"""Packets read at a time."""

Ranges = list[tuple[int, int]]


def bad_bytes(data: BinaryIO, size: int) -> Ranges:
    """Ranges [first, last) with lost or damaged packets, each up to the next undamaged frame.

    A range is empty if packets are lost directly before that frame.
    """
    piece, at = _grid(data, size)
    if not piece:
        return [(0, size)]
    tracks = _Tracks()
    if at >= piece:  # less is the rest of a packet whose beginning was cut off
        tracks.bad.append((0, at))
    while at < size:
        data.seek(at)
        part = np.frombuffer(data.read(piece * PART), dtype=np.uint8)
        rows = _rows(part, piece)
        wrong = np.flatnonzero(rows[:, 0] != SYNC)
        good = int(wrong[0]) if len(wrong) else len(rows)
        tracks.take(rows[:good], at, piece)
        at += good * piece
        if at >= size or good == PART:
            continue
        onwards = _next(data, at + 1, size, piece) if len(wrong) else size
        tracks.lost(at, onwards)
        at = onwards
    # If packets have a time stamp before them, FFmpeg's positions start at the time stamp.
    lead = LEAD if piece == TIMED else 0
    return [
        (first - min(lead, first), min(last - lead, size))
        for first, last in tracks.ended(size + lead)
    ]


class _Tracks:
    """State of each track: its last packet number, and the position where it broke."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.pictured: set[int] = set()
        self.broken: dict[int, int] = {}
        self.bad: Ranges = []

    def take(self, rows: np.ndarray, at: int, piece: int) -> None:
        """Process consecutive packets: uint8 (N, 188), the first at position ``at``."""
        track = (rows[:, 1].astype(np.int64) & 0x1F) << 8 | rows[:, 2]
        filled = (rows[:, 3] & 0x10) > 0
        for one in np.unique(track[filled]).tolist():
            where = np.flatnonzero(filled & (track == one))
            self._track(one, rows[where], at + where * piece)

    def _track(self, one: int, rows: np.ndarray, places: np.ndarray) -> None:
        starts, marked = (rows[:, 1] & 0x40) > 0, _marked(rows)
        if one not in self.pictured and not (starts & marked).any():
            return
        self.pictured.add(one)
        count = (rows[:, 3] & 15).astype(np.int64)
        before = np.concatenate([[self.counts.get(one, int(count[0]))], count[:-1]])
        self.counts[one] = int(count[-1])
        jumped = ((count - before) % 16 > 1) & ~_announced(rows)
        harmed = ((rows[:, 1] & 0x80) > 0) | (starts & ~marked)
        for row in np.flatnonzero(jumped | harmed | (starts & marked)).tolist():
            place = int(places[row])
            if jumped[row] or harmed[row]:
                self.broken.setdefault(one, place)
            if starts[row] and not harmed[row] and one in self.broken:
                self.bad.append((self.broken.pop(one), place))

    def lost(self, first: int, last: int) -> None:
        """Record a range of bytes that contains no packets."""
        if not self.pictured or first == last:
            self.bad.append((first, last))
        for one in self.pictured:
            self.broken.setdefault(one, first)

    def ended(self, size: int) -> Ranges:
        """Return all damaged ranges in order, without overlaps."""
        out: Ranges = []
        for first, last in sorted([*self.bad, *((place, size) for place in self.broken.values())]):
            if out and first <= out[-1][1]:
                out[-1] = (out[-1][0], max(last, out[-1][1]))
            else:
                out.append((first, last))
        return out


def _marked(rows: np.ndarray) -> np.ndarray:
    """True if a packet's content begins with a start code, or is too short to decide."""
    long = np.where(rows[:, 3] & 0x20, rows[:, HEAD].astype(np.int64) + 1, 0) + HEAD
    at = np.minimum(long, BODY - 3)[:, None] + np.arange(3)
    begun = (np.take_along_axis(rows, at, axis=1) == (0, 0, 1)).all(axis=1)
    return np.asarray(begun | (long > BODY - 3))


def _announced(rows: np.ndarray) -> np.ndarray:
    """Return whether the writer announces that numbering restarts (discontinuity flag)."""
    long = ((rows[:, 3] & 0x20) > 0) & (rows[:, HEAD] > 0)
    return np.asarray(long & ((rows[:, HEAD + 1] & 0x80) > 0))


def _rows(part: np.ndarray, piece: int) -> np.ndarray:
    """Return uint8 (N, 188), complete packets, including a last one without bytes after it."""
    count = (len(part) + piece - BODY) // piece
    padded = np.zeros(count * piece, dtype=np.uint8)
    padded[: min(len(part), len(padded))] = part[: len(padded)]
    return padded.reshape(count, piece)[:, :BODY]


def _grid(data: BinaryIO, size: int) -> tuple[int, int]:
    """Return bytes from packet to packet, and position of the first; (0, 0) if there are none."""
    found = [(place, piece) for piece in PIECES if (place := _next(data, 0, size, piece)) < size]
    place, piece = min(found, default=(0, 0))
    return piece, place


def _next(data: BinaryIO, at: int, size: int, piece: int) -> int:
    """Return the position of the next few consecutive packets; the file's end if there are none."""
    reach = piece * (FOLLOWED - 1)
    while at < size:
        data.seek(at)
        part = np.frombuffer(data.read(piece * PART + reach), dtype=np.uint8)
        heads = np.flatnonzero(part[: piece * PART] == SYNC)
        heads = heads[heads + at + BODY <= size]
        for step in range(piece, reach + 1, piece):
            beyond = heads + step >= len(part)
            heads = heads[beyond | (part[np.minimum(heads + step, len(part) - 1)] == SYNC)]
        if len(heads):
            return at + int(heads[0])
        at += piece * PART
    return size
