"""What a video file says about itself: exact rate, length, size, rotation, frame count."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import av

from ontology.errors import SourceBroken
from ontology.times import SECOND_US, round_half_up
from transforms.media.container import opened, packets, rotation
from transforms.places import Place


@dataclass(frozen=True, slots=True)
class Container:
    """Facts of one video file.

    Attributes:
        fps: mean rate as the container states it, exact.
        constant_rate: all frames equally long, or None where the packets were not read.
        duration_us: from the first frame's start to the last one's end.
        width, height: pixels as shown, that is after ``rotation``.
        rotation: degrees counter-clockwise the decoder's picture must be turned.
        frames: number of frames; the header's where the packets were not read, 0 when
            the header does not say.
        counted: whether the packets were read.
        start_us: presentation time of the first frame; the video's time 0.
    """

    fps: Fraction
    constant_rate: bool | None
    duration_us: int
    width: int
    height: int
    rotation: int
    frames: int
    counted: bool
    start_us: int
    codec: str
    pixel_format: str


def probe(path: Place, name: str, *, count: bool = False) -> Container:
    """Facts of a video file.

    Args:
        path: the file.
        name: its path relative to the dataset's root, for messages.
        count: read all packets (without decoding) so that number, length and
            constancy are measured.  A header may promise more than a file that was
            cut short holds, and Matroska and transport streams promise nothing.

    Raises:
        SourceMissing: no such file.
        SourceBroken: not a video, or no frame of it can be decoded.
    """
    times, lengths = _counted(path, name) if count else ([], [])
    with opened(path, name) as container:
        stream = container.streams.video[0]
        first = _first(container, stream, name)
        turn = rotation(first)
        start = first.pts * stream.time_base
        width, height = first.width, first.height
        sideways = turn % 180 != 0
        return Container(
            fps=Fraction(stream.average_rate or stream.guessed_rate),
            constant_rate=_constant(times) if count else None,
            duration_us=_duration_us(container, stream, times, lengths, start),
            width=height if sideways else width,
            height=width if sideways else height,
            rotation=turn,
            frames=len(times) if count else stream.frames,
            counted=count,
            start_us=round_half_up(start * SECOND_US),
            codec=stream.codec_context.name,
            pixel_format=stream.codec_context.pix_fmt or "",
        )


def _counted(path: Place, name: str) -> tuple[list[int], list[int]]:
    """Presentation times, ascending, and lengths in the stream's time base."""
    with opened(path, name) as container:
        pairs = sorted(
            (packet.pts, packet.duration or 0)
            for packet in packets(container, container.streams.video[0])
            if packet.pts is not None and packet.size
        )
    return [p for p, _ in pairs], [d for _, d in pairs]


def _first(container, stream, name: str) -> av.VideoFrame:
    try:
        frame = next((f for f in container.decode(stream) if f.pts is not None), None)
    except av.error.InvalidDataError:
        frame = None
    if frame is None:
        raise SourceBroken(f"{name} holds no decodable frame", where=name)
    return frame


def _constant(times: list[int]) -> bool:
    """Whether all steps agree to one tick (a rate the time base cannot hold alternates)."""
    steps = [b - a for a, b in zip(times, times[1:], strict=False)]
    return not steps or max(steps) - min(steps) <= 1


def _duration_us(container, stream, times, lengths, start: Fraction) -> int:
    if times:
        end = (times[-1] + lengths[-1]) * stream.time_base
        return round_half_up((end - start) * SECOND_US)
    if stream.duration:
        return round_half_up(stream.duration * stream.time_base * SECOND_US)
    return int(container.duration or 0)
