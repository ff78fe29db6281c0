"""FLV by its tags: each says how long it is, and the number behind it says so again."""

from __future__ import annotations

from typing import BinaryIO

KINDS = (8, 9, 18)
"""Sound, pictures, script."""
KIND = 0x1F
HEADER, HEAD, TAIL = 9, 11, 4
COUNTED = (HEAD, HEAD - 1, 0)
"""Bytes of a tag's head that writers count into the number behind it."""
PART = 1 << 20


def bad_bytes(data: BinaryIO, size: int) -> list[tuple[int, int]]:
    """Ranges [first, last) that are no tags."""
    data.seek(0)
    at = int.from_bytes(data.read(HEADER)[5:9], "big") + TAIL
    if not 0 < at < size:
        at = HEADER + TAIL
    bad = list[tuple[int, int]]()
    while at < size:
        end = _end(data, at, size)
        if end is None:
            end = _next(data, at + 1, size)
            bad.append((at, end))
        at = end
    return bad


def _end(data: BinaryIO, at: int, size: int) -> int | None:
    """End of the tag at a place; None where there is none that is whole."""
    data.seek(at)
    head = data.read(HEAD)
    if len(head) < HEAD or head[0] & KIND not in KINDS or any(head[8:11]):
        return None
    long = int.from_bytes(head[1:4], "big")
    end = at + HEAD + long
    if end + TAIL > size:
        return None
    data.seek(end)
    told = int.from_bytes(data.read(TAIL), "big")
    return end + TAIL if told - long in COUNTED else None


def _next(data: BinaryIO, at: int, size: int) -> int:
    """Where a whole tag stands next, or the end of the file."""
    while at < size:
        data.seek(at)
        part = data.read(PART)
        for place in range(len(part)):
            kind = part[place] & KIND in KINDS and not any(part[place + 8 : place + HEAD])
            if kind and _end(data, at + place, size) is not None:
                return at + place
        at += len(part)
    return size
