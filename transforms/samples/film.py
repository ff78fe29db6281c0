"""Write a small AVI video file of sample images without a video library."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from surgqa.transforms.samples.pictures import HEIGHT, WIDTH, jpeg, picture

_HAS_INDEX, _KEY_FRAME = 0x10, 0x10


def film(frames: int, rate: int) -> bytes:
    """Motion JPEG of 64 x 48 pixels with this many frames; each shows its number."""
    return avi([jpeg(picture(frame % 1000, [], [])) for frame in range(frames)], rate)


def avi(pictures: Sequence[bytes], rate: int) -> bytes:
    """JPEG images as an AVI file (RIFF) with an index, at ``rate`` frames per second."""
    largest = max(map(len, pictures))
    main = struct.pack(
        "<14I", 10**6 // rate, largest * rate, 0, _HAS_INDEX, len(pictures), 0, 1, largest,
        WIDTH, HEIGHT, 0, 0, 0, 0,
    )  # fmt: skip
    stream = struct.pack(
        "<4s4sIHHIIIIIIII4H", b"vids", b"MJPG", 0, 0, 0, 0, 1, rate, 0, len(pictures), largest,
        0, 0, 0, 0, WIDTH, HEIGHT,
    )  # fmt: skip
    form = struct.pack(
        "<IiiHH4sIiiII", 40, WIDTH, HEIGHT, 1, 24, b"MJPG", WIDTH * HEIGHT * 3, 0, 0, 0, 0
    )
    about = _list(b"strl", _chunk(b"strh", stream) + _chunk(b"strf", form))
    index, body = b"", b""
    for data in pictures:
        # Offsets are relative to the list's four-letter type.
        index += struct.pack("<4sIII", b"00dc", _KEY_FRAME, 4 + len(body), len(data))
        body += _chunk(b"00dc", data)
    whole = _list(b"hdrl", _chunk(b"avih", main) + about)
    return _chunk(b"RIFF", b"AVI " + whole + _list(b"movi", body) + _chunk(b"idx1", index))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def _list(kind: bytes, body: bytes) -> bytes:
    return _chunk(b"LIST", kind + body)
