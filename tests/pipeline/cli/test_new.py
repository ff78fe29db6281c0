"""``surgqa new``: what it writes is in order as it is, and asks something."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from surgqa.ontology import plugins
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.scaffolds import STARTS
from surgqa.pipeline.preview.contract import broken_promises
from surgqa.pipeline.preview.known import first_asked
from surgqa.transforms.algebra import operators
from surgqa.transforms.algebra.columns.evaluate import form_of
from surgqa.transforms.algebra.signature import signatures
from surgqa.transforms.algebra.worlds.naive import definition_of
from surgqa.transforms.language import parse_file
from surgqa.transforms.store import OutputFolder


def made(tmp_path: Path, like: str) -> Path:
    line = ["new", "template", f"mine.{like}", "--like", like, "--templates", str(tmp_path)]
    assert run(line) == 0
    return tmp_path / "mine" / f"{like}.yaml"


@pytest.mark.parametrize("like", STARTS)
def test_a_starting_point_lints_and_asks_as_it_is(tmp_path, capsys, like):
    file = made(tmp_path, like)
    out, err = capsys.readouterr()
    assert out.split() == [str(file)] and f"surgqa lint {file}" in err
    assert run(["lint", str(file)]) == 0
    assert capsys.readouterr().out == ""
    (program,), _ = parse_file(file, tmp_path)
    dataset, asked = first_asked(program)
    assert dataset and asked.items
    assert (tmp_path / "schema" / "question-v1.json").is_file()


def test_starting_points_are_of_every_unit_and_of_many_kinds(tmp_path):
    found = [parse_file(made(tmp_path, like), tmp_path)[0][0] for like in STARTS]
    units = {one.unit.kind for one in found}
    assert units == {"clip", "still", "recording", "now", "stream", "chain"}
    assert len({name for one in found for name in one.kinds}) >= 5


def test_a_file_is_started_from_the_usual_one_where_nobody_can_be_asked(tmp_path, capsys):
    assert run(["new", "question", "mine.one", "--templates", str(tmp_path)]) == 0
    assert "started from 'count'; --like gives another one: box, " in capsys.readouterr().err
    assert "count: interaction" in (tmp_path / "mine" / "one.yaml").read_text("utf-8")


@pytest.mark.parametrize("answer", ["4", "state"])
def test_whoever_can_be_asked_chooses(tmp_path, capsys, monkeypatch, answer):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.prompt", lambda *args, **more: answer)
    assert run(["new", "template", "mine.one", "--templates", str(tmp_path)]) == 0
    assert "\n  4  state      what is under way at a time\n" in capsys.readouterr().err
    assert "{only: phase, at: now}" in (tmp_path / "mine" / "one.yaml").read_text("utf-8")


def test_a_starting_point_that_there_is_not(tmp_path, capsys):
    line = ["new", "template", "mine.one", "--like", "stat", "--templates", str(tmp_path)]
    assert run(line) == 2
    assert "did you mean state?" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


# -- operators and scorers of other packages ------------------------------------------------------


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Installs a package's operator, as pip would, and forgets it again."""
    caches = (operators.packages, signatures, form_of, definition_of)
    monkeypatch.chdir(tmp_path)

    def install(name: str) -> Path:
        folder = tmp_path / f"surgqa_{name}"
        monkeypatch.syspath_prepend(str(folder))
        point = EntryPoint(name, f"surgqa_{name}", plugins.OPERATORS)
        monkeypatch.setattr(plugins, "entry_points", lambda group: [point])
        for one in caches:
            one.cache_clear()
        importlib.invalidate_caches()
        return folder / f"surgqa_{name}"

    yield install
    monkeypatch.undo()
    for one in caches:
        one.cache_clear()
    for name in [name for name in sys.modules if name.startswith("surgqa_")]:
        del sys.modules[name]


def test_a_new_operator_is_installed_and_keeps_the_contract(installed, capsys):
    assert run(["new", "operator", "midpoint"]) == 0
    written = capsys.readouterr().out.split()
    assert {Path(one).name for one in written} == {
        "__init__.py", "signature.py", "naive.py", "columns.py", "sql.py", "midpoint.yaml",
        "pyproject.toml", "test_midpoint.py",
    }  # fmt: skip
    installed("midpoint")
    assert "midpoint" in signatures() and "first" in signatures()
    assert broken_promises("midpoint") == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("columns.py", "// 2 for", "// 3 for", "T116"),
        ("columns.py", "(a.lo, b.lo), (a.at", "(a.hi, b.hi), (a.at", "and a world has"),
        ("signature.py", "two times.\"", "two times\"", "its summary is not a sentence"),
        ("midpoint.yaml", "midpoint: [", "coalesce: [", "does not use 'midpoint'"),
    ],
)  # fmt: skip
def test_an_operator_that_is_wrong_is_found_out(installed, capsys, file, old, new, said):
    run(["new", "operator", "midpoint"])
    path = installed("midpoint") / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    assert any(said in one for one in broken_promises("midpoint"))


def test_an_operator_without_a_form_is_found_out(installed, capsys):
    run(["new", "operator", "midpoint"])
    (installed("midpoint") / "sql.py").unlink()
    assert broken_promises("midpoint") == [
        "a function 'midpoint' in the module surgqa_midpoint.sql is missing"
    ]


def test_a_shipped_operator_keeps_its_name(installed, capsys):
    assert run(["new", "operator", "first"]) == 2
    assert "an operator of that name exists" in capsys.readouterr().err
    installed("first")
    assert run(["lint"]) == 2
    assert "two operators have the same name" in capsys.readouterr().err


PACKAGES = {"my_reader": ("reader", "datasets"), "my_data": ("dataset", "datasets"),
            "my_format": ("export", "exports"), "words_alike": ("scorer", "scorers"),
            "my_detector": ("extractor", "extractors"),
            "my_cluster": ("engine", "engines")}  # fmt: skip
