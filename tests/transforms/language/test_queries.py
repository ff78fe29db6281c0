"""The language of questions at a time: in step with its engine, its schema and its files."""

from __future__ import annotations

import json
import pickle
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from ontology.alerts import triggers
from ontology.yaml import read_yaml
from tests.transforms.language.test_odd_values import ODD, places, put
from transforms.language import lint, template_files, templates_folder
from transforms.language.queries import is_query, json_schema, load_queries
from transforms.language.queries.finders import FILTERS, FINDERS, MODES
from transforms.language.queries.schema import values_of
from transforms.questions.queries import ask, render

SHIPPED = [file for file in template_files(templates_folder()) if is_query(file)]
EACH = 5
"""Every fifth odd value in each place; the next place has the next ones."""

SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
FAMILY = """\
schema: query/v1
id: mine.under_way
version: 2
changes: {2: steps as well}
title: Which {{ variant.kind }} is under way
benchmark: mine
task: present/{{ variant.kind }}_mine
form: open
find: {by: state_now, of: {variant: kind}}
look_back: 10
every: {variant: every}
ask:
  - Which {{ variant.noun }} is under way when the window ends?
  - What {{ variant.noun }} is the team in at the end?
  - Say which {{ variant.noun }} the last moment shown belongs to.
answer: "It is {{ label | name }}."
rubric:
  grounds: what is done while {{ label | name }} goes on
  cues: [[seen, visible], [tool, instrument]]
variants:
  phase: {kind: phase, noun: phase, every: 60}
  step: {kind: step, noun: step, every: 30.5}
"""


def laid_out(folder: Path, text: str = FAMILY) -> Path:
    """The family where its id says."""
    (folder / "mine").mkdir(exist_ok=True)
    file = folder / "mine" / "under_way.yaml"
    file.write_text(text, encoding="utf-8")
    return file


# -- in step with the engine -----------------------------------------------------------------


def test_every_finder_is_implemented_and_declared() -> None:
    assert set(ask.FINDERS) == set(FINDERS)


def test_every_filter_prints_and_is_declared() -> None:
    assert set(render.FILTERS) == set(FILTERS)


def test_every_type_has_a_filter_and_every_filter_a_type() -> None:
    given = {
        kind
        for finder in FINDERS.values()
        for kind in (*finder.asks.values(), *finder.answers.values())
    }
    assert given == {kind for types in FILTERS.values() for kind in types}


@pytest.mark.parametrize("name", sorted(FINDERS))
def test_finders_are_documented(name: str) -> None:
    finder = FINDERS[name]
    assert finder.name == name and finder.doc.endswith(".")
    assert finder.mode in MODES and finder.forms
    assert all(param.doc for param in finder.params.values())
    assert finder.answers and not set(finder.asks) & set(finder.answers)


def test_triggers_are_those_of_the_ontology() -> None:
    assert set(values_of("trigger")) == {trigger.alert for trigger in triggers()}


# -- files -----------------------------------------------------------------------------------


def test_a_family_gives_a_query_each(tmp_path: Path) -> None:
    assert [str(finding) for finding in lint([tmp_path])] == []
    phase, step = load_queries([laid_out(tmp_path)], tmp_path)
    assert [phase.id, step.id] == ["mine.under_way.phase", "mine.under_way.step"]
    assert [phase.variant, step.variant] == ["phase", "step"]
    assert (phase.title, step.task) == ("Which phase is under way", "present/step_mine")
    assert (phase.args, step.every_us) == ({"of": "phase"}, 30_500_000)
    assert phase.digest != step.digest
    assert pickle.loads(pickle.dumps(phase)) == phase


def test_a_retired_query_is_not_asked(tmp_path: Path) -> None:
    file = laid_out(tmp_path, FAMILY.replace("form: open", "form: open\nstatus: retired"))
    assert load_queries([file], tmp_path) == []


@pytest.mark.parametrize(
    ("head", "whether"),
    [
        ("schema: query/v1\n", True),
        ("# note\nschema:   'query/v1'\n", True),
        ('{"schema": "query/v1", "id": "a.b"}', True),
        ("schema: template/v1\nnote: query/v1\n", False),
        ("title: 'schema: query/v1'\n", False),
    ],
)
def test_a_query_is_told_by_its_schema(tmp_path: Path, head: str, whether: bool) -> None:
    (tmp_path / "a.yaml").write_text(head, encoding="utf-8")
    assert is_query(tmp_path / "a.yaml") is whether


def test_any_value_in_any_place(tmp_path: Path) -> None:
    data = read_yaml(FAMILY, "family").data
    for number, place in enumerate(places(data)):
        for value in ODD[number % EACH :: EACH]:
            laid_out(tmp_path, json.dumps(put(data, place, value)))
            assert isinstance(lint([tmp_path]), list), (place, value)


# -- the schema for editors --------------------------------------------------------------------


def test_schema_file_is_fresh() -> None:
    file = resources.files("templates") / "schema" / "query-v1.json"
    assert json.loads(file.read_text(encoding="utf-8")) == SCHEMA, (
        "run 'surgqa schema --of query --out templates/schema/query-v1.json'"
    )


def test_schema_describes_every_field() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    owners = [SCHEMA, SCHEMA["$defs"]["RubricFile"], *SCHEMA["$defs"]["find"]["anyOf"]]
    for owner in owners:
        assert [k for k, part in owner["properties"].items() if not part.get("description")] == []
    finders = [part["properties"]["by"]["const"] for part in owners[2:]]
    assert finders == list(FINDERS)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_schema_accepts_every_query(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=../schema/query-v1.json\n")
    data = read_yaml(text, file.name).data
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []


def test_schema_accepts_a_family_of_ones_own() -> None:
    assert VALIDATOR.is_valid(read_yaml(FAMILY, "family").data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"find": {"by": "state_now"}},
        {"find": {"by": "state_nwo", "of": "phase"}},
        {"find": {"by": "state_now", "of": "phse"}},
        {"find": {"by": "state_now", "of": "phase", "look_ahead": 3}},
        {"find": {"by": "state_next", "of": "phase", "look_ahead": "3"}},
        {"find": {"by": "alert", "trigger": "storm"}},
        {"task": "present"},
        {"task": {"variants": "task"}},
        {"form": "multiple"},
        {"look_back": 500},
        {"every": 0},
        {"ask": []},
        {"answer": {"text": "x"}},
        {"rubric": {"grounds": "x"}},
        {"rubric": {"grounds": "x", "cues": [[]]}},
        {"schema": "template/v1"},
        {"id": {"variant": "kind"}},
        {"needs": {}},
        {"variants": {"Phase": {}}},
    ],
    ids=str,
)
def test_schema_underlines_what_is_wrong(wrong: dict) -> None:
    assert not VALIDATOR.is_valid({**read_yaml(FAMILY, "family").data, **wrong})
