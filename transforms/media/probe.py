"""Facts that a video file states: exact rate, length, size, rotation, frame count."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import av

from surgqa.ontology.errors import MediaBroken
from surgqa.ontology.times import SECOND_US, round_half_up
from surgqa.transforms.media.container import Packets, opened, picture_track, rotation
from surgqa.transforms.media.promise import promise
from surgqa.transforms.media.trust import Decoder
from surgqa.transforms.places import Place

SEARCHED = 300
"""Frames searched for a trusted one, from which size and rotation are taken."""


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """One stream of a container.

    Attributes:
        kind: ``video``, ``audio``, ``subtitle``, ``data`` or ``attachment``.
        codec: FFmpeg's name; empty for a codec that it does not know.
        language: ISO 639 code that the file states, or None.
        default: True if the file marks the stream as the default track.
        cover: a cover image of a sound file.
        rate, channels: samples per second and channels of sound, otherwise None.
        starts_us: start on the container's clock, or None if it is not stated.
    """

    kind: str
    codec: str
    language: str | None
    default: bool
    cover: bool
    rate: int | None
    channels: int | None
    starts_us: int | None


@dataclass(frozen=True, slots=True)
class Container:
    """Facts of one video file.

    Attributes:
        fps: mean rate that the container states, exact.
        constant_rate: all frames have the same length; None if the packets were not read.
        duration_us: from the start of the first frame to the end of the last.
        width, height: pixels as shown, after ``rotation``.
        rotation: degrees counter-clockwise by which decoded frames must be turned.
        frames: number of frames. If the packets were not read, it is the header's number, or 0 if
            the header states none.
        counted: the packets were read.
        start_us: presentation time of the first frame, which is the video's time 0.
        format: FFmpeg's name of the container format.
        streams: all streams, in the file's order.
        promised_us: length of the video stream that the header states, or None.
        promised: number of frames that the header states, or None.
        size: bytes.
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
    format: str = ""
    streams: tuple[StreamInfo, ...] = ()
    promised_us: int | None = None
    promised: int | None = None
    size: int = 0

    @property
    def plain(self) -> dict[str, Any]:
        """The facts as plain JSON; the rate is [numerator, denominator]."""
        facts = asdict(self)
        facts["fps"] = [self.fps.numerator, self.fps.denominator]
        facts["streams"] = [asdict(track) for track in self.streams]
        return facts


def probe(path: Place, name: str, *, count: bool = False) -> Container:
    """Read the facts of a video file.

    Args:
        path: the file.
        name: the file's path relative to the dataset's root, for messages.
        count: read all packets (without decoding) to measure the number of frames, the length
            and whether the rate is constant.  The header of a truncated file states more than
            the file contains; Matroska and transport streams state nothing.
    Raises:
        SourceMissing: no such file.
        SourceBroken: the file is not a video, or no frame can be decoded.
    """
    times, lengths = _counted(path, name) if count else ([], [])
    with opened(path, name) as container:
        stream = picture_track(container)
        first = _first(container, stream, name)
        turn = rotation(first)
        start = first.pts * stream.time_base if first.pts is not None else Fraction(0)
        header = promise(container, stream)
        width, height = first.width, first.height
        sideways = turn % 180 != 0
        return Container(
            fps=Fraction(stream.average_rate or stream.guessed_rate or 25),
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
            format=container.format.name,
            streams=tuple(track_of(s) for s in container.streams),
            promised_us=header.lasts_us or header.ends_us,
            promised=header.frames,
            size=path.stat().st_size,
        )


def _counted(path: Place, name: str) -> tuple[list[int], list[int]]:
    """Presentation times, ascending, and lengths, in ticks of the stream's time base."""
    with opened(path, name) as container:
        pairs = sorted(
            (packet.pts, packet.duration or 0)
            for packet in Packets(container, picture_track(container))
            if packet.pts is not None
        )
    return [p for p, _ in pairs], [d for _, d in pairs]


def track_of(stream: av.stream.Stream) -> StreamInfo:
    """Return the facts that a container states about one stream."""
    codec = stream.codec_context
    sound = stream.type == "audio"
    starts = stream.start_time
    wanted = av.stream.Disposition
    return StreamInfo(
        kind=stream.type or "data",
        codec=codec.name if codec else "",
        language=stream.language or None,
        default=bool(stream.disposition & wanted.default),
        cover=bool(stream.disposition & wanted.attached_pic),
        rate=codec.sample_rate if sound and codec else None,
        channels=codec.channels if sound and codec else None,
        starts_us=None if starts is None else round_half_up(starts * stream.time_base * SECOND_US),
    )


def _first(container, stream, name: str) -> av.VideoFrame:
    """Return the first trusted frame, or the first frame if none is trusted."""
    decoder, first = Decoder(stream), None
    for number, decoded in enumerate(_decoded(container, stream, decoder)):
        if decoded.trusted:
            return decoded.frame
        first = first or decoded.frame
        if number > SEARCHED:
            break
    if first is None:
        raise MediaBroken(
            f"{name} contains no frame that can be decoded",
            found=f"{decoder.fed} packets that cannot be decoded",
            where=name,
            fix="fetch the file again",
        )
    return first


def _decoded(container, stream, decoder: Decoder):
    for packet in Packets(container, stream):
        yield from decoder.feed(packet, packet.pts)
    yield from decoder.drain()


def _constant(times: list[int]) -> bool:
    """True if all steps differ by at most one tick, because some rates do not fit the time base."""
    steps = [b - a for a, b in zip(times, times[1:], strict=False)]
    return not steps or max(steps) - min(steps) <= 1


def _duration_us(container, stream, times, lengths, start: Fraction) -> int:
    if times:
        end = (times[-1] + lengths[-1]) * stream.time_base
        return round_half_up((end - start) * SECOND_US)
    if stream.duration:
        return round_half_up(stream.duration * stream.time_base * SECOND_US)
    return int(container.duration or 0)
