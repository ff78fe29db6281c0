"""Small mask files for samples, and their run lengths, boxes and areas counted by hand."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from surgqa.transforms.readers.base.sample import Box


def grey_png(ids: np.ndarray) -> bytes:
    """8-bit grey PNG of a uint8 (height, width) mask."""
    height, width = ids.shape
    lines = b"".join(b"\0" + line.tobytes() for line in ids)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


def run_lengths(mask: np.ndarray) -> str:
    """COCO's compressed run lengths of a bool (height, width) mask, '' for an empty one."""
    if not mask.any():
        return ""
    down = mask.T.ravel()
    changes = [0, *(np.flatnonzero(down[1:] != down[:-1]) + 1).tolist(), down.size]
    runs = [b - a for a, b in zip(changes, changes[1:], strict=False)]
    if down[0]:
        runs.insert(0, 0)
    text = ""
    for place, run in enumerate(runs):
        value = run - runs[place - 2] if place > 2 else run
        while True:
            five, value = value & 31, value >> 5
            done = value == (-1 if five & 16 else 0)
            text += chr(48 + (five if done else five | 32))
            if done:
                break
    return f"{mask.shape[0]}x{mask.shape[1]}:{text}"


def edges(mask: np.ndarray) -> Box:
    """Shares of the picture at the outer sides of the first and last pixels."""
    height, width = mask.shape
    lines = [y for y in range(height) if mask[y].any()]
    columns = [x for x in range(width) if mask[:, x].any()]
    return (
        columns[0] / width,
        lines[0] / height,
        (columns[-1] + 1) / width,
        (lines[-1] + 1) / height,
    )


def share(mask: np.ndarray) -> float:
    """Share of the pixels that a mask covers."""
    return int(mask.sum()) / mask.size
