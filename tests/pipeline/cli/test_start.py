"""Help and lists answer at once: nothing heavy is imported for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from surgqa.pipeline.cli.app import COMMANDS

ROOT = Path(__file__).parents[3]
IN_GROUPS = (
    *(f"label {name}" for name in ("choose", "correct", "import", "train", "evaluate", "rounds")),
    "review sample", "review import", "study new", "study import", "study verify", "study report",
)  # fmt: skip
"""Commands of groups."""
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
import os, sys
from surgqa.pipeline.cli.app import run
for line in sys.argv[1:]:
    if not os.fork():
        status = run(line.split())
        print("loaded:", *[name for name in {heavy!r} if name in sys.modules])
        sys.exit(status)
    status = os.waitstatus_to_exitcode(os.wait()[1])
    if status:
        sys.exit(f"{{line}}: status {{status}}")
"""


def loaded(heavy: tuple[str, ...], *lines: str) -> list[str]:
    """What each command line imports, in a process of its own made of one that runs no command."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(heavy=heavy), *lines],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("loaded:")]


def test_nothing_heavy_is_imported():
    lines = ["--help", "--version", "list", "list datasets --json", "show cholect50",
             *(f"{name} --help" for name in (*COMMANDS, *IN_GROUPS))]  # fmt: skip
    found = dict(zip(lines, loaded(HEAVY, *lines), strict=True))
    assert found == dict.fromkeys(lines, "loaded:")


def test_a_template_is_shown_without_arrays_and_schemas():
    heavy = tuple(name for name in HEAVY if name != "jinja2")  # its texts are parsed
    assert loaded(heavy, "show surgstu.counting_distinct") == ["loaded:"]


def test_the_probe_sees_what_a_command_imports():
    assert "jinja2" in loaded(HEAVY, "schema")[0]
