"""Templates with variants, shared blocks and examples, as the commands show them."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from surgqa.ontology.yaml import read_yaml
from surgqa.pipeline.cli import units
from surgqa.pipeline.cli.app import run
from surgqa.transforms.language import expanded, load_programs, program_files, templates_folder

FAMILY = """\
schema: question/v1
id: mine.sighting
version: 1
title: When a class of instruments is seen {{ variant.word }}
variants:
  first:
    {word: first, task: existence/first, time: sight.start, found: 3.00 s,
     words: {use: shared/words#first}}
  last:
    {word: last, task: existence/last, time: sight.end, found: 8.00 s,
     words: {use: shared/words#last}}
benchmark: mine
task: {variant: task}
unit: {recording: all}
let:
  sight: {each: instrument, merge: [label]}
  time: {variant: time}
answer: time
ask: {variant: words}
say: "{{ time | clock }}"
examples:
  - seconds: 20
    facts: [{instrument: hook, from: 3, to: 8}]
    where: [sight.label = hook]
    expect: {answer: {variant: found}}
"""
WORDS = "".join(
    f"""\
{word}:
  - When {{{{ sight | is }}}} {{{{ sight | any }}}} seen {word}?
  - At which time {{{{ sight | is }}}} {{{{ sight | any }}}} {word} in view?
  - Give the {word} time at which {{{{ sight | any }}}} can be seen.
  - At what time can {{{{ sight | any }}}} be seen {word}?
"""
    for word in ("first", "last")
)
IDS = ["mine.sighting.first", "mine.sighting.last"]


@pytest.fixture
def folder(tmp_path):
    for place, text in {"mine/sighting": FAMILY, "shared/words": WORDS}.items():
        file = tmp_path / f"{place}.yaml"
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def installed(folder, monkeypatch):
    """The folder as if its templates shipped with surgqa."""
    real = resources.files

    def files(package):
        return folder if package == "surgqa.templates" else real(package)

    monkeypatch.setattr(resources, "files", files)
    units.headlines.cache_clear()
    yield folder
    units.headlines.cache_clear()


def documents(text: str) -> list[dict]:
    return [read_yaml(part, "printed").data for part in text.split("\n---\n")]


def test_lint_runs_the_examples_of_each(folder, capsys):
    assert run(["lint", str(folder)]) == 0
    assert capsys.readouterr().out == ""
    file = folder / "mine" / "sighting.yaml"
    file.write_text(FAMILY.replace("8.00", "9.00"), encoding="utf-8")
    assert run(["lint", str(folder), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["code"], finding["path"]) == ("T116", file.as_posix())
    assert finding["where"] == "mine.sighting.last > examples[0] > expect > answer"
    assert "'8.00 s', not '9.00 s'" in finding["message"]


def test_variants_are_listed_and_shown_by_their_ids(installed, capsys):
    assert run(["list", "templates", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    parsed = load_programs(installed)
    assert [(row["id"], row["title"], row["task"], row["version"]) for row in rows] == [
        (t.id, t.title, t.task, str(t.version)) for t in parsed
    ]
    assert [t.id for t in parsed] == IDS
    assert run(["show", IDS[1]]) == 0
    shown = capsys.readouterr().out
    assert "When a class of instruments is seen last" in shown and "existence/last" in shown
    assert run(["show", IDS[1], "--expanded"]) == 0
    (whole,) = documents(capsys.readouterr().out)
    assert whole == expanded(installed / "mine" / "sighting.yaml", installed)[IDS[1]]
    assert "variant" not in str(whole) and "use" not in whole["ask"]
    assert run(["show", IDS[1], "--expanded", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == IDS[1]


def test_a_broken_family_is_listed_all_the_same(installed, capsys):
    file = installed / "mine" / "sighting.yaml"
    file.write_text(FAMILY.replace("{variant: time}", "{variant: side}"), encoding="utf-8")
    assert run(["list", "templates"]) == 0
    assert capsys.readouterr().out.startswith("mine.sighting")


def test_a_file_is_shown_with_all_it_gives(folder, capsys):
    file = folder / "mine" / "sighting.yaml"
    assert run(["show", str(file)]) == 0
    assert capsys.readouterr().out.count("mine/sighting.yaml") == len(IDS)
    assert run(["show", str(file), "--expanded"]) == 0
    shown = documents(capsys.readouterr().out)
    assert [one["id"] for one in shown] == IDS
    assert run(["show", str(file), "--json"]) == 0
    assert [one["id"] for one in json.loads(capsys.readouterr().out)] == IDS


def test_a_file_that_is_not_there_or_is_broken(folder, capsys):
    assert run(["show", str(folder / "mine" / "sight.yaml"), "--expanded"]) == 3
    file = folder / "mine" / "sighting.yaml"
    file.write_text("variants: {a: {}}\n---\n", encoding="utf-8")
    assert run(["show", str(file), "--expanded"]) == 1
    assert "T101" in capsys.readouterr().err


def test_what_is_printed_is_what_was_read(capsys):
    for file in program_files(templates_folder())[::4]:
        assert run(["show", str(file), "--expanded"]) == 0
        shown = documents(capsys.readouterr().out)
        assert shown == list(expanded(file, templates_folder()).values())


def test_preview_shows_the_whole_family(folder, capsys):
    assert run(["preview", str(folder / "mine" / "sighting.yaml"), "-n", "1"]) == 0
    text = capsys.readouterr().out
    assert [text.count(f"{name} v1: asked ") for name in IDS] == [1, 1]
    assert text.count("\n  Q  ") == 2


def test_preview_of_one_variant(installed, capsys):
    assert run(["preview", IDS[1], "-n", "1"]) == 0
    text = capsys.readouterr().out
    assert IDS[1] in text and IDS[0] not in text
