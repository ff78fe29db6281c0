"""Make tiny PNG and JPEG images for samples: coloured rectangles and a clock on a dark ground.

The encoders are written here, so that a sample needs no imaging library and has the same pixels
everywhere.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np

WIDTH, HEIGHT = 64, 48
GROUND = (70, 30, 30)
COLOURS = (
    (230, 200, 60), (60, 160, 230), (90, 210, 90), (230, 120, 200), (240, 140, 50), (150, 110, 230),
)  # fmt: skip
# Pixels of the digits 0 to 9: five rows each, as a number whose three bits are the columns.
_DIGITS = ("75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111", "75757", "75717")

# Number of Huffman codes of each length, and their symbols, for DC differences
# (ITU-T T.81, table K.3).
_DC_LENGTHS = (0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0)


def picture(
    second: int, boxes_xyxy: Sequence[tuple[float, float, float, float]], colours: Sequence[int]
) -> np.ndarray:
    """Return uint8 (48, 64, 3): a filled rectangle for each box, and the second in a corner."""
    image = np.full((HEIGHT, WIDTH, 3), GROUND, dtype=np.uint8)
    for (x1, y1, x2, y2), colour in zip(boxes_xyxy, colours, strict=True):
        columns = slice(max(0, round(x1 * WIDTH)), min(WIDTH, round(x2 * WIDTH)))
        lines = slice(max(0, round(y1 * HEIGHT)), min(HEIGHT, round(y2 * HEIGHT)))
        image[lines, columns] = COLOURS[colour % len(COLOURS)]
    for place, digit in enumerate(str(second)):
        bits = [
            [int(row) >> (2 - column) & 1 for column in range(3)] for row in _DIGITS[int(digit)]
        ]
        left = 2 + 4 * place
        image[2:7, left : left + 3][np.array(bits, dtype=bool)] = 255
    return image


def png(image: np.ndarray) -> bytes:
    """Return an 8-bit PNG of a uint8 image (height, width, 3) or grey mask (height, width)."""
    height, width = image.shape[:2]
    lines = b"".join(b"\0" + line.tobytes() for line in image)
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if image.ndim == 3 else 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


def jpeg(image: np.ndarray) -> bytes:
    """Return a JPEG of an image, uint8 (height, width, 3); each 8 x 8 block gets its mean colour.

    Sides must be multiples of 8.  Only the DC coefficients are written.
    """
    height, width, _ = image.shape
    blocks = image.reshape(height // 8, 8, width // 8, 8, 3).mean(axis=(1, 3)).reshape(-1, 3)
    red, green, blue = blocks.T
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    colour = (luma - 128, (blue - luma) / 1.772, (red - luma) / 1.402)
    levels = np.rint(np.stack(colour, axis=1)).astype(int)
    steps = np.diff(levels, axis=0, prepend=0)
    bits = "".join(_dc_bits(int(step)) + "0" for step in steps.ravel())
    bits += "1" * (-len(bits) % 8)
    scan = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
    parts = (1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0)
    return b"".join(
        (
            b"\xff\xd8",
            _segment(0xDB, bytes([0, *[8] * 64])),  # a DC step of 8 is one grey level
            _segment(0xC0, struct.pack(">BHHB", 8, height, width, 3) + bytes(parts)),
            _segment(0xC4, bytes([0x00, *_DC_LENGTHS, *range(12)])),
            _segment(0xC4, bytes([0x10, 1, *[0] * 15, 0])),  # one AC code: end of block
            _segment(0xDA, bytes([3, 1, 0, 2, 0, 3, 0, 0, 63, 0])),
            scan,
            b"\xff\xd9",
        )
    )


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _dc_bits(step: int) -> str:
    """Return the Huffman code of the difference's size, then the bits (ITU-T T.81, F.1.2.1)."""
    size = abs(step).bit_length()
    value = step if step > 0 else step + (1 << size) - 1
    return _DC_CODES[size] + (f"{value:0{size}b}" if size else "")


def _huffman_codes(lengths: Sequence[int]) -> list[str]:
    codes, code = [], 0
    for length, count in enumerate(lengths, start=1):
        for _ in range(count):
            codes.append(f"{code:0{length}b}")
            code += 1
        code <<= 1
    return codes


_DC_CODES = _huffman_codes(_DC_LENGTHS)


_HAS_INDEX, _KEY_FRAME = 0x10, 0x10


def film(frames: int, rate: int) -> bytes:
    """Return a Motion JPEG film of 64 x 48 pixels, in which each frame shows its number."""
    return avi([jpeg(picture(frame % 1000, [], [])) for frame in range(frames)], rate)


def avi(pictures: Sequence[bytes], rate: int) -> bytes:
    """Return an AVI file (RIFF) with an index, made of JPEG images; ``rate``: frames per second."""
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
