"""Open a video file, read its packets, turn its frames upright."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import local

import av
import numpy as np
from av.video.reformatter import VideoReformatter

from surgqa.ontology.errors import MediaBroken, MediaMissing
from surgqa.transforms.places import Place, RemotePath

TURN = 90
OPTIONS = {"protocol_whitelist": "file"}
"""Prevents a play list that is named like a video file from fetching anything."""
NO_RECORDINGS = ("tty", "hls", "concat", "dash")
"""Formats that FFmpeg plays but that are not videos: text, and lists of other files."""
STRICT = {"err_detect": "crccheck+bitstream+buffer+explode"}
MOST_ERRORS = 1000
"""Read errors after which the rest of a file is skipped."""


@contextmanager
def opened(path: Place, name: str, strict: bool = False) -> Iterator[av.container.InputContainer]:
    """Open a container with at least one video stream, decoded by one thread.

    The number of threads affects which frames are marked corrupt (slice threading marks none),
    so the decoder uses no extra threads.

    Args:
        strict: True if the decoder discards a damaged frame instead of repairing it.

    Raises:
        SourceMissing: no such file.
        SourceBroken: the file is not a container that FFmpeg can open, or has no video stream.
    """
    with opened_any(path, name) as container:
        if not picture_tracks(container):
            raise MediaBroken(
                f"{name} has no video stream",
                expected="a video file",
                found=", ".join(s.type for s in container.streams) or "no stream",
                where=name,
            )
        track = picture_track(container)
        if track.codec_context is None:
            raise MediaBroken(
                f"{name} contains pictures that cannot be decoded here",
                found="no codec that FFmpeg knows",
                where=name,
                fix="fetch the file again; its header is damaged",
            )
        track.thread_type = "NONE"
        if strict:
            track.codec_context.options = STRICT
        yield container


@contextmanager
def opened_any(path: Place, name: str) -> Iterator[av.container.InputContainer]:
    """Open a container with any streams; raises as :func:`opened`, but not for lack of video."""
    if not path.is_file():
        raise MediaMissing(
            f"{name} is missing", expected=name, where=name, fix="name the folder that holds it"
        )
    with ExitStack() as held:
        yield _container(path, name, held)


def _container(path: Place, name: str, held: ExitStack) -> av.container.InputContainer:
    try:
        # "file:" in front: in a name with a colon, FFmpeg would take the first part for a protocol.
        remote = isinstance(path, RemotePath)
        source = held.enter_context(path.open("rb")) if remote else f"file:{path}"
        container = held.enter_context(av.open(source, options=OPTIONS))
        if container.format.name in NO_RECORDINGS:
            raise ValueError(f"{container.format.long_name}, no recording")
        return container
    except (av.error.FFmpegError, ValueError) as error:
        raise MediaBroken(
            f"{name} is not a video that can be opened",
            found=f"{path.stat().st_size} bytes; {getattr(error, 'strerror', None) or error}",
            where=name,
            fix="fetch the file again; a copy that was cut short often lacks its index",
        ) from None


def picture_track(container: av.container.InputContainer) -> av.VideoStream:
    """Return the first video stream of a container from :func:`opened`."""
    return picture_tracks(container)[0]


def picture_tracks(container: av.container.InputContainer) -> list[av.VideoStream]:
    """Video streams, without the cover images of sound files."""
    cover = av.stream.Disposition.attached_pic
    return [s for s in container.streams.video if not s.disposition & cover]


class Packets:
    """Packets of streams, up to the end of the container or a final read error.

    After a read error, reading continues if at least one packet was read since the last error.

    Attributes:
        errors: number of read errors after which reading was continued.
        broke: message of the error that ended reading; empty if the file was read to its end.

    Args:
        bad: ranges [first, last) of damaged bytes; packets in them are marked corrupt.
    """

    def __init__(
        self,
        container: av.container.InputContainer,
        *streams: av.stream.Stream,
        bad: Sequence[Sequence[int]] = (),
    ) -> None:
        self.container, self.streams = container, streams
        self.errors, self.broke = 0, ""
        self.firsts, self.lasts = [first for first, _ in bad], [last for _, last in bad]
        self.entry: int | None = None

    def __iter__(self) -> Iterator[av.Packet]:
        """Yield packets with data; the empty packet that ends each stream is left out."""
        while self.errors < MOST_ERRORS:
            before = True
            try:
                for packet in self.container.demux(*self.streams):
                    before = False
                    if packet.size:
                        self._mark(packet)
                        yield packet
                return
            except (av.error.FFmpegError, IndexError) as error:  # IndexError: a stream vanished
                if before:
                    self.broke = getattr(error, "strerror", None) or str(error)
                    return
                self.errors += 1
        self.broke = f"more than {MOST_ERRORS} errors"

    def _mark(self, packet: av.Packet) -> None:
        """Mark a packet corrupt if it touches damaged bytes, or its frame may depend on such a one.

        A key frame is independent of the damaged bytes before it, so its packet is not marked.
        Frames that are shown before this key frame may depend on them.
        """
        if not self.firsts or packet.pos is None:
            return
        near = bisect_right(self.firsts, packet.pos + packet.size - 1) - 1
        behind = near >= 0 and packet.pos == self.lasts[near]
        if behind and packet.is_keyframe:
            self.entry = packet.pts
            return
        leads = None not in (self.entry, packet.pts) and packet.pts < self.entry
        self.entry = self.entry if leads else None
        if leads or behind or (near >= 0 and packet.pos < self.lasts[near]):
            packet.is_corrupt = True


def rotation(frame: av.VideoFrame) -> int:
    """Return degrees counter-clockwise (0, 90, 180 or 270) by which the frame must be turned."""
    return round((frame.rotation or 0) / TURN) * TURN % 360


_mine = local()


def rgb(frame: av.VideoFrame) -> np.ndarray:
    """Return uint8 (H, W, 3) RGB as stored in the file, not turned upright.

    Each thread reuses one converter. A frame's own method creates a new converter that starts one
    thread per processor, which is eight times the work for a small frame.
    """
    if not hasattr(_mine, "converter"):
        _mine.converter = VideoReformatter()
    return _mine.converter.reformat(frame, format="rgb24", threads=1).to_ndarray()


def upright(frame: av.VideoFrame) -> np.ndarray:
    """Return the frame as uint8 (H, W, 3) RGB, turned as a player shows the frame."""
    picture = rgb(frame)
    turns = rotation(frame) // TURN
    return np.ascontiguousarray(np.rot90(picture, turns)) if turns else picture
