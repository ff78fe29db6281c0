"""Messages between two processes: plain JSON and raw bytes, each preceded by its length.

Unlike a pickle, a message cannot name code to run.
"""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

import orjson

_LENGTHS = struct.Struct("<QQ")


def send(stream: BinaryIO, message: dict[str, Any], data: bytes | memoryview = b"") -> None:
    """Write one message to an unbuffered stream.

    Raises:
        OSError: the other process does not read any more.
    """
    text = orjson.dumps(message)
    for part in (_LENGTHS.pack(len(text), len(data)), text, data):
        rest = memoryview(part)
        while rest:
            rest = rest[stream.write(rest) :]


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message of an unbuffered stream, or None if the stream has ended."""
    lengths = _whole(stream, _LENGTHS.size)
    if lengths is None:
        return None
    text_length, data_length = _LENGTHS.unpack(lengths)
    text, data = _whole(stream, text_length), _whole(stream, data_length)
    return None if text is None or data is None else (orjson.loads(text), data)


def _whole(stream: BinaryIO, length: int) -> bytes | None:
    parts = []
    while length:
        part = stream.read(min(length, 1 << 20))
        if not part:
            return None
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
