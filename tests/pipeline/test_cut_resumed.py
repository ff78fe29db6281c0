"""An export that is killed while it cuts goes on where it ended, with the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.media import cutting
from tests.transforms.exports.talked import write_media, write_output

REPO = Path(__file__).parents[2]
KILLED = """
import os, signal, sys
from surgqa.transforms.media import cutting
name, left = sys.argv[1], [int(sys.argv[2])]
whole = getattr(cutting, name)
def killed(*given):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(*given)
setattr(cutting, name, killed)
from surgqa.pipeline.cli.app import run
sys.exit(run(sys.argv[3:]))
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    desk = tmp_path_factory.mktemp("cut")
    write_output(desk / "out")
    write_media(desk / "root")
    assert run(line(desk, "whole")) == 0
    return desk


def line(desk, name, *more):
    return ["export", str(desk / "out"), "--as", "ms-swift", "--to", str(desk / f"{name}-files"),
            "--root", f"made={desk / 'root'}", "--media-store", str(desk / name), "--size", "64",
            *more]  # fmt: skip


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}  # fmt: skip


def cut_files(store):
    """What is finished in a store: its facts are there, too."""
    told = (path for path in store.rglob("*.json") if path.parent.name not in ("known", "outcome"))
    return {path.with_suffix(""): path.with_suffix("").stat().st_mtime_ns for path in told}


@pytest.mark.parametrize(
    ("function", "times", "made"),
    [pytest.param("_cut", 1, 0, marks=pytest.mark.nightly), ("_cut", 5, 4),
     ("write_whole", 13, 4)],
)  # fmt: skip
def test_killed_and_resumed(desk, monkeypatch, function, times, made):
    name = f"{function}-{times}"
    command = [sys.executable, "-c", KILLED, function, str(times), *line(desk, name)]
    ended = subprocess.run(command, cwd=REPO, env=os.environ, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert not (desk / f"{name}-files").exists()
    before = cut_files(desk / name)
    assert len(before) == made
    cut = []
    whole = cutting._cut
    monkeypatch.setattr(cutting, "_cut", lambda *given: cut.append(1) or whole(*given))
    assert run(line(desk, name)) == 0
    after = cut_files(desk / name)
    assert {path: after[path] for path in before} == before
    assert len(cut) == len(after) - len(before)
    assert files(desk / f"{name}-files") == files(desk / "whole-files")
    cut.clear()
    more = ("--as", "sharegpt", "--to", str(desk / f"{name}-more"))
    assert run(line(desk, name, *more)) == 0
    assert not cut  # another export of the same finds all of it


@pytest.mark.nightly
def test_two_workers_are_killed_and_go_on(desk):
    """The command and its workers at once, as when a machine goes down."""
    command = [sys.executable, "-m", "surgqa.pipeline.cli", *line(desk, "two", "--workers", "2")]
    with subprocess.Popen(command, cwd=REPO, start_new_session=True, stderr=subprocess.PIPE) as one:
        while not cut_files(desk / "two") and one.poll() is None:
            time.sleep(0.01)
        os.killpg(one.pid, signal.SIGKILL)
        said = one.communicate()[1]
    assert one.returncode == -signal.SIGKILL, said
    assert not (desk / "two-files").exists()
    before = cut_files(desk / "two")
    assert before
    assert run(line(desk, "two", "--workers", "2")) == 0
    after = cut_files(desk / "two")
    assert {path: after[path] for path in before} == before  # none of these was cut again
    assert files(desk / "two-files") == files(desk / "whole-files")
