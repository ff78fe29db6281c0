"""An observation that is killed at any moment is taken up, and gives the same evidence."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.store.evidence import EvidenceStore
from tests.engines.conftest import until
from tests.engines.test_killed import alive, workers_of
from tests.pipeline.observing.conftest import DETECTOR, ROOT

MOMENTS = int(os.environ.get("SURGQA_MOMENTS", "2"))
IN_A_ROW = 5
"""So many times one store is left behind, before a run may end."""


def command(films: list[Path], out: Path) -> list[str]:
    """An observation by two workers, in pieces of three seconds."""
    videos = [word for film in films for word in ("--video", str(film))]
    return [sys.executable, "-m", "surgqa.pipeline.cli", "observe", *videos, "--out", str(out),
            "--detect", str(DETECTOR), "--procedure", "laparoscopic cholecystectomy",
            "--chunk", "3", "--workers", "2"]  # fmt: skip


def whole(films: list[Path], out: Path) -> str:
    """The digest of a store after a run that nobody ends."""
    done = subprocess.run(
        command(films, out), cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert not list(out.glob("work/*"))
    return str(EvidenceStore(out).record["digest"])


def killed(films: list[Path], out: Path, after_s: float) -> bool:
    """Whether a run was killed before it had ended; its workers end with it."""
    with subprocess.Popen(command(films, out), cwd=ROOT, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True) as run:  # fmt: skip
        time.sleep(after_s)
        workers, early = workers_of(run.pid), run.poll() is None
        run.kill()
    until(lambda: not any(map(alive, workers)), "the workers end with the run", 30)
    return early


@pytest.mark.nightly
def test_kill_at_many_moments(film: Callable[..., Path], tmp_path: Path) -> None:
    films = [film("first", 7003, 9), film("second", 7004, 9)]
    begin = time.monotonic()
    known = whole(films, tmp_path / "known")
    whole_s = time.monotonic() - begin
    early = 0
    for k in range(MOMENTS):
        out = tmp_path / f"store{k // IN_A_ROW}"
        drawn = int(bytes_digest(f"moment {k}".encode())[:8], 16) / 2**32
        early += killed(films, out, whole_s * (0.2 + 0.75 * (k + drawn) / MOMENTS))
        if (out / "store.json").is_file():
            assert EvidenceStore(out).record["digest"] == known
        if k % IN_A_ROW == IN_A_ROW - 1 or k == MOMENTS - 1:
            assert whole(films, out) == known
    assert early > MOMENTS // 3
