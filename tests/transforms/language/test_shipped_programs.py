"""All shipped templates, written in question/v1."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path

import jsonschema

from surgqa.ontology.yaml import read_yaml
from surgqa.templates import __file__ as templates
from surgqa.transforms.algebra.signature import signatures
from surgqa.transforms.algebra.tree import Call, Pattern
from surgqa.transforms.algebra.walk import every
from surgqa.transforms.language import Program, json_schema, parse_folder, said
from surgqa.transforms.language.findings import Finding
from surgqa.transforms.language.load import program_files
from tests.each import cases

FOLDER = Path(templates).parent
FILES = program_files(FOLDER)
OWN = sorted((FOLDER / "examples").glob("*.yaml"))

MODES = {"retrospective": "past", "present": "present", "future": "future", "proactive": "future"}
"""First part of a task -> what its questions rest on."""


@cache
def parsed() -> tuple[list[Program], list[Finding]]:
    return parse_folder(FOLDER)


def programs() -> list[Program]:
    return parsed()[0]


def test_every_file_is_in_order():
    assert [str(finding) for finding in parsed()[1]] == []


@cases("benchmark", ["medstream", "sapbench", "surgveo"])
def test_what_an_answer_rests_on_is_the_mode_of_its_task(benchmark):
    """Found from the file alone."""
    mine = [one for one in programs() if one.benchmark == benchmark]
    assert {one.id: one.mode for one in mine} == {one.id: MODES[one.core_task] for one in mine}


def test_what_shipped_templates_print_is_known_from_the_file_alone():
    assert not [one.id for one in programs() if one.by_filling]


def test_all_operators_but_one_are_used():
    calls = {
        node.op
        for one in programs()
        for part in (*one.let, *one.stages)
        for node in every(_parts(part))
        if isinstance(node, Call)
    }
    conditions = {
        node.op for one in programs() for node in every(one.where) if isinstance(node, Call)
    }
    assert set(signatures()) - calls - conditions == {"parts"}


def _parts(part: object) -> tuple[object, ...]:
    if hasattr(part, "node"):
        return (part.node,)
    return (*(node for _, node in part.answer), *part.wrong, *part.where)  # type: ignore[attr-defined]


def test_every_node_knows_its_place():
    for one in programs():
        for step in one.let:
            for node in every(step.node):
                assert node.place > (1, 0), (one.id, step.names, node)


def test_programs_can_be_hashed_and_sent():
    for one in programs():
        assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  (our own bytes)
        assert len({node for step in one.let for node in every(step.node)}) > 0


def test_a_program_is_said_in_sentences():
    for one in programs():
        lines = said(one)
        assert len(lines) >= 2 + len(one.let), one.id
        for line in lines:
            assert line.endswith("."), line
            assert "Const(" not in line and "{" not in line and "None" not in line, line


def test_patterns_name_known_kinds():
    from surgqa.ontology.kinds import kind

    for one in programs():
        assert all(kind(name).described for name in one.kinds), one.id
        used = {
            k for s in one.let for n in every(s.node) if isinstance(n, Pattern) for k in n.kinds
        }
        assert used <= set(one.kinds)


def test_examples_of_no_benchmark_are_short_and_of_many_kinds():
    mine = [one for one in programs() if one.benchmark == "examples"]
    assert len(mine) == len(OWN) == 12
    assert {one.unit.kind for one in mine} == {"clip", "now", "stream", "recording"}
    assert len({name for one in mine for name in one.kinds}) >= 5
    assert all(file.read_text("utf-8").count("\n") <= 30 for file in OWN)


@cases("file", FILES, ids=lambda f: f.stem)
def test_the_editors_schema_takes_it(file):
    data = read_yaml(file.read_text("utf-8"), file.name).data
    validator = jsonschema.Draft202012Validator(json_schema())
    assert [error.message for error in validator.iter_errors(data)] == []


def test_every_answer_has_words():
    assert [one.id for one in programs() for stage in one.stages if not stage.say] == []
