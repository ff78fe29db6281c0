"""Cut a frame, and the clip that begins with it, out of a video."""

from __future__ import annotations

import io
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

import av
import cv2
import numpy as np

from surgqa.ontology.errors import MediaBroken, Mismatched
from surgqa.ontology.times import print_seconds
from surgqa.transforms.media.colours import Colours, colours_of, planes, put_tags
from surgqa.transforms.media.film import Film
from surgqa.transforms.places import Place, write_whole

ENCODING = {
    "preset": "veryfast",
    "qp": "18",
    "g": "24",
    "threads": "1",
    "x264-params": "subme=0:ref=1:bframes=0:trellis=0:rc-lookahead=0:weightp=0"
    ":aq-mode=0:mbtree=0:scenecut=0:chromaloc=1",
}
"""One encoder thread, constant quality and no lookahead, so the same frames give the same bytes.
A key frame every 24 frames lets a player seek quickly.  ``chromaloc=1`` states that a chroma
sample is the centre of its four pixels."""


def write_continuation(
    film: Film, first: int, count: int, fps: Fraction, picture: Place, clip: Place
) -> None:
    """Write frame ``first`` as PNG, and ``count`` frames, beginning with it, as an H.264 video.

    Each frame is shown for 1 / fps seconds.  The PNG holds the decoded pixels of the first frame.
    The clip has the video's colour tags; see :func:`transforms.media.colours.colours_of`.
    Nothing is written before everything is encoded.

    Args:
        first: frame index, from 0.
        fps: constant rate of the video and of the clip.
        picture: the ``.png`` to write.
        clip: the ``.mp4`` to write; it contains no creation time.

    Raises:
        UserError: the video has another rate, a varying rate or a gap here.
        SourceMissing: the video was removed.
        SourceBroken: the video ends before the last frame, or a frame cannot be decoded.
    """
    starts = film.table.starts_us[first : first + count]
    if first < 0 or len(starts) < count:
        raise MediaBroken(
            f"{film.name} ends before the last frame of the clip to cut", where=film.name,
            expected=f"frames {first} to {first + count - 1}",
            found=f"{len(film.table.starts_us)} frames",
            fix="compare the file with the dataset's published length; it may be cut short",
        )  # fmt: skip
    _check_rate(film, first, count, fps)
    pictures = _pictures(film, first, count)
    head = next(pictures)
    film_bytes = _encoded(head, pictures, fps, colours_of(film))
    write_whole(picture, cv2.imencode(".png", head[..., ::-1])[1].tobytes())
    write_whole(clip, film_bytes)


def _check_rate(film: Film, first: int, count: int, fps: Fraction) -> None:
    """Require that frames are within half a frame of the times that the rate gives."""
    starts = film.table.starts_us[first : first + count]
    exact = np.arange(count, dtype=np.float64) * float(1_000_000 / fps)
    off = np.flatnonzero(np.abs(starts - starts[0] - exact) > float(500_000 / fps))
    if len(off):
        at = int(starts[off[0]])
        raise Mismatched(
            f"{film.name} has another rate or a gap at {print_seconds(at)} s", where=film.name,
            expected=f"a frame every 1/{fps} s", fix="give the recording's own, constant rate",
            found=f"frame {first + int(off[0])} at {print_seconds(at, 3)} s",
        )  # fmt: skip


def _pictures(film: Film, first: int, count: int) -> Iterator[np.ndarray]:
    for one in film.decoded(range(first, first + count)):
        if one.picture is None:
            at = print_seconds(int(film.table.starts_us[one.frame]))
            raise MediaBroken(
                f"{film.name} is damaged at {at} s", where=film.name, fix="fetch the file again",
                found=one.fault.name.lower().replace("_", " "),
            )  # fmt: skip
        yield one.picture


def _encoded(
    head: np.ndarray, rest: Iterator[np.ndarray], fps: Fraction, colours: Colours
) -> bytes:
    sink = io.BytesIO()
    with av.open(sink, "w", format="mp4", options={"fflags": "+bitexact"}) as box:
        stream = box.add_stream("libx264", rate=fps, options=ENCODING)
        stream.height, stream.width = even(head).shape[:2]
        stream.pix_fmt = "yuv420p"
        put_tags(colours, stream)
        for one in chain([head], rest):
            box.mux(stream.encode(coloured(even(one), colours)))
        box.mux(stream.encode(None))
    return sink.getvalue()


def even(picture: np.ndarray) -> np.ndarray:
    """Return the image with even height and width, by repeating its last row or column."""
    height, width = picture.shape[:2]
    if not (height % 2 or width % 2):
        return picture
    return np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")


def coloured(picture: np.ndarray, colours: Colours) -> av.VideoFrame:
    """Return the image as an encoder's frame; the padding of rows is filled too."""
    height, width = picture.shape[:2]
    frame = av.VideoFrame(width, height, "yuv420p")
    frame.colorspace, frame.color_range = colours.matrix, colours.span
    for plane, part in zip(frame.planes, planes(picture, colours), strict=True):
        rows = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
        rows[: plane.height, : plane.width] = part
        rows[: plane.height, plane.width :] = part[:, -1:]
        rows[plane.height :] = rows[plane.height - 1]
    return frame
