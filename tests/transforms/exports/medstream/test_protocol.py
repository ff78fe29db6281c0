"""Question, note and rubric agree: what the rubric pays for is asked for and nowhere forbidden."""

from __future__ import annotations

import re

import orjson

from surgqa.transforms.exports.medstream.rows import NOTES, note_of
from surgqa.transforms.inference.jobs import jobs_of
from surgqa.transforms.inference.prompts import load_prompt
from surgqa.transforms.language.load import load_programs
from tests.each import cases
from tests.transforms.inference.conftest import row

PROGRAMS = load_programs()
OPEN = [one for one in PROGRAMS if one.stages[0].rubric is not None]
FORBIDS = re.compile(r"nothing else|nothing more|only the answer|answer alone|single letter")
GROUNDS = re.compile(r"(say|and) what (you see that |in the pictures )?shows it")


def mode(program) -> str:
    return program.task.partition("/")[0]


def shown(program) -> str:
    """What 'surgqa infer' says of an item beside its pictures."""
    item = row(0, form=program.stages[0].form, options=[], temporal_mode=mode(program),
               template_id=program.id, unit=program.unit.kind,
               task_mode="streaming" if program.rounds else "single_turn")  # fmt: skip
    (job,) = jobs_of(item, load_prompt(), 2_000_000, "time", 1_000_000)
    return job.user


def test_open_templates_are_found_in_all_benchmarks_that_have_them():
    assert {one.benchmark for one in OPEN} >= {"medstream"}


@cases("program", OPEN, ids=lambda one: one.id)
def test_the_note_allows_what_the_rubric_pays_for(program):
    (stage,) = program.stages
    assert stage.form == "open"
    for text in (note_of(mode(program), "open"), shown(program)):
        assert GROUNDS.search(text), text
        assert not FORBIDS.search(text), text


@cases("text", NOTES.values())
def test_a_note_never_forbids_what_it_asks_for(text):
    assert bool(FORBIDS.search(text)) != bool(GROUNDS.search(text))


def test_a_choice_stands_alone():
    assert "one of the choices" in note_of("present", "closed")
    assert not GROUNDS.search(note_of("present", "closed"))


def test_rules_of_forms_do_not_shorten_what_questions_ask_for():
    """A question may want four parts, or a list; its form does not allow it two sentences."""
    sections = load_prompt().sections
    assert not re.search(r"sentences?|one line", sections["answer: text"])
    long = {
        one.id for one in PROGRAMS if one.benchmark == "surgstu" and one.stages[0].form == "text"
        for asked in [" ".join(map(str, one.stages[0].ask))]
        if re.search(r"four parts|step by step", asked)
    }  # fmt: skip
    assert long


def test_every_exported_item_says_so(export, read):
    """Rows as they are written: whoever pays for grounds asks for them."""
    found = 0
    for path in sorted((export() / "annotations").iterdir()):
        for one in read(path):
            paid = "judge_rubric" in one
            assert paid == bool(GROUNDS.search(one["question"])), orjson.dumps(one)
            assert not (paid and FORBIDS.search(one["question"]))
            found += paid
    assert found