"""Name -> kind and the group of entry points in which a package offers it."""

INSTALLED = """
import os
from pathlib import Path
import pytest
from surgqa.pipeline.cli.app import run
from surgqa.transforms.exports.formats import formats
from surgqa.transforms.registry import load_sample
if __name__ == "__main__":
    tests = sorted(map(str, Path().glob("surgqa_*/tests")))
    assert pytest.main(["-q", "-p", "no:cacheprovider", "--basetemp", "own", *tests]) == 0
    print(*formats())
    built = "build --benchmark medstream --out out"
    for name in ("my_reader", "my_data"):
        Path(name).mkdir()
        load_sample(name)(Path(name))
        built += f" --dataset {name} --root {name}"
    looked = "observe run.yaml --video film.mp4 --extractor my_detector --out"
    for line in ("list datasets", "list extractors", "list engines", built, "check out",
                 f"{looked} one --chunk 3", f"{looked} two --workers 2"):
        if "two" not in line or "SURGQA_LONG" in os.environ:  # by day on workers in test_plugins
            assert run(line.split()) == 0, line
"""


@pytest.fixture(scope="module")
def packages(once, films) -> Path:
    """A package of each kind as ``surgqa new`` writes it and pip would leave it.

    One process has them all: it runs their tests, lists and uses them; ``said.txt`` is its output.
    """

    def make(to: Path) -> None:
        for name, (kind, group) in PACKAGES.items():
            with contextlib.chdir(to):
                assert run(["new", kind, name]) == 0
            folder = to / f"surgqa_{name}"
            told = folder / f"{folder.name}-0.1.0.dist-info"
            told.mkdir()
            (told / "METADATA").write_text(
                f"Metadata-Version: 2.1\nName: {folder.name}\nVersion: 0.1.0\n"
            )
            offered = (folder / "pyproject.toml").read_text().partition(f'."surgqa.{group}"]\n')[2]
            points = f"[surgqa.{group}]\n{offered.replace(chr(34), '')}"
            (told / "entry_points.txt").write_text(points)
        films.film(to / "film.mp4", 7001, 8)
        (to / "run.yaml").write_text("schema: observe/v1\ndetect: {threshold: 180}\n")
        (to / "installed.py").write_text(INSTALLED)
        paths = [*(to / f"surgqa_{name}" for name in PACKAGES), Path(__file__).parents[3]]
        done = subprocess.run(
            [sys.executable, "installed.py"], cwd=to, text=True, capture_output=True, check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        (to / "said.txt").write_text(done.stdout)

    return once("new-packages", make)


def test_new_packages_are_found_and_keep_their_tests(packages):
    said = (packages / "said.txt").read_text()
    # Of the export two, of the extractor two, of the scorer six, of the others one each.
    assert re.search(r"^13 passed in", said, re.M)
    for shown in ("my_reader", "my_data", "my-format", "my_detector  boxes (section detect)",
                  "my_cluster  what it is, in one line"):  # fmt: skip
        assert shown in said


def test_a_new_dataset_is_built_and_checked_where_it_is_installed(packages, capsys):
    assert "check passed" in (packages / "said.txt").read_text()
    found = {row["dataset"] for row in OutputFolder(packages / "out").rows()}
    assert found == {"my_reader", "my_data"}
    assert run(["check", str(packages / "out")]) == 3  # here, where it is not installed
    err = capsys.readouterr().err
    assert "the label names of" in err and "my_data" in err and "are not installed" in err


def test_a_new_extractor_is_run(packages, tmp_path, capsys):
    said = (packages / "said.txt").read_text()
    assert "boxes" in said and "next        surgqa build" in said
    if "SURGQA_LONG" in os.environ:
        one, two = re.findall(r"^digest +(\w+)$", said, re.M)[-2:]
        assert one == two
    told = json.loads((packages / "one" / "videos" / "film" / "video.json").read_text())
    assert told["kinds"]["boxes"]["rows"] > 0
    identity = told["extractors"]["detect"]["identity"]
    assert identity["extractor"] == "my_detector" and identity["settings"]["threshold"] == 180
    # Its evidence is that of a model: what it does not find is unknown.  A store needs no plug-in.
    line = ["build", "--dataset", "observed", "--root", str(packages / "one"), "--benchmark",
            "medstream", "--out", str(tmp_path / "out")]  # fmt: skip
    assert run(line) == 0
    assert "unmeasured" in (tmp_path / "out" / "rejected" / "read.jsonl").read_text()
    assert run(["check", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("export", "lm_eval", "a format of that name exists"),
        ("engine", "flink", "an engine of that name exists"),
        ("extractor", "speech", "an extractor of that name exists"),
    ],
)
def test_a_shipped_name_is_taken(tmp_path, monkeypatch, capsys, kind, name, said):
    monkeypatch.chdir(tmp_path)
    assert run(["new", kind, name]) == 2
    assert said in capsys.readouterr().err


def test_a_new_extractor_is_refused_by_its_section_and_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for arguments, said in (
        (["--extractor", "my_detector"], "no extractor is called 'my_detector'"),
        (["--extractor", "detect", "--extractor", "detect"], "two extractors are of one section"),
    ):
        line = ["observe", "--video", "film.mp4", "--out", "store", *arguments]
        assert run(line) == 2
        assert said in capsys.readouterr().err
    Path("run.yaml").write_text("schema: observe/v1\ndetect: {by: speech}\n")
    Path("film.mp4").write_bytes(b"")
    assert run(["observe", "run.yaml", "--video", "film.mp4", "--out", "store"]) == 2
    assert "the extractor 'speech' finds utterances" in capsys.readouterr().err
