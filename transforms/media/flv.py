"""Check the tags of an FLV file: a tag's length is stated before and after its content."""

from __future__ import annotations

import re
from typing import BinaryIO

HEADER, HEAD, TAIL = 9, 11, 4
COUNTED = (HEAD, HEAD - 1, 0)
"""Bytes of a tag's header that writers include in the length after it."""
LIKE = re.compile(rb"(?=[\x08\x09\x12\x28\x29\x32].{7}\0\0\0)", re.DOTALL)
"""A tag's header: audio, video or script, encrypted or not, and a stream id of 0."""
PART = 1 << 20


def bad_bytes(data: BinaryIO, size: int) -> list[tuple[int, int]]:
    """Return ranges [first, last) that are not valid tags."""
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
    """Return the end of the tag at a position; None if there is no complete tag."""
    data.seek(at)
    head = data.read(HEAD)
    if not LIKE.match(head):
        return None
    long = int.from_bytes(head[1:4], "big")
    end = at + HEAD + long
    if end + TAIL > size:
        return None
    data.seek(end)
    stated = int.from_bytes(data.read(TAIL), "big")
    return end + TAIL if stated - long in COUNTED else None


def _next(data: BinaryIO, at: int, size: int) -> int:
    """Return the position of the next complete tag, or the end of the file."""
    while at < size:
        data.seek(at)
        for found in LIKE.finditer(data.read(PART + HEAD - 1)):
            if _end(data, at + found.start(), size) is not None:
                return at + found.start()
        at += PART
    return size
