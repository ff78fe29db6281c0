"""Convert RGB images to luma and chroma planes for an encoder, by a video's colour tags.

The tags state how a player converts planes to red, green and blue. Without tags, a player that
guesses another conversion than the writer's shows wrong colours. So a clip has the tags of the
video from which it was cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import av
import numpy as np

from surgqa.ontology.records import MediaKind
from surgqa.transforms.media.container import opened, picture_track
from surgqa.transforms.media.film import Film

UNSAID = 2
"""Code of an unknown matrix, primaries or transfer; all codes are of ITU-T H.273."""
BT601 = 6
RED_BLUE = {
    1: (2126, 722),
    4: (3000, 1100),
    5: (2990, 1140),
    BT601: (2990, 1140),
    7: (2120, 870),
    9: (2627, 593),
}
"""Matrix -> weights of red and of blue in luma, in ten-thousandths."""
LIMITED, FULL = 1, 2
"""Range: luma 16 to 235 and chroma 16 to 240, or both 0 to 255."""
STRIPE = 32
"""Rows converted at a time, few enough for a processor's cache."""
BITS = 16
"""Bits of the fixed-point factors; integers give the same planes on every machine."""


@dataclass(frozen=True, slots=True)
class Colours:
    """Colour tags of a video.

    Attributes:
        matrix: a key of RED_BLUE.
        span: LIMITED or FULL.
        primaries, transfer: codes, copied unchanged.
    """

    matrix: int = BT601
    span: int = LIMITED
    primaries: int = UNSAID
    transfer: int = UNSAID


def colours_of(film: Film) -> Colours:
    """Return the tags of a video; BT.601 and limited range if the video has no usable tags.

    The decoder uses BT.601 and limited range if the file has no tags. The clip is tagged with them
    as well, so that it looks like an image of the same frame in any player. Images have no tags,
    and planes of red, green and blue have no matrix.

    Raises:
        SourceMissing, SourceBroken: the file was removed or cannot be opened.
    """
    if film.kind is not MediaKind.VIDEO:
        return Colours()
    with opened(film.path, film.name) as container:
        codec = picture_track(container).codec_context
        whole = FULL in (codec.color_range, _range_of(codec.pix_fmt))
        matrix = int(codec.colorspace)
        plain = codec.format is None or not codec.format.is_rgb
        return Colours(
            matrix if matrix in RED_BLUE else BT601,
            FULL if whole and plain else LIMITED,
            int(codec.color_primaries),
            int(codec.color_trc),
        )


def _range_of(pixels: str | None) -> int:
    """Return the range of a pixel format; some old formats imply full range by their name."""
    return FULL if (pixels or "").startswith("yuvj") else LIMITED


def put_tags(colours: Colours, stream: av.VideoStream) -> None:
    """Set the colour tags of a stream before it is encoded."""
    codec = stream.codec_context
    codec.colorspace, codec.color_range = colours.matrix, colours.span
    codec.color_primaries, codec.color_trc = colours.primaries, colours.transfer


def planes(picture: np.ndarray, colours: Colours) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Luma, blue-difference and red-difference planes; chroma has half the height and width.

    Args:
        picture: uint8 (H, W, 3) RGB, H and W even.

    Returns:
        uint8 (H, W), (H / 2, W / 2), (H / 2, W / 2); a chroma value is the mean of four pixels.
    """
    height, width = picture.shape[:2]
    half = (height // 2, width // 2)
    out = (np.empty((height, width), np.uint8), np.empty(half, np.uint8), np.empty(half, np.uint8))
    factors = _factors(colours)
    low = 16 if colours.span == LIMITED else 0
    for top in range(0, height, STRIPE):
        whole = [picture[top : top + STRIPE, :, k].astype(np.int32) for k in range(3)]
        rows = [one[0::2] + one[1::2] for one in whole]
        quads = [one[:, 0::2] + one[:, 1::2] for one in rows]
        out[0][top : top + STRIPE] = _weighed(whole, factors[0], low, BITS)
        for plane, mine in zip(out[1:], factors[1:], strict=True):
            plane[top // 2 : (top + STRIPE) // 2] = _weighed(quads, mine, 128, BITS + 2)
    return out


def _weighed(parts: list[np.ndarray], factors: list[int], zero: int, bits: int) -> np.ndarray:
    """Return the weighted sum of red, green and blue, rounded, halves up, limited to 255."""
    total, part = parts[0] * factors[0], np.empty_like(parts[0])
    for one, factor in zip(parts[1:], factors[1:], strict=True):
        total += np.multiply(one, factor, out=part)
    total += (zero << bits) + (1 << (bits - 1))
    total >>= bits
    return np.minimum(total, 255, out=total)


def _factors(colours: Colours) -> tuple[list[int], list[int], list[int]]:
    """Return the factors of red, green and blue for each plane.

    The factors of luma sum to its range, the factors of chroma to 0.
    """
    red, blue = RED_BLUE[colours.matrix]
    shares = (red, 10_000 - red - blue, blue)
    heights = (219, 224) if colours.span == LIMITED else (255, 255)
    tall, wide = ((one << BITS) // 255 for one in heights)
    bright = [round(tall * one / 10_000) for one in shares]
    bright[1] = tall - bright[0] - bright[2]
    to_blue = [round(-wide * one / (2 * (10_000 - blue))) for one in shares]
    to_blue[2] = -to_blue[0] - to_blue[1]
    to_red = [round(-wide * one / (2 * (10_000 - red))) for one in shares]
    to_red[0] = -to_red[1] - to_red[2]
    return bright, to_blue, to_red
