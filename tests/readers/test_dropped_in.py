"""A dataset of one's own: one folder dropped in, nothing else edited, everything works."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DROPPED = Path(__file__).parent / "dropped" / "clinic"
PACKAGES = ("ontology", "pipeline", "templates", "transforms")
CONTRACT = ("test_contract.py", "test_damage.py", "test_questions_fire.py", "test_unchanged.py")


STEPS = """
import sys
from pathlib import Path
from surgqa.pipeline.cli.app import run
from surgqa.transforms.registry import load_sample
root = sys.argv[1]
load_sample("clinic")(Path(root))
for line in ("list datasets", f"verify clinic --root {root}",
             f"build --dataset clinic --root {root} --out {root}/out --workers 1",
             f"check {root}/out"):
    assert run(line.split()) == 0, line
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory, repo_root: Path) -> Path:
    """The project with the folder in its place."""
    root = tmp_path_factory.mktemp("dropped") / "project"
    # What is compiled comes along, but not what another process is writing just now.
    ignore = shutil.ignore_patterns("*.pyc.*")
    for name in PACKAGES:
        shutil.copytree(repo_root / name, root / name, ignore=ignore)
    shutil.copytree(repo_root / "surgqa", root / "surgqa", symlinks=True)
    (root / "tests" / "readers").mkdir(parents=True)
    for name in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(repo_root / name, root / name)
    for name in CONTRACT:
        shutil.copy(repo_root / "tests" / "readers" / name, root / "tests" / "readers")
    shutil.copytree(DROPPED, root / "transforms" / "readers" / "clinic", ignore=ignore)
    return root


def run(root: Path, *arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=root, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(root), "COLUMNS": "200"}, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_listed_and_its_sample_is_built_and_checked(copy: Path, tmp_path: Path) -> None:
    said = run(copy, "-c", STEPS, tmp_path)
    assert all(words in said for words in ("clinic", "the contract holds", "check passed"))


def test_it_is_tested_like_every_other_by_being_there(copy: Path, tmp_path: Path) -> None:
    # Its temporary folders lie beside nobody's, who might take theirs away while it looks.
    told = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp",
               tmp_path / "own", "tests/readers", "-k", "clinic", "--update-golden")  # fmt: skip
    assert int(told.split(" passed")[0].split()[-1]) > 25
