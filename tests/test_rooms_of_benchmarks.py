"""What works on rows works on any benchmark's: no benchmark is named where all are served."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.each import cases

ROOT = Path(__file__).parent.parent
NAMES = re.compile(r"surgcot|surgstu|surgveo|sap[ _-]?bench|medstream", re.IGNORECASE)
SHARED = ("inference", "review", "steps", "media", "store", "labelling", "language", "questions",
          "algebra", "view")  # fmt: skip
"""Rooms of ``transforms`` in which no benchmark is named, not even in an example."""

CITING = ("checks", "timeline", "windows")
"""Rooms whose docstrings cite where a published convention is from; their code names none."""

OF_ONE = {
    "pipeline/cli/actions.py": "a command about the clips of one benchmark",
    "pipeline/cli/check.py": "reads rows in a published benchmark's format",
    "pipeline/cli/judge.py": "a command about what is rated",
    "pipeline/cli/score.py": "prints the tables of published benchmarks",
    "pipeline/cli/study.py": "a command about the study of one benchmark",
    "pipeline/cli/infer.py": "reads replies as they are scored",
    "pipeline/cli/nothing.py": "advice to people, with examples",
    "pipeline/cli/new.py": "starting points by example",
    "pipeline/cli/demo.py": "which items the demo shows",
    "pipeline/choices.py": "the published mix, kept as data",
    "pipeline/config.py": "the default of --benchmark",
}
"""Files of the command line that are about one benchmark, and why."""


def _files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*")
                  if path.is_file() and path.suffix in (".py", ".txt", ".j2", ".yaml"))  # fmt: skip


def _spoken(path: Path) -> str:
    """The text without docstrings and remarks, where examples of the command line stand."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _words(one)] or [ast.Pass()]
    return ast.unparse(tree)


def _words(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cases("room", SHARED)
def test_a_shared_room_names_no_benchmark(room: str) -> None:
    for path in _files(f"transforms/{room}"):
        found = NAMES.search(path.read_text(encoding="utf-8"))
        assert not found, f"{path.relative_to(ROOT)} names {found and found[0]}"


@cases("room", CITING)
def test_code_that_serves_all_names_no_benchmark(room: str) -> None:
    folder = ROOT / "transforms" / room
    for path in _files(f"transforms/{room}"):
        if not OWN_ROOM.fullmatch(path.relative_to(folder).parts[0]):
            found = NAMES.search(_spoken(path))
            assert not found, f"{path.relative_to(ROOT)} names {found and found[0]}"


OWN_ROOM = re.compile(r"medstream|surgcot|surgveo|sapbench|surgstu")
"""A folder of a benchmark's own."""


TEMPLATES = sorted(
    path for path in (ROOT / "templates").rglob("*.yaml") if "shared" not in path.parts
)


@cases("path", TEMPLATES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_every_template_is_in_the_one_language(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^schema: (.*)$", text, re.M) == ["question/v1"]
    assert not re.search(r"\bfind:", text)


def test_what_all_formats_share_names_none_of_them() -> None:
    for path in sorted((ROOT / "transforms" / "exports").glob("*.*")):
        found = NAMES.search(path.read_text(encoding="utf-8"))
        assert not found, f"{path.relative_to(ROOT)} names {found and found[0]}"


def test_the_command_line_names_benchmarks_only_where_it_says_why() -> None:
    rest = [path for path in _files("pipeline") if "docs" not in path.parts[len(ROOT.parts) :]]
    naming = {path.relative_to(ROOT).as_posix() for path in rest
              if path.suffix == ".py" and NAMES.search(_without_help(path))}  # fmt: skip
    assert naming <= set(OF_ONE), naming - set(OF_ONE)


HELP = re.compile(r"--benchmark \w+|for '?sapbench'?|docs/\w+\.md|: medstreambench")
"""Parts of texts for people: examples of a command, pages, values that an option takes."""


def _without_help(path: Path) -> str:
    return HELP.sub("", _spoken(path))
