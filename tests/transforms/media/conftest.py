"""Clips rendered for these tests: each picture carries its number, so a wrong one is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import av
import numpy as np
import pytest

WIDTH, HEIGHT, BITS = 192, 96, 12
RATE, COUNT, GOP = 10, 240, 20
TICK = Fraction(1, 90_000)
OPEN_GOP = {
    "preset": "ultrafast", "bf": "2", "g": str(GOP),
    "x264-params": f"open-gop=1:b-adapt=0:bframes=2:keyint={GOP}:min-keyint={GOP}:scenecut=0",
}  # fmt: skip


def picture(number: int, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """Twelve bars, bright for each bit that is set; a red corner tells turns; moving grain."""
    out = np.full((height, width, 3), 60, np.uint8)
    bar = width // BITS
    for bit in range(BITS):
        out[height // 3 : 2 * height // 3, bit * bar : (bit + 1) * bar] = (
            230 if number >> bit & 1 else 20
        )
    out[: height // 4, : width // 6] = (220, 30, 30)
    out[-height // 8 :] = np.roll(np.arange(width) % 64 * 3, 5 * number)[:, None]
    return out


def number_in(shown: np.ndarray) -> int:
    """The number drawn in a decoded picture."""
    height, width = shown.shape[:2]
    bar = width // BITS
    row = shown[height // 2 - 4 : height // 2 + 4]
    bits = [row[:, b * bar + 2 : (b + 1) * bar - 2].mean() > 125 for b in range(BITS)]
    return sum(1 << bit for bit, on in enumerate(bits) if on)


def write(
    path: Path,
    count: int = COUNT,
    codec: str = "libx264",
    options: dict | None = None,
    mux: dict | None = None,
    times: Sequence[Fraction] | None = None,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    pixels: str = "yuv420p",
    rotate: int = 0,
    first: int = 0,
    rate: int = RATE,
    form: str | None = None,
) -> Path:
    """A clip of pictures ``first`` on; ``times`` are presentation times in seconds."""
    with av.open(str(path), "w", format=form, options=mux or {}) as box:
        stream = box.add_stream(codec, rate=rate, options=OPEN_GOP if options is None else options)
        stream.width, stream.height, stream.pix_fmt = *size, pixels
        if rotate:
            stream.set_display_rotation(rotate)
        if times is not None:
            stream.time_base = stream.codec_context.time_base = TICK
        for index in range(count):
            frame = av.VideoFrame.from_ndarray(picture(first + index, *size), format="rgb24")
            if times is not None:
                frame.pts, frame.time_base = int(times[index] / TICK), TICK
            box.mux(stream.encode(frame))
        box.mux(stream.encode(None))
    return path


VP8 = {"g": str(GOP), "deadline": "realtime", "cpu-used": "8", "threads": "1"}
KINDS = {
    "end.mp4": {},
    "fast.mp4": {"mux": {"movflags": "faststart"}},
    "pieces.mp4": {"mux": {"movflags": "frag_keyframe+empty_moov"}},
    "clip.mkv": {},
    "clip.ts": {},
    "clip.avi": {},
    "clip.flv": {},
    "clip.webm": {"codec": "libvpx", "options": VP8},
}


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A clip of 24 s by name, in each container; written once."""
    folder = tmp_path_factory.mktemp("clips")

    def clip(name: str) -> Path:
        path = folder / name
        return path if path.exists() else write(path, **KINDS[name])

    return clip


@pytest.fixture(scope="session")
def render() -> SimpleNamespace:
    """What draws, writes and reads clips."""
    return SimpleNamespace(
        write=write, picture=picture, number_in=number_in, kinds=tuple(KINDS), rate=RATE,
        count=COUNT, size=(WIDTH, HEIGHT), open_gop=OPEN_GOP, gop=GOP,
    )  # fmt: skip


@pytest.fixture(scope="session")
def look() -> Callable:
    """Decodes every frame of a medium; gives film, samples, numbers or None, faults."""
    from surgqa.ontology.records import Media, MediaKind
    from surgqa.transforms.media import film_of
    from surgqa.transforms.media.sampling import sample

    def seen(path: Path, kind: MediaKind = MediaKind.VIDEO, fps: Fraction | None = None):
        film = film_of(path.parent, Media(kind, path.name), fps)
        samples = sample(film.table, None)
        numbers, faults = [], []
        for batch in film.batches(samples, 16):
            for shown, trusted in zip(batch.pictures, batch.trusted, strict=True):
                numbers.append(number_in(shown) if trusted else None)
                assert trusted or not shown.any(), "black where not trusted"
            faults.extend(batch.faults.tolist())
        return SimpleNamespace(film=film, samples=samples, numbers=numbers, faults=faults)

    return seen
