"""Pictures for an encoder: brightness and colour planes by the matrix that a film is tagged with.

A film's tags say how its planes are to be turned into red, green and blue.  A film that is
written without them is shown in other colours by every player that guesses otherwise than
its writer, so that a clip carries the tags of the recording it was cut from.
"""

from __future__ import annotations

from dataclasses import dataclass

import av
import numpy as np

from ontology.records import MediaKind
from transforms.media.container import opened, picture_track
from transforms.media.film import Film

UNSAID = 2
"""Code of a matrix, primaries or transfer that is not known; all codes are of ITU-T H.273."""
BT601 = 6
RED_BLUE = {
    1: (2126, 722),
    4: (3000, 1100),
    5: (2990, 1140),
    BT601: (2990, 1140),
    7: (2120, 870),
    9: (2627, 593),
}
"""Matrix -> shares of red and of blue in brightness, in ten-thousandths."""
LIMITED, FULL = 1, 2
"""Range: brightness from 16 to 235 and colour from 16 to 240, or both from 0 to 255."""
STRIPE = 32
"""Rows that are turned at a time, few enough for a processor's cache."""
BITS = 16
"""Of the fixed-point factors: whole numbers, so that every machine gives the same planes."""


@dataclass(frozen=True, slots=True)
class Colours:
    """Tags of a film.

    Attributes:
        matrix: a key of RED_BLUE.
        span: LIMITED or FULL.
        primaries, transfer: codes, handed on as they are.
    """

    matrix: int = BT601
    span: int = LIMITED
    primaries: int = UNSAID
    transfer: int = UNSAID


def colours_of(film: Film) -> Colours:
    """The tags of a film; BT.601 and the limited range where it has none that can be written.

    These two are what its pictures were decoded by if it says nothing, so a clip is tagged
    with them even then: it looks like the picture cut from the same frame in any player.
    Images have none, and planes of red, green and blue have no matrix.

    Raises:
        SourceMissing, SourceBroken: the file went away or cannot be opened.
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
    """Some old formats have the full range by their name."""
    return FULL if (pixels or "").startswith("yuvj") else LIMITED


def put_tags(colours: Colours, stream: av.VideoStream) -> None:
    """Tag a stream that is about to be encoded."""
    codec = stream.codec_context
    codec.colorspace, codec.color_range = colours.matrix, colours.span
    codec.color_primaries, codec.color_trc = colours.primaries, colours.transfer


def planes(picture: np.ndarray, colours: Colours) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Brightness, blue and red difference of a picture; the colours at half the size.

    Args:
        picture: uint8 (H, W, 3) RGB, both sides even.

    Returns:
        uint8 (H, W), (H / 2, W / 2), (H / 2, W / 2); a colour is the mean of its four pixels.
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
    """The weighted sum of red, green and blue, rounded, halves up."""
    total, part = parts[0] * factors[0], np.empty_like(parts[0])
    for one, factor in zip(parts[1:], factors[1:], strict=True):
        total += np.multiply(one, factor, out=part)
    total += (zero << bits) + (1 << (bits - 1))
    total >>= bits
    return np.minimum(total, 255, out=total)


def _factors(colours: Colours) -> tuple[list[int], list[int], list[int]]:
    """Of red, green and blue in each plane; brightness sums to its range, colours to 0."""
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
