"""Help and lists answer at once: nothing heavy is imported for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.cli.app import COMMANDS

ROOT = Path(__file__).parents[3]
HEAVY = (
    "apache_beam",
    "pyarrow",
    "numpy",
    "pandas",
    "cv2",
    "av",
    "torch",
    "jinja2",
    "pydantic",
    "rich",
)
PROBE = """
import sys
from pipeline.cli.app import run
status = run(sys.argv[1:])
print("loaded:", *[name for name in {heavy!r} if name in sys.modules])
sys.exit(status)
"""


@pytest.mark.parametrize(
    "line",
    [
        ["--help"],
        ["--version"],
        ["list"],
        ["list", "datasets", "--json"],
        ["show", "cholect50"],
        *([name, "--help"] for name, _, _ in COMMANDS),
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(line):
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(heavy=HEAVY), *line],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_a_template_is_shown_without_arrays_and_schemas():
    heavy = tuple(name for name in HEAVY if name != "jinja2")  # its texts are parsed
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(heavy=heavy), "show", "surgstu.counting_distinct"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_the_probe_sees_what_a_command_imports():
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(heavy=HEAVY), "schema"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "jinja2" in done.stdout.splitlines()[-1]
