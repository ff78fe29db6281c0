"""Decode video files on N workers, with the step that builds use for videos.

    python -m benchmarks.decode FOLDER --make [--films 12] [--seconds 60]
    python -m benchmarks.decode FOLDER --workers 2

The second form decodes one frame a second of every file, as a reader of videos would.  It prints
one digest of all frames, which must not depend on the number of workers.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from surgqa.ontology.files import listed
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media import Samples, film_of
from surgqa.transforms.steps.workers import close_pools, warm_up

WIDTH, HEIGHT, FPS = 1280, 720, 25
OPTIONS = {"preset": "veryfast", "crf": "23", "threads": "1"}
SECOND_US = 1_000_000


def pictures(seconds: int) -> Iterator[np.ndarray]:
    """Yield frames with moving stripes and grain, a load for the decoder; uint8 (H, W, 3)."""
    grain = np.random.default_rng(7).integers(0, 40, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    line = (np.arange(WIDTH + HEIGHT) % 180).astype(np.uint8)
    base = line[np.arange(HEIGHT)[:, None] + np.arange(WIDTH)[None, :]][..., None]
    for index in range(seconds * FPS):
        yield np.roll(base, 3 * index, axis=1) + np.roll(grain, index, axis=0)


def make(folder: Path, films: int, seconds: int) -> None:
    """Encode one video file and copy it; copies take the same time to decode."""
    folder.mkdir(parents=True, exist_ok=True)
    first = folder / "film-00.mp4"
    with av.open(str(first), "w") as box:
        stream = box.add_stream("libx264", rate=FPS, options=OPTIONS)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for picture in pictures(seconds):
            box.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        box.mux(stream.encode(None))
    for number in range(1, films):
        shutil.copyfile(first, folder / f"film-{number:02d}.mp4")


def look(name: str, folder: str) -> str:
    """Return the digest of a video's frames at whole seconds."""
    film = film_of(Path(folder), Media(MediaKind.VIDEO, name))
    with av.open(str(Path(folder, name))) as container:
        seconds = int(Fraction(container.duration or 0, av.time_base))
    times_us = np.arange(seconds, dtype=np.int64) * SECOND_US
    samples = Samples(times_us, np.searchsorted(film.table.starts_us, times_us, side="right") - 1)
    digest = hashlib.sha256()
    for batch in film.batches(samples, 1):
        digest.update(batch.pictures[0].tobytes())
    return digest.hexdigest()


def decode(folder: Path, workers: int) -> str:
    """Return one digest of all video files, decoded by a Beam pipeline on that many workers."""
    warm_up(workers)
    import apache_beam as beam

    from surgqa.transforms.steps.pool import Spread

    told = folder / f"digests-{workers}.txt"

    def write(digests: list[str]) -> None:
        told.write_text("\n".join(sorted(digests)))

    names = [path.name for path in listed(folder) if path.suffix == ".mp4"]
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        (
            pipeline
            | "List films" >> beam.Create(names)
            | "Decode" >> beam.ParDo(Spread(look, workers, str(folder)))
            | "Together" >> beam.combiners.ToList()
            | "Write" >> beam.Map(write)
        )
    return bytes_digest(told.read_bytes())


def main() -> None:
    """Run the command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--films", type=int, default=12)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    if asked.make:
        make(asked.folder, asked.films, asked.seconds)
        return
    try:
        # The module is imported by name because workers cannot import from '__main__'.
        from benchmarks import decode as module

        print(module.decode(asked.folder, asked.workers))
    finally:
        close_pools()


if __name__ == "__main__":
    main()
