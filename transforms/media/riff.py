"""AVI by its chunks: where the row of pictures and sound breaks."""

from __future__ import annotations

from typing import BinaryIO

RIFF, LIST = b"RIFF", b"LIST"
INNER = (b"movi", b"rec ")
KINDS = (b"dc", b"db", b"wb", b"tx", b"pc")
"""Ends of the names of chunks: pictures, sound, text, palettes."""
OTHERS = (b"JUNK", b"idx1")
HEAD = 12


def broken_at(data: BinaryIO, size: int) -> int | None:
    """The last chunk before what is none, or the one that the end cuts off; None without either.

    Pictures of an AVI are counted, so that behind a lost one all come early.  A file that
    ends before its time is whole up to there.
    """
    at = before = 0
    while at + 8 <= size:
        data.seek(at)
        head = data.read(HEAD)
        name, long, kind = head[:4], int.from_bytes(head[4:8], "little"), head[8:12]
        if (name == RIFF and kind in (b"AVI ", b"AVIX")) or (name == LIST and kind in INNER):
            before, at = at, at + HEAD
        elif name == LIST or name in OTHERS or _frames(name):
            before, at = at, at + 8 + long + long % 2
        else:
            return before
    return before if at > size + 1 else None


def _frames(name: bytes) -> bool:
    return (name[:2].isdigit() and name[2:] in KINDS) or name[:2] == b"ix"
