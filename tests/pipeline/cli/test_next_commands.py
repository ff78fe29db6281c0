"""Commands that a message proposes can be pasted into a shell, whatever the folders are called."""

import re
import shlex
from pathlib import Path

from surgqa.pipeline import cli
from surgqa.pipeline.cli.console import shown
from tests.each import each

PATHS = {"out", "to", "path", "folder", "questions", "data", "store", "root", "tasks"}
"""Names, or last parts of names, that hold paths in the modules of the commands."""


def _quotes(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        for name in re.findall(r"\{([\w.]+)\}", line.partition("surgqa ")[2]):
            assert name.rpartition(".")[2] not in PATHS, line


def test_paths_in_commands_are_quoted():
    each(sorted(Path(cli.__file__).parent.glob("*.py")), _quotes)


def test_a_path_is_one_word_of_a_shell():
    for path in ("out", "gs://b/out", "my out/ü", "it's"):
        assert shlex.split(f"surgqa check {shown(path)}") == ["surgqa", "check", path]
