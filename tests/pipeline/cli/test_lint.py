"""surgqa lint: every finding names a place that a terminal or an editor can open."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline.cli.app import run
from surgqa.transforms.language import load_programs

WRONG = """\
schema: question/v1
id: mine.example
version: one
title: Which phase is under way
benchmark: mine
task: present/phase
unit: {now: any, see: 10 s, every: 30 s}
let:
  here: {only: phase, at: now}
answer: here.label
ask:
  - Which phase is this?
"""
PLACE = re.compile(
    r"^ *(?P<path>[^:\n]+\.yaml):(?P<line>\d+):(?P<column>\d+): \w+ (?P<code>T\d+) ", re.M
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A templates folder with a mistake, in the folder from which surgqa is called."""
    (tmp_path / "own" / "mine").mkdir(parents=True)
    (tmp_path / "own" / "mine" / "example.yaml").write_text(WRONG, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Path("own")


def places(text: str) -> list[tuple[str, str]]:
    """(what stands at the place, code) of each finding that is printed."""
    out = []
    for found in PLACE.finditer(text):
        line = Path(found["path"]).read_text(encoding="utf-8").splitlines()[int(found["line"]) - 1]
        out.append((line[int(found["column"]) - 1 :], found["code"]))
    return out


@pytest.mark.parametrize("named", ["own", "own/mine", "own/mine/example.yaml"])
def test_the_path_opens_from_where_lint_was_called(folder: Path, capsys, named: str) -> None:
    assert run(["lint", named]) == 1
    text = capsys.readouterr().out
    found = places(text)
    assert len(found) == len(text.splitlines()) > 0
    assert found[0] == ("one", "T102")


def test_json_has_the_column(folder: Path, capsys) -> None:
    assert run(["lint", "own", "--json"]) == 1
    first = json.loads(capsys.readouterr().out)[0]
    assert (first["path"], first["line"], first["column"]) == ("own/mine/example.yaml", 3, 10)


@pytest.mark.parametrize("name", ["mine/example.yaml", "shared/words.yaml"])
def test_what_is_no_text_is_named_as_it_opens(folder: Path, capsys, name: str) -> None:
    (folder / "shared").mkdir()
    (folder / name).write_bytes(b"id: \xff")
    assert run(["lint", "own"]) != 0
    assert where(capsys.readouterr().err) == f"own/{name}"


def where(said: str) -> str:
    """The place that an error names."""
    (place,) = re.findall(r"^  where +(.+)$", said, re.M)
    return str(place)


def test_a_build_names_the_same_places(folder: Path) -> None:
    with pytest.raises(UserError) as error:
        load_programs(folder)
    assert places("\n".join(error.value.lines()))[0] == ("one", "T102")
