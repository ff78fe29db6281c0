"""Find damaged bytes in Matroska and WebM files.

Elements state their length, and most writers put a checksum before the content.  A reader that
only searches for the next block can give it the time of a wrong cluster.
"""

from __future__ import annotations

import zlib
from typing import BinaryIO

EBML, SEGMENT, CLUSTER = 0x1A45DFA3, 0x18538067, 0x1F43B675
INFO, TRACKS = 0x1549A966, 0x1654AE6B
CRC, VOID = 0xBF, 0xEC
TOP = (CLUSTER, INFO, TRACKS, 0x1C53BB6B, 0x114D9B74, 0x1254C367, 0x1043A770, 0x1941A469)
"""Children of a segment, including cues, seek heads, tags, chapters and attachments."""
INSIDE = (0xE7, 0xA3, 0xA0, 0xA7, 0xAB, 0xAF, 0x5854)
"""Children of a cluster: its time, blocks, block groups and positions."""
INSIDE_INFO = (
    0x2AD7B1, 0x4489, 0x4461, 0x7BA9, 0x4D80, 0x5741, 0x73A4, 0x7384, 0x3CB923, 0x3C83AB,
    0x3EB923, 0x3E83BB, 0x4444, 0x6924,
)  # fmt: skip
CHILDREN = {INFO: INSIDE_INFO, TRACKS: (0xAE,)}
HEAD = 12
"""Maximum number of bytes of an element's id and length."""
PART = 1 << 20

Ranges = list[tuple[int, int]]


def bad_bytes(data: BinaryIO, size: int) -> Ranges:
    """Return ranges [first, last) of a file whose blocks or times may be damaged.

    The whole file is bad if the header with the time scale and tracks is damaged. A cluster cut off
    by the end of the file is good up to its last complete block; the missing rest is bad.
    """
    (at, whole), bad, headers = _body(data), list[tuple[int, int]](), set()
    while at < size:
        kind, begin, end = _element(data, at)
        if kind == CLUSTER:
            if not headers >= {INFO, TRACKS}:
                return [(0, size)]
            at, found = _cluster(data, at, begin, end, size)
            bad += found
            continue
        if kind not in (*TOP, CRC, VOID) or end is None or end > size:
            onwards = _next_cluster(data, at + 1, size)
            bad.append((at, onwards))
            at = onwards
            continue
        if kind in CHILDREN and not _header_whole(data, kind, begin, end):
            return [(0, size)]
        headers.add(kind)
        at = end
    if whole is not None and whole > size and not (bad and bad[-1][1] >= size):
        bad.append((size, whole))
    return bad


def _body(data: BinaryIO) -> tuple[int, int | None]:
    """Return the start of the segment's first child, and end of the segment if it is stated."""
    kind, begin, end = _element(data, 0)
    if kind == EBML and end is not None:
        kind, begin, end = _element(data, end)
    return (begin, end) if kind == SEGMENT else (0, None)


def _cluster(data: BinaryIO, at: int, begin: int, end: int | None, size: int) -> tuple[int, Ranges]:
    """Return the start of the next element, and the bad ranges of this cluster."""
    if end is not None and end <= size and not _sum_agrees(data, begin, end):
        kind, _, _ = _element(data, end)
        good = end == size or kind in (*TOP, VOID)
        # Readers treat what follows as part of this cluster, up to its stated end.
        onwards = end if good else _next_cluster(data, end, size)
        return onwards, [(at, onwards)]
    stop, place = size if end is None else min(end, size), begin
    while place < stop:
        kind, _, last = _element(data, place)
        if kind in TOP and end is None:
            return place, []
        if kind not in (*INSIDE, CRC, VOID) or last is None:
            onwards = _next_cluster(data, place, size)
            return onwards, [(at, onwards)]
        if last > stop:
            return stop, [(place if stop == size else at, stop)]
        place = last
    return stop, []


def _header_whole(data: BinaryIO, kind: int, begin: int, end: int) -> bool:
    """Return whether a header element's checksum is correct and it has only known children."""
    place = begin
    while place < end:
        child, _, last = _element(data, place)
        if child not in (*CHILDREN[kind], CRC, VOID) or last is None or last > end:
            return False
        place = last
    return _sum_agrees(data, begin, end)


def _sum_agrees(data: BinaryIO, begin: int, end: int) -> bool:
    """True if an element has no checksum or a correct one."""
    kind, first, last = _element(data, begin)
    if kind != CRC or last is None or last - first != 4:
        return True
    data.seek(first)
    checksum, rest, found = int.from_bytes(data.read(4), "little"), end - last, 0
    while rest > 0:
        part = data.read(min(rest, PART))
        if not part:
            return False
        found, rest = zlib.crc32(part, found), rest - len(part)
    return found == checksum


def _element(data: BinaryIO, at: int) -> tuple[int, int, int | None]:
    """Return the id of the element at a position, and the start and stated end of its content."""
    data.seek(at)
    head = data.read(HEAD)
    if not head or not head[0] >> 4:
        return 0, at, None
    id_length = 9 - head[0].bit_length()
    rest = head[id_length:]
    if not rest or not rest[0]:
        return 0, at, None
    length = 9 - rest[0].bit_length()
    value = int.from_bytes(rest[:length], "big") & ((1 << 7 * length) - 1)
    begin = at + id_length + length
    unknown = value == (1 << 7 * length) - 1
    return int.from_bytes(head[:id_length], "big"), begin, None if unknown else begin + value


def _next_cluster(data: BinaryIO, at: int, size: int) -> int:
    """Return the position of the next cluster id, or the end of the file."""
    mark = CLUSTER.to_bytes(4, "big")
    while at < size:
        data.seek(at)
        part = data.read(PART)
        found = part.find(mark)
        if found >= 0:
            return at + found
        if len(part) < PART:
            break
        at += len(part) - len(mark) + 1
    return size
