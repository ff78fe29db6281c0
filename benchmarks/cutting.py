"""Compare cutting clips with one and two workers: ``python -m benchmarks.cutting --clips 10000``.

A video file is rendered.  Each number of workers cuts its clips into an empty store, and both
stores must contain the same bytes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import av
import numpy as np

from surgqa.pipeline.cutting import CutRun, cut
from surgqa.transforms.media.cuts import CutLook
from surgqa.transforms.media.cutting import CLIP, CutSource, CutStore, Request

S = 1_000_000
RATE = 25


def render(path: Path, seconds: int, height: int) -> None:
    """Write a video file in which a bright square moves over a coloured background."""
    width = height * 16 // 9 // 2 * 2
    ground = np.indices((height, width)).sum(0).astype(np.uint8)
    with av.open(str(path), "w") as box:
        stream = box.add_stream("libx264", rate=RATE, options={"preset": "ultrafast", "g": "50"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for k in range(seconds * RATE):
            picture = np.dstack([ground, np.roll(ground, k, 1), np.full_like(ground, 80)])
            at = k * 5 % (width - 60)
            picture[height // 3 : height // 2, at : at + 60] = 255
            box.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "rgb24")))
        box.mux(stream.encode(None))


def measured(
    root: Path, folder: Path, clips: int, seconds: int, length: int, workers: int
) -> float:
    """Return the wall seconds for cutting clips of ``length`` from a video of ``seconds``."""
    recording = CutSource("rendered", "film.mp4", "video")
    step = (seconds - length) * S // clips
    requests = [Request(recording, CLIP, k * step, k * step + length * S) for k in range(clips)]
    store = CutStore(str(folder), (("rendered", str(root)),), CutLook(448))
    began = time.perf_counter()
    outcome = cut(requests, store, CutRun(workers=workers))
    took = time.perf_counter() - began
    lost = [one["why"] for one in outcome.values() if "why" in one]
    assert not lost, lost[:3]
    return took


def digests(folder: Path) -> dict[str, bytes]:
    """Return the name and the bytes of each clip."""
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*.mp4"))}


def main() -> int:
    """Measure and print the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--clips", type=int, default=10_000)
    options.add_argument("--seconds", type=int, default=600, help="length of the video")
    options.add_argument("--length", type=int, default=10, help="length of a clip in seconds")
    options.add_argument("--height", type=int, default=480, help="height of the frames in pixels")
    options.add_argument("--workers", type=int, default=2)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        root.mkdir()
        render(root / "film.mp4", given.seconds, given.height)
        took = {}
        for workers in (1, given.workers):
            folder = Path(scratch) / f"store-{workers}"
            took[workers] = measured(
                root, folder, given.clips, given.seconds, given.length, workers
            )
            print(f"{workers} worker(s): {given.clips} clips in {took[workers]:.1f} s")
        one, other = (digests(Path(scratch) / f"store-{n}") for n in (1, given.workers))
        assert one == other and len(one) == given.clips
        print(f"the same bytes; {took[1] / took[given.workers]:.2f} times as fast")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
