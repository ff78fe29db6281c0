"""A template is one file and an operator is one folder: nothing else is touched, all is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.registry import load_sample

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("ontology", "transforms", "pipeline", "templates")
TEMPLATE = """\
schema: question/v1
id: example.midpoint
version: 1
title: The middle of the time for which an instrument is in view
benchmark: example
task: time/midpoint
unit: clip
let:
  run: {each: instrument, merge: [label], inside: window}
  middle: {midpoint: [run.start, run.end]}
answer: middle
ask:
  - At which time is half of the time over for which {{ run | the }} {{ run | is }} in view?
  - Give the middle of the time for which {{ run | the }} {{ run | is }} in view.
  - What is the time halfway between the first and the last sight of {{ run | the }}?
  - Name the time in the middle of the presence of {{ run | the }}.
say: "{{ middle | clock }}"
"""


def state(folder: Path) -> dict[str, str]:
    """Relative path -> digest of every file that is not made by running."""
    return {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Files that were added, changed or removed."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The rooms of this checkout, copied."""
    folder = tmp_path / "checkout"
    for room in ROOMS:
        shutil.copytree(
            ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__", ".*")
        )
    shutil.copytree(ROOT / "surgqa", folder / "surgqa", symlinks=True)
    return folder


def surgqa(checkout: Path, *arguments: str) -> str:
    """What a command prints that is run with the code of the copy; it has to succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "surgqa.pipeline.cli", *arguments], cwd=checkout, text=True,
        env={**os.environ, "PYTHONPATH": str(checkout)}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.nightly
def test_a_template_is_one_file_and_an_operator_one_folder(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(checkout)
    monkeypatch.chdir(tmp_path)
    assert run(["new", "operator", "midpoint"]) == 0
    package = tmp_path / "surgqa_midpoint" / "surgqa_midpoint"
    shutil.copytree(package, checkout / "transforms" / "algebra" / "operators" / "midpoint")
    operator = changed(before, state(checkout))
    assert {Path(name).parent.as_posix() for name in operator} == {
        "transforms/algebra/operators/midpoint"
    }
    assert len(operator) == 6

    (checkout / "templates" / "example").mkdir()
    file = checkout / "templates" / "example" / "midpoint.yaml"
    file.write_text(TEMPLATE, encoding="utf-8")
    template = changed(before, state(checkout)) - operator
    assert template == {"templates/example/midpoint.yaml"}

    root = tmp_path / "cholect50"
    root.mkdir()
    load_sample("cholect50")(root)
    assert "example.midpoint" in surgqa(checkout, "list", "templates")
    assert '"midpoint"' in surgqa(checkout, "schema", "--of", "question")
    surgqa(checkout, "lint", "templates/example")
    out = str(tmp_path / "out")
    surgqa(checkout, "build", "--dataset", "cholect50", "--root", str(root), "--benchmark",
           "example", "--out", out)  # fmt: skip
    assert "check passed" in surgqa(checkout, "check", out)
    assert changed(before, state(checkout)) == operator | template
