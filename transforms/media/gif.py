"""GIF by its blocks: where it stops being one."""

from __future__ import annotations

from typing import BinaryIO

HEADER, DESCRIPTOR = 13, 9
IMAGE, EXTENSION, TRAILER = 0x2C, 0x21, 0x3B


def bad_bytes(data: BinaryIO, size: int) -> list[tuple[int, int]]:
    """The bytes from the first block on that is none, or that is not whole; empty if sound."""
    data.seek(0)
    head = data.read(HEADER)
    at = HEADER + _colours(head[10:11])
    frame = at  # a picture begins with the extension before it
    while at < size:
        data.seek(at)
        kind = data.read(1)[0]
        if kind == TRAILER:
            return []
        if kind == IMAGE:
            told = data.read(DESCRIPTOR)
            end = _blocks(data, at + 1 + DESCRIPTOR + _colours(told[8:9]) + 1, size)
        elif kind == EXTENSION:
            end = _blocks(data, at + 2, size)
        else:
            end = None
        if end is None:
            return [(frame, size)]
        at, frame = end, end if kind == IMAGE else frame
    return [(frame, size)]


def _colours(flags: bytes) -> int:
    """Bytes of the table of colours that follows."""
    if not flags or not flags[0] & 0x80:
        return 0
    return 3 << (flags[0] & 7) + 1


def _blocks(data: BinaryIO, at: int, size: int) -> int | None:
    """End of a row of blocks, each with its length before it; None where it is cut off."""
    while at < size:
        data.seek(at)
        length = data.read(1)[0]
        at += 1 + length
        if not length:
            return at
    return None
