"""Question, note and rubric agree: what the rubric pays for is asked for and nowhere forbidden."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest
from ruamel.yaml import YAML
from transforms.language.queries import is_query, load_queries

from tests.transforms.inference.conftest import row
from transforms.exports.medstream.protocol import NOTES, note_of
from transforms.inference.jobs import jobs_of
from transforms.inference.prompts import load_prompt
from transforms.language.load import program_files

ROOT = Path(__file__).parents[4]
FOLDER = ROOT / "templates"
QUERIES = load_queries([f for f in sorted(FOLDER.rglob("*.yaml")) if is_query(f)], FOLDER)
OPEN = [query for query in QUERIES if query.rubric is not None]
FORBIDS = re.compile(r"nothing else|nothing more|only the answer|answer alone|single letter")
GROUNDS = re.compile(r"(say|and) what (you see that |in the pictures )?shows it")


def mode(query) -> str:
    return query.task.partition("/")[0]


def shown(query, **more) -> str:
    """What 'surgqa infer' says of an item beside its pictures."""
    streams = mode(query) in ("proactive",)
    item = row(0, form=query.form, options=[], temporal_mode=mode(query), template_id=query.id,
               task_mode="streaming" if streams else "single_turn", resolution_us=None,
               slots="{}", **more)  # fmt: skip
    (job,) = jobs_of(item, load_prompt(), 2_000_000, "time", 1_000_000)
    return job.user


def test_open_templates_are_found_in_all_benchmarks_that_have_them():
    """A rubric stands in query templates alone; a template of another kind would need a note."""
    with_rubric = {
        file.relative_to(FOLDER).parts[0]
        for file in program_files(FOLDER)
        if "rubric" in (YAML(typ="safe").load(file) or {})
    }
    assert {query.benchmark for query in OPEN} == with_rubric == {"medstream"}


@pytest.mark.parametrize("query", OPEN, ids=lambda query: f"{query.id}-{query.task}")
def test_the_note_allows_what_the_rubric_pays_for(query):
    assert query.form == "open" and query.rubric.cues
    for text in (note_of(mode(query), "open"), shown(query)):
        assert GROUNDS.search(text), text
        assert not FORBIDS.search(text), text


@pytest.mark.parametrize("text", NOTES.values())
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
        file.stem for file in (FOLDER / "surgstu").glob("*.yaml")
        for one in [YAML(typ="safe").load(file)]
        if one["form"] == "text" and re.search(r"four parts|step by step", " ".join(one["ask"]))
    }  # fmt: skip
    assert long == {"action_sequence", "trajectory_reasoning"}


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
