"""Find where the sequence of chunks in an AVI file breaks."""

from __future__ import annotations

from typing import BinaryIO

RIFF, LIST = b"RIFF", b"LIST"
INNER = (b"movi", b"rec ")
KINDS = (b"dc", b"db", b"wb", b"tx", b"pc")
"""Last letters of chunk names: video, sound, text, palettes."""
OTHERS = (b"JUNK", b"idx1")
HEAD = 12


def broken_at(data: BinaryIO, size: int) -> int | None:
    """Position of the last chunk before invalid data, or of a chunk cut off by the file's end.

    The result is None if the file has neither. Frames of an AVI are counted, so all frames after a
    lost frame would come too early. A file that ends too soon is good up to its end.
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
