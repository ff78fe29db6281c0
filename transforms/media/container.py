"""Opening a video file and turning its frames upright; shared by probe and frames."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import av
import numpy as np

from ontology.errors import SourceBroken, SourceMissing
from transforms.places import Place, RemotePath

TURN = 90


@contextmanager
def opened(path: Place, name: str) -> Iterator[av.container.InputContainer]:
    """A container with at least one video stream, decoded by one thread.

    Threads change which frames are marked corrupt (slice threading marks none), so the
    decoder uses none.

    Raises:
        SourceMissing: no such file.
        SourceBroken: not a container FFmpeg knows, or one without pictures.
    """
    if not path.is_file():
        raise SourceMissing(
            f"{name} is missing", expected=name, where=name, fix="check the folder given as root"
        )
    with ExitStack() as held:
        container = held.enter_context(_container(path, name, held))
        if not container.streams.video:
            raise SourceBroken(
                f"{name} has no picture track",
                found=", ".join(s.type for s in container.streams) or "no stream",
                where=name,
            )
        container.streams.video[0].thread_type = "NONE"
        yield container


def _container(path: Place, name: str, held: ExitStack) -> av.container.InputContainer:
    try:
        if isinstance(path, RemotePath):
            return av.open(held.enter_context(path.open("rb")))
        return av.open(str(path))
    except (av.error.InvalidDataError, av.error.EOFError) as error:
        raise SourceBroken(
            f"{name} is not a video that can be opened",
            found=f"{path.stat().st_size} bytes; {error.strerror}",
            where=name,
            fix="fetch the file again; a copy that was cut short often lacks its index",
        ) from None


def packets(container: av.container.InputContainer, stream: av.VideoStream) -> Iterator[av.Packet]:
    """Packets of one stream until the container ends or breaks off."""
    source = container.demux(stream)
    while True:
        try:
            yield next(source)
        except (StopIteration, av.error.InvalidDataError):
            return


def rotation(frame: av.VideoFrame) -> int:
    """Degrees counter-clockwise, 0, 90, 180 or 270, by which the frame must be turned."""
    return round((frame.rotation or 0) / TURN) * TURN % 360


def upright(frame: av.VideoFrame) -> np.ndarray:
    """uint8 (H, W, 3) RGB as a player shows it."""
    picture = frame.to_ndarray(format="rgb24")
    turns = rotation(frame) // TURN
    return np.ascontiguousarray(np.rot90(picture, turns)) if turns else picture
