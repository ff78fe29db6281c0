"""Check whether the frame index of an MP4 file agrees with itself.

The index states the number of frames several times, and their total length twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np

WIDE = 1
"""Length that means: the real length is in the eight bytes after the type."""
MOST = 1 << 28
"""Maximum number of bytes of an index that are read."""
READ = (b"moov", b"moof")
KNOWN = frozenset(
    b"ftyp styp sidx ssix moov moof mdat free skip wide mfra meta uuid pdin emsg prft udta".split()
)
"""Types of boxes that occur at the top level of a file."""
OUTER = {b"trak", b"mdia", b"minf", b"stbl"}
Boxes = dict[bytes, bytes]


def contradiction(data: BinaryIO, size: int) -> str:
    """A contradiction in the index of the first video track, as text; empty if there is none.

    A fragmented file has an index for each fragment, which states nothing twice.
    """
    top = list(_top(data, size))
    moov = next((box for kind, box in top if kind == b"moov"), b"")
    broken = _broken_fragment(top)
    if broken:
        return broken
    for track in (body for kind, body in _boxes(moov) if kind == b"trak"):
        found: Boxes = {}
        _gather(track, found)
        if found.get(b"hdlr", b"")[8:12] == b"vide":
            return _track(found)
    return ""


def _broken_fragment(top: Sequence[tuple[bytes, bytes]]) -> str:
    """An error in the fragments of a file, as text; empty if there is none.  With an error, frames
    are missing or have wrong times."""
    fragments = [box for kind, box in top if kind == b"moof"]
    unknown = next((kind for kind, _ in top if kind not in KNOWN), None)
    if fragments and unknown is not None:
        return f"a box {unknown.decode('latin-1')!r} stands where a fragment may have stood"
    begun: dict[bytes, int] = {}
    for number, fragment in enumerate(fragments, start=1):
        tracks = _listed(fragment)
        if not tracks:
            return f"fragment {number} does not say which frames it holds"
        for track, time in tracks:
            if time is not None and time <= begun.get(track, -1):
                return f"fragment {number} begins before the one before it"
            begun[track] = begun.get(track, -1) if time is None else time
    return ""


def _listed(fragment: bytes) -> list[tuple[bytes, int | None]]:
    """Return track and first decoding time of each track fragment.

    The result is empty if a track fragment lists no frames, or if the fragment is incomplete.
    """
    out: list[tuple[bytes, int | None]] = []
    found = list(_boxes(fragment))
    for body in (body for kind, body in found if kind == b"traf"):
        boxes, lists = dict(_boxes(body)), [one for kind, one in _boxes(body) if kind == b"trun"]
        if not lists or not all(int.from_bytes(one[4:8], "big") for one in lists):
            return []
        time = boxes.get(b"tfdt", b"")
        out.append(
            (boxes.get(b"tfhd", b"")[4:8], int.from_bytes(time[4:], "big") if time else None)
        )
    return out if sum(len(body) + 8 for _, body in found) == len(fragment) else []


def _top(data: BinaryIO, size: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the type of each top-level box, and the content of ``moov`` and ``moof`` boxes."""
    at = 0
    while at + 8 <= size:
        data.seek(at)
        head = data.read(16)
        long, begin = int.from_bytes(head[:4], "big"), 8
        if long == WIDE:
            long, begin = int.from_bytes(head[8:16], "big"), 16
        if long < begin:
            return
        data.seek(at + begin)
        yield head[4:8], data.read(min(long - begin, MOST)) if head[4:8] in READ else b""
        at += long


def _boxes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 8 <= len(content):
        long = int.from_bytes(content[at : at + 4], "big")
        if long < 8:
            return
        yield content[at + 4 : at + 8], content[at + 8 : at + long]
        at += long


def _gather(content: bytes, found: Boxes) -> None:
    for kind, body in _boxes(content):
        if kind in OUTER:
            _gather(body, found)
        else:
            found.setdefault(kind, body)


def _track(found: Boxes) -> str:
    header = found.get(b"mdhd", b"")
    wide = header[:1] == b"\1"
    if not int.from_bytes(header[20:24] if wide else header[12:16], "big"):
        return "the track does not say how long a tick is"
    count = int.from_bytes(found.get(b"stsz", b"")[8:12], "big")
    if not count:
        return ""
    steps, shifts = _pairs(found, b"stts"), _pairs(found, b"ctts")
    counts = {
        "times": int(steps[:, 0].sum()),
        "places": _placed(found),
        "shifts": int(shifts[:, 0].sum()) if len(shifts) else count,
    }
    for what, number in counts.items():
        if number != count:
            return f"the index has {what} of {number} frames and sizes of {count}"
    lasts = int((steps[:, 0] * steps[:, 1]).sum())
    stated = int.from_bytes(header[24:32] if wide else header[16:20], "big")
    # Some writers include the presentation delay of the last frame in the length.
    late = int(shifts[:, 1].astype(np.int32).max()) if len(shifts) else 0
    step = max(lasts // count, 1)
    if not lasts - step < stated < lasts + max(late, 0) + step:
        return f"the index lasts {lasts} ticks and the header says {stated}"
    return ""


def _placed(found: Boxes) -> int:
    """Return the number of frames in all chunks, from the table of frames per chunk (``stsc``)."""
    chunks = max(int.from_bytes(found.get(kind, b"")[4:8], "big") for kind in (b"stco", b"co64"))
    rows = np.frombuffer(found.get(b"stsc", b"")[8:], dtype=">u4")
    rows = rows[: len(rows) // 3 * 3].reshape(-1, 3).astype(np.int64)
    starts = np.append(rows[:, 0], chunks + 1)
    return int((np.diff(starts) * rows[:, 1]).sum())


def _pairs(found: Boxes, kind: bytes) -> np.ndarray:
    """Return int64 (N, 2), rows of a run-length table, (count, value)."""
    body = found.get(kind, b"")
    count = int.from_bytes(body[4:8], "big")
    rows = np.frombuffer(body[8:], dtype=np.uint8)
    return rows[: len(rows) // 8 * 8].view(">u4").reshape(-1, 2)[:count].astype(np.int64)
