"""Cut one clip or one image out of a video, by the presentation times of its frames."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import av
import cv2
import numpy as np

from surgqa.ontology.errors import MediaBroken
from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.transforms.media.colours import Colours, colours_of, put_tags
from surgqa.transforms.media.container import rgb
from surgqa.transforms.media.continuations import ENCODING, coloured, even
from surgqa.transforms.media.film import Film
from surgqa.transforms.media.overlay import Overlay, drawn

QUALITY = 90
"""JPEG quality of images."""
NEAR = 12.0
"""Largest mean difference, of 255, between a decoded frame and the frame that was encoded."""
TICK = Fraction(1, SECOND_US)
"""Clips count time in microseconds, so each frame is shown at its time in the video."""


@dataclass(frozen=True, slots=True)
class CutLook:
    """Settings of how frames are shown in clips and images.

    Attributes:
        size: maximum pixels of the longer side; None: unchanged.
        fps: maximum frames per second that a clip keeps; None: all.
    """

    size: int | None = 768
    fps: Fraction | None = None


@dataclass(frozen=True, slots=True)
class CutFile:
    """A clip or image that was cut.

    Attributes:
        data: H.264 in MP4, or JPEG.
        first_us, last_us: start of the first and of the last frame, in the video's time.
        frames: number of frames.
        lost: indices of frames that could not be decoded and are not in the clip.
    """

    data: bytes
    first_us: int
    last_us: int
    frames: int
    width: int
    height: int
    lost: tuple[int, ...] = ()


class NoPicture(Exception):  # noqa: N818 - an outcome that every caller expects
    """No frame is available where one was requested; the text says where and why."""


Clean = Callable[[np.ndarray], np.ndarray]
"""Function that returns a frame with faces and texts hidden, uint8 (H, W, 3) RGB."""
Shown = tuple[int, np.ndarray]
"""Microseconds from the clip's start, and a frame, uint8 (H, W, 3) RGB."""


