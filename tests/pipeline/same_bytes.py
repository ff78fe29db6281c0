"""A build in another process, with another hash seed and every listing backwards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson

REPOSITORY = Path(__file__).resolve().parents[2]

_PROGRAM = (
    "import os, pathlib, sys\n"
    "order = pathlib.Path.iterdir\n"
    "pathlib.Path.iterdir = lambda s: iter(sorted(order(s), key=lambda p: p.name[::-1]))\n"
    "listdir = os.listdir\n"
    "os.listdir = lambda *a: sorted(listdir(*a), key=lambda n: str(n)[::-1])\n"
    "import orjson\n"
    "from surgqa.pipeline.config import load_run\n"
    "from surgqa.pipeline.run import build\n"
    "print(build(load_run(None, orjson.loads(sys.stdin.read()))).digest)\n"
)


def digest_elsewhere(settings: dict[str, Any]) -> str:
    """The digest of such a build."""
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=orjson.dumps(settings), env=environment,
        capture_output=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split()[-1]
