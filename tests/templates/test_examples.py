"""The templates of no benchmark: each lints, comes out as its examples say and can be previewed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from pipeline.preview.known import first_asked
from pipeline.preview.programs import preview_program
from transforms.language import templates_folder
from transforms.language.program import Program, parse_folder
from transforms.questions.engine.example import examples_come_out

FILES = sorted((templates_folder() / "examples").glob("*.yaml"))

UNASKED = {"bleeding_before_leaving", "first_after_return", "first_smoke", "longest_pause"}
"""Templates of events that no sample has: their own examples show that they ask."""


@cache
def programs() -> dict[str, Program]:
    found, findings = parse_folder(templates_folder(), FILES)
    assert [str(one) for one in findings] == []
    return {one.id.removeprefix("examples."): one for one in found}


def test_there_are_twelve():
    assert len(programs()) == len(FILES) == 12
    assert all(file.read_text("utf-8").count("\n") <= 30 for file in FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_its_examples_come_out(file: Path):
    program = programs()[file.stem]
    assert program.examples
    assert [str(one) for one in examples_come_out(program)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_is_previewed(file: Path):
    program = programs()[file.stem]
    dataset, asked = first_asked(program)
    assert bool(asked.items) == (file.stem not in UNASKED)
    text = preview_program(program, dataset or "cholect50", 2)
    assert text.startswith(f"{program.id} v1: asked {len(asked.items)} item(s) in the ")