def frames_between(film: Film, start_us: int, end_us: int, fps: Fraction | None) -> list[int]:
    """Return the frames on screen in [start, end), at most ``fps`` a second.

    The frame that is on screen at ``start`` is included, even if it began earlier.
    """
    starts = film.table.starts_us
    first, last = (int(np.searchsorted(starts, time)) for time in (start_us, end_us))
    found = list(range(first, last))
    shown = film.on_screen(start_us)
    if shown is not None and shown < first:
        found.insert(0, shown)
    if fps is None:
        return found
    kept, step, due = [], SECOND_US / fps, Fraction(start_us)
    for frame in found:
        if starts[frame] >= due or not kept:
            kept.append(frame)
            due = start_us + (max(0, int(starts[frame]) - start_us) // step + 1) * step
    return kept


def frames_of(
    film: Film, start_us: int, end_us: int, fps: Fraction | None, asked_us: Iterable[int] = ()
) -> list[int]:
    """Return the frames of a clip: at most ``fps`` a second, plus those at the times ``asked_us``.

    Raises:
        NoPicture: no frame is on screen there.
    """
    asked = (film.on_screen(time) for time in asked_us)
    kept = frames_between(film, start_us, end_us, fps)
    frames = sorted({*kept, *(one for one in asked if one is not None)})
    if not frames:
        raise NoPicture(
            f"the recording shows nothing from {print_seconds(start_us)} to "
            f"{print_seconds(end_us)} s"
        )
    return frames


def unseen_of(film: Film, asked_us: Iterable[int], lost: Collection[int]) -> tuple[int, ...]:
    """Return the requested times at which no frame is on screen, or a frame that is ``lost``."""
    shown = ((time, film.on_screen(time)) for time in asked_us)
    return tuple(time for time, one in shown if one is None or one in lost)


def picture_of(
    film: Film, time_us: int, look: CutLook, overlay: Overlay | None = None,
    clean: Clean | None = None,
) -> CutFile:  # fmt: skip
    """Return the frame on screen at a time, as JPEG.

    Args:
        overlay: drawn on the image.
        clean: hides faces and texts; applied before anything else.

    Raises:
        NoPicture: no frame is on screen, or the frame cannot be decoded completely.
        SourceMissing, SourceBroken: the video was removed or damaged.
    """
    frame = film.on_screen(time_us)
    if frame is None:
        raise NoPicture(f"the recording shows nothing at {print_seconds(time_us)} s")
    (found,) = film.decoded([frame])
    if found.picture is None:
        raise NoPicture(f"the picture at {print_seconds(time_us)} s is damaged")
    shown = clean(found.picture) if clean else found.picture
    picture = drawn(resized(shown, look.size), overlay, time_us)
    begins = int(film.table.starts_us[frame])
    height, width = picture.shape[:2]
    return CutFile(jpeg(picture), begins, begins, 1, width, height)


def clip_of(
    film: Film, start_us: int, end_us: int, look: CutLook, asked_us: Iterable[int] = (),
    overlay: Overlay | None = None, clean: Clean | None = None,
) -> CutFile:  # fmt: skip
    """Cut a clip of all frames on screen in [start, end). Time 0 of the clip is ``start_us``.

    The clip's first and last frame are decoded again and compared with the video's.  A damaged
    frame is left out, so the frame before it stays on screen.

    Args:
        asked_us: times whose frames are always in the clip, even if few frames are kept.
        overlay: drawn on every frame, as it is when the frame comes on screen in the clip.
        clean: hides faces and texts in every frame; applied before anything else.

    Raises:
        NoPicture: no frame is on screen there.
        SourceMissing, SourceBroken: the video was removed or damaged.
    """
    frames = frames_of(film, start_us, end_us, look.fps, asked_us)
    kept: list[int] = []
    ends: list[np.ndarray] = []
    decoded = ((one.frame, clean(one.picture) if clean else one.picture)
               for one in film.decoded(frames) if one.picture is not None)  # fmt: skip
    taken = _taken(film, decoded, start_us, look.size, overlay, kept, ends)
    data = _encoded(taken, end_us - start_us, colours_of(film))
    times = [max(0, int(film.table.starts_us[one]) - start_us) for one in (kept[0], kept[-1])]
    _assert_ends(film.name, data, len(kept), times, ends)
    begins = [int(film.table.starts_us[one]) for one in (kept[0], kept[-1])]
    height, width = ends[0].shape[:2]
    lost = tuple(sorted(set(frames).difference(kept)))
    return CutFile(data, *begins, len(kept), width, height, lost)


def _taken(
    film: Film, decoded: Iterable[tuple[int, np.ndarray]], start_us: int, size: int | None,
    overlay: Overlay | None, kept: list[int], ends: list[np.ndarray],
) -> Iterator[Shown]:  # fmt: skip
    """Yield the decodable frames; append their indices to ``kept``, first and last to ``ends``."""
    for frame, picture in decoded:
        begins = max(start_us, int(film.table.starts_us[frame]))
        shown = even(drawn(resized(picture, size), overlay, begins))
        ends[:] = [ends[0] if kept else shown, shown]
        kept.append(frame)
        yield begins - start_us, shown


def resized(picture: np.ndarray, size: int | None) -> np.ndarray:
    """Shrink an image so that its longer side has at most ``size`` pixels."""
    height, width = picture.shape[:2]
    longer = max(height, width)
    if size is None or longer <= size:
        return picture
    wanted = (max(1, round(width * size / longer)), max(1, round(height * size / longer)))
    return cv2.resize(picture, wanted, interpolation=cv2.INTER_AREA)


def jpeg(picture: np.ndarray) -> bytes:
    """Return an image, uint8 (H, W, 3) RGB, as JPEG."""
    options = [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
    return cv2.imencode(".jpg", picture[..., ::-1], options)[1].tobytes()


def _encoded(pictures: Iterator[Shown], length_us: int, colours: Colours) -> bytes:
    """Return the frames as MP4. A frame is shown until the next begins, the last frame to the end.

    Raises:
        NoPicture: there is no frame.
    """
    sink, stream = io.BytesIO(), None
    with av.open(sink, "w", format="mp4", options={"fflags": "+bitexact"}) as box:
        for time_us, picture in pictures:
            if stream is None:
                stream = box.add_stream("libx264", rate=25, options=ENCODING)
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt, stream.time_base = "yuv420p", TICK
                stream.codec_context.time_base = TICK
                put_tags(colours, stream)
            frame = coloured(picture, colours)
            frame.pts, frame.time_base = time_us, TICK
            _mux(box, stream.encode(frame), length_us)
        if stream is None:
            raise NoPicture("not one picture of this stretch can be decoded")
        _mux(box, stream.encode(None), length_us)
    return sink.getvalue()


def _mux(box: av.container.OutputContainer, packets: Iterable[av.Packet], length_us: int) -> None:
    for packet in packets:
        # A frame ends where the next one begins; only the last frame's duration has an effect.
        packet.duration = max(1, length_us - packet.pts)
        box.mux(packet)


def _assert_ends(
    name: str, data: bytes, count: int, times_us: list[int], pictures: list[np.ndarray]
) -> None:
    """Decode the first and the last frame of a clip and compare them with the expected ones.

    Raises:
        SourceBroken: number, times or pixels differ.
    """
    with av.open(io.BytesIO(data), "r") as box:
        stream = box.streams.video[0]
        first = next(box.decode(stream))
        box.seek(times_us[1], stream=stream, backward=True)
        *_, last = box.decode(stream)  # from the last key frame on
        frames = stream.frames
    times = [round(one.pts * one.time_base * SECOND_US) for one in (first, last)]
    off = [
        float(np.abs(rgb(one).astype(np.int16) - meant).mean())
        for one, meant in zip((first, last), pictures, strict=True)
    ]
    if frames != count or times != times_us or max(off) > NEAR:
        raise MediaBroken(
            f"a clip of {name} differs from its frames", where=name,
            expected=f"{count} frames, the first at {times_us[0]} and the last at {times_us[1]} µs",
            found=f"{frames} frames at {times[0]} and {times[1]} µs, differences {off}",
            fix="report this with the file's codec and rate",
        )  # fmt: skip
