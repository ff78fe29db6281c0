"""Observing with one worker and with two, and again with a warm store; side by side.

``python -m benchmarks.observe [--seconds 600] [--rounds 3]``: a rendered film of 1280 x 720 at
25 pictures a second, looked at 5 times a second with the detector of the tests.  Each round
runs all three after one another; printed are medians and ratios.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import av
import cv2

ROOT = Path(__file__).resolve().parents[1]
SIZE = (1280, 720)
FPS = 25
LOOP_S = 20


def film(target: Path, seconds: int) -> None:
    """Twenty rendered seconds, enlarged and encoded once, then put end to end."""
    sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
    import films

    scene = films.scenes().Scene(31, LOOP_S, FPS, (400, 240), films.TOOLS, busy=0.9)
    once = target.with_name("once.mp4")
    with av.open(str(once), "w") as out:
        # No frame refers to a later one, so that a copy can begin where another ends.
        options = {"preset": "veryfast", "g": "250", "bf": "0"}
        stream = out.add_stream("libx264", rate=FPS, options=options)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for number in range(LOOP_S * FPS):
            picture = cv2.resize(scene.picture(number), SIZE)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode(None))
    with av.open(str(target), "w") as out:
        for start in range(0, seconds, LOOP_S):
            with av.open(str(once)) as source:
                if not start:
                    stream = out.add_stream_from_template(source.streams.video[0])
                for packet in source.demux(video=0):
                    if packet.pts is None:
                        continue
                    shift = int(start / packet.time_base)
                    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                    packet.stream = stream
                    out.mux(packet)
    once.unlink()


def observe(video: Path, store: Path, workers: int) -> float:
    """Seconds of one run in a process of its own."""
    detector = ROOT / "tests" / "fixtures" / "detect" / "rendered.onnx"
    python = os.environ.get("SURGQA_BENCH_PYTHON", sys.executable)
    start = time.perf_counter()
    subprocess.run(
        [python, "-m", "pipeline.cli", "--quiet", "observe", "--video", str(video), "--out",
         str(store), "--detect", str(detector), "--workers", str(workers), "--chunk", "15"],
        cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    times: dict[str, list[float]] = {"one worker": [], "two workers": [], "warm store": []}
    with tempfile.TemporaryDirectory() as folder:
        video, store = Path(folder) / "film.mp4", Path(folder) / "store"
        film(video, asked.seconds)
        for _ in range(asked.rounds):
            for name, workers in (("one worker", 1), ("two workers", 2)):
                shutil.rmtree(store, ignore_errors=True)
                times[name].append(observe(video, store, workers))
            times["warm store"].append(observe(video, store, 1))
    middle = {name: statistics.median(values) for name, values in times.items()}
    for name, values in times.items():
        rounds = " ".join(f"{value:.2f}" for value in values)
        print(f"{name:<12} {middle[name]:8.2f} s   rounds {rounds}")
    print(f"two workers  {middle['one worker'] / middle['two workers']:8.2f} times as fast as one")
    print(f"warm store   {middle['one worker'] / middle['warm store']:8.1f} times as fast as cold")


if __name__ == "__main__":
    main()
