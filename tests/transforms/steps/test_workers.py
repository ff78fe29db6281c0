"""Killed processes leave no noise of Python's own on the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, sys
from multiprocessing import resource_tracker
from surgqa.transforms.steps import workers

if __name__ == "__main__":
    pool = workers.shared_pool(1)
    assert pool.submit(abs, -3).result() == 3
    if sys.argv[1] == "tracker":
        pid = resource_tracker._resource_tracker._pid
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    if sys.argv[1] == "worker":
        for pid in list(pool._processes):
            os.kill(pid, signal.SIGKILL)
    if sys.argv[1] == "main":
        os.kill(os.getpid(), signal.SIGKILL)
    print("still heard", file=sys.stderr)
    workers.close_pools()
"""


@pytest.mark.parametrize(
    ("killed", "status", "heard"),
    [("nobody", 0, "still heard\n"), ("worker", 0, "still heard\n"),
     ("tracker", 0, "still heard\n"), ("main", -9, "")],
)  # fmt: skip
def test_a_killed_process_leaves_no_noise(
    killed: str, status: int, heard: str, tmp_path: Path, repo_root: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, program, killed], env={**os.environ, "PYTHONPATH": str(repo_root)},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (status, heard)
