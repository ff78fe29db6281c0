"""What the store holds is not done again."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.transforms.evidence.base.fetched import loaded
from surgqa.transforms.store.evidence import EvidenceStore

from .conftest import DETECTOR, ROOT

RERUN = """
import sys, time
from surgqa.pipeline.observing.config import load_observe
from surgqa.pipeline.observing.run import observe
from surgqa.transforms.evidence.base.fetched import loaded
video, out, detector, speech = sys.argv[1:]
config = load_observe(None, {
    "videos": [{"path": video, "procedure": "laparoscopic cholecystectomy"}], "out": out,
    "detect": {"weights": detector}, "speech": {"model": speech, "language": "en"}})
start = time.perf_counter()
result = observe(config)
seconds = time.perf_counter() - start
heavy = {"torch", "onnxruntime", "faster_whisper", "apache_beam"} & set(sys.modules)
print(result.observed, result.kept, loaded(), sorted(heavy), seconds)
"""


def rerun(video: Path, out: Path, speech: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", RERUN, str(video), str(out), str(DETECTOR), speech],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split(maxsplit=3)


@pytest.mark.nightly
def test_a_second_run_loads_no_model_and_is_twenty_times_as_fast(
    narrated: Path, speech_model: str, tmp_path: Path
):
    out = tmp_path / "store"
    cold = rerun(narrated, out, speech_model)
    warm = rerun(narrated, out, speech_model)
    assert cold[:2] == ["1", "0"]
    assert warm[:3] == ["0", "1", "0"]
    assert warm[3].startswith("[] ")
    assert float(cold[3].split()[-1]) > 20 * float(warm[3].split()[-1])


def test_changing_one_video_redoes_that_video(film: Callable, look: Callable, tmp_path: Path):
    one, two = tmp_path / "one.mp4", tmp_path / "two.mp4"
    shutil.copy(film("one", 7003, 6), one)
    shutil.copy(film("short_1", 7401, 1), two)
    out = tmp_path / "store"
    quiet = {"speech": None}
    look([one, two], out, **quiet)
    before = EvidenceStore(out).record["videos"]
    shutil.copy(film("short_2", 7402, 1), two)
    result = look([one, two], out, **quiet)
    after = EvidenceStore(out).record["videos"]
    assert (result.observed, result.kept) == (1, 1)
    assert after["one"] == before["one"]
    assert after["two"]["digest"] != before["two"]["digest"]


def test_a_touched_file_is_no_other_and_what_a_run_killed_at_its_very_end_leaves_is_taken_away(
    film: Callable, look: Callable, tmp_path: Path
):
    video, out = tmp_path / "one.mp4", tmp_path / "store"
    shutil.copy(film("short_1", 7401, 1), video)
    look([video], out, speech=None)
    time.sleep(0.01)
    video.touch()
    (out / "work").mkdir()
    (out / "work" / "result.json").write_text("{}")
    result = look([video], out, speech=None)
    assert (result.observed, result.kept) == (0, 1)
    assert not (out / "work").exists()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"derive": {"shots": {"colour_step": 0.5}}}, id="derive"),
        pytest.param({"link": {"bridge_us": 0}}, id="link"),
    ],
)
def test_another_rule_needs_no_model(
    change: dict, narrated: Path, store: Path, look: Callable, tmp_path: Path
):
    out = tmp_path / "store"
    shutil.copytree(store, out)
    models = loaded()
    result = look([narrated], out, **change)
    assert (result.observed, result.kept) == (1, 0)
    assert loaded() == models


@pytest.mark.nightly
def test_a_run_that_was_killed_is_taken_up_where_it_stopped(
    narrated: Path, store: Path, speech_model: str, tmp_path: Path
):
    out = tmp_path / "store"
    command = [sys.executable, "-m", "surgqa.pipeline.cli", "observe", "--video", str(narrated),
               "--out", str(out), "--detect", str(DETECTOR), "--asr-model", speech_model,
               "--language", "en", "--procedure", "laparoscopic cholecystectomy",
               "--chunk", "8"]  # fmt: skip
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)  # fmt: skip
    limit = time.monotonic() + 120
    while len(list(out.glob("work/*/*-look-*.arrow"))) < 2 and time.monotonic() < limit:
        time.sleep(0.02)
    process.kill()
    process.wait()
    left = {p.name: p.stat().st_mtime_ns for p in out.glob("work/*/*-look-*.arrow")}
    assert left
    assert not (out / "store.json").exists()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False,
                          timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert EvidenceStore(out).record["digest"] == EvidenceStore(store).record["digest"]


@pytest.mark.parametrize(
    "ending",
    [".arrow", *(pytest.param(one, marks=pytest.mark.nightly) for one in (".json", ".seal"))],
)
def test_what_was_changed_on_the_disk_is_made_again(
    ending: str, film: Callable, look: Callable, tmp_path: Path
):
    video = film("one", 7003, 6)
    rule = {"link": {"bridge_us": 0}}
    whole, harmed = tmp_path / "whole", tmp_path / "harmed"
    look([video], whole, speech=None)
    shutil.copytree(whole, harmed)
    look([video], whole, speech=None, **rule)
    for path in sorted(harmed.glob(f"raw/[!m]*/*{ending}")):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    result = look([video], harmed, speech=None, **rule)
    assert (result.observed, result.kept) == (1, 0)
    first, second = (EvidenceStore(out).record["videos"] for out in (whole, harmed))
    assert first == second
    for path in sorted(whole.glob("raw/[!m]*/*")):
        assert (harmed / path.relative_to(whole)).read_bytes() == path.read_bytes()
