"""Find incomplete images in a GIF file, and where its structure breaks."""

from __future__ import annotations

from typing import BinaryIO

HEADER, DESCRIPTOR = 13, 9
IMAGE, EXTENSION, TRAILER = 0x2C, 0x21, 0x3B
WIDEST = 12
"""Maximum number of bits of a code."""


def bad_bytes(data: BinaryIO, size: int) -> list[tuple[int, int]]:
    """Return the ranges of incomplete images, and from the first invalid block to the end."""
    data.seek(0)
    head = data.read(HEADER)
    at = HEADER + _colours(head[10:11])
    frame = at  # an image begins with the extension before it
    bad = list[tuple[int, int]]()
    while at < size:
        data.seek(at)
        kind = data.read(1)[0]
        if kind == TRAILER:
            return bad
        end, whole = None, True
        if kind == IMAGE:
            end, whole = _image(data, at + 1, size)
        elif kind == EXTENSION:
            end, _ = _blocks(data, at + 2, size)
        if end is None:
            break
        if not whole:
            bad.append((frame, end))
        at, frame = end, end if kind == IMAGE else frame
    return [*bad, (frame, max(size, frame + 1))]


def _image(data: BinaryIO, at: int, size: int) -> tuple[int | None, bool]:
    """Return the end of an image (None if it is cut off), and whether its codes fill it exactly."""
    data.seek(at)
    descriptor = data.read(DESCRIPTOR)
    width, height = (int.from_bytes(descriptor[n : n + 2], "little") for n in (4, 6))
    at += DESCRIPTOR + _colours(descriptor[8:9])
    data.seek(at)
    least = data.read(1)
    end, codes = _blocks(data, at + 1, size)
    return end, bool(least) and least[0] < WIDEST and _filled(codes, least[0], width * height)


def _filled(codes: bytes, least: int, pixels: int) -> bool:
    """Return whether LZW codes give exactly ``pixels`` pixels; colours are not checked.

    Args:
        least: bits per pixel.
    """
    clear = 1 << least
    lengths = [1] * clear + [0, 0]
    width, bits, held, before, total = least + 1, 0, 0, 0, 0
    for byte in codes:
        held |= byte << bits
        bits += 8
        while bits >= width:
            code, held, bits = held & ((1 << width) - 1), held >> width, bits - width
            if code == clear:
                del lengths[clear + 2 :]
                width, before = least + 1, 0
                continue
            if code == clear + 1:
                return total == pixels
            if code > len(lengths) or (code == len(lengths) and not before):
                return False
            long = lengths[code] if code < len(lengths) else before + 1
            if before and len(lengths) < 1 << WIDEST:
                lengths.append(before + 1)
                width += len(lengths) == 1 << width and width < WIDEST
            before, total = long, total + long
            if total > pixels:
                return False
    return total == pixels


def _colours(flags: bytes) -> int:
    """Return the number of bytes of the colour table that follows."""
    if not flags or not flags[0] & 0x80:
        return 0
    return 3 << (flags[0] & 7) + 1


def _blocks(data: BinaryIO, at: int, size: int) -> tuple[int | None, bytes]:
    """Return the end of a sequence of length-prefixed blocks, and the blocks' content.

    The end is None if the sequence is cut off.
    """
    parts = []
    while at < size:
        data.seek(at)
        length = data.read(1)[0]
        parts.append(data.read(length))
        at += 1 + length
        if not length:
            return at, b"".join(parts)
    return None, b""
