"""Command lines as they are typed, what they print, and runs that are killed."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from surgqa.pipeline.cli.app import run
from tests.transforms.inference.conftest import Stub

ROOT = Path(__file__).parents[3]


def said(capsys, status: int, *line: object) -> tuple[str, str]:
    """What a command prints as its result, and what else it says, if it ends as expected."""
    assert run([str(word) for word in line]) == status
    return capsys.readouterr()


def said_by(group: str) -> Callable[..., tuple[str, str]]:
    """The same for the commands of a group."""
    return lambda capsys, status, *line: said(capsys, status, group, *line)


def told(out: str) -> dict[str, str]:
    """The lines of a result, by name."""
    return dict(re.split(r"  +", line, maxsplit=1) for line in out.strip().splitlines())


def asking(server: Stub, jobs: Path, out: Path, *more: object) -> list[str]:
    """The line that sends jobs to an endpoint, as text."""
    line = ["infer", jobs, "--base-url", server.url, "--model", "m", "--out", out,
            "--without-images", "--backoff", "0.01", *more]  # fmt: skip
    return [str(word) for word in line]


def started(line: list[str], **pipes: object) -> subprocess.Popen:
    """A command in a process of its own."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    words = [sys.executable, "-m", "surgqa.pipeline.cli", *line]
    return subprocess.Popen(words, cwd=ROOT, encoding="utf-8", **quiet | pipes)


def killed(line: list[str], ready: Callable[[], bool]) -> None:
    """Start a command, and end it as hard as can be when ``ready`` says so."""
    process = started(line)
    until = time.monotonic() + 60
    while not ready():
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < until
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()


def commands(text: str) -> list[str]:
    """Every command line of a page, continued lines joined."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    joined = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line for line in joined if line.strip() and not line.startswith("#")]
