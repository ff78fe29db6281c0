"""From a finding to a finished item: wording, options, rounds, rubric."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from ontology.keys import digest
from ontology.rows import SCHEMA_VERSION
from transforms.language import Query
from transforms.language.load import load_questions
from transforms.language.queries.finders import FILTERS as DECLARED_FILTERS
from transforms.language.queries.finders import FINDERS as DECLARED
from transforms.language.wording import compile_wording
from transforms.questions.queries.ask import FINDERS
from transforms.questions.queries.found import Choice, Named
from transforms.questions.queries.render import FILTERS, fill
from transforms.questions.queries.rubric import rubric_of

from .scenes import (
    TOOLS,
    asked,
    every,
    found,
    items,
    query,
    scene,
    search,
    spans,
    table,
)

PHASES = spans("phase", ("preparation", 0, 60), ("calot_triangle_dissection", 60, 200))
TOOLED = scene(*PHASES, seconds=200, instruments=table(
    every(0, 199, {"hook": range(20, 60), "grasper": range(10, 150)}), TOOLS))  # fmt: skip


def test_what_is_declared_is_there():
    assert set(FINDERS) == set(DECLARED)
    assert set(FILTERS) == set(DECLARED_FILTERS)
    used = {one.finder for one in load_questions() if isinstance(one, Query)}
    assert used == set(DECLARED), "every finder is used"


def test_an_id_names_template_recording_window_and_slots():
    one = query("presence.instrument", every=60)
    for item in items(TOOLED, one):
        slots = orjson.dumps(item.slots, option=orjson.OPT_SORT_KEYS).decode()
        assert item.item_id == digest(
            SCHEMA_VERSION, one.id, one.version, "cholec80/v01", item.window.window_id, slots
        )


def test_closed_answers_have_their_letter():
    for item in items(TOOLED, query("state_now.phase", every=20)):
        (right,) = [option for option in item.options if option.is_answer]
        assert item.answer == f"{right.key}) {right.text}"
        assert right.kind == "answer"
        assert item.extra["rounds"] == []
        assert item.extra["rubric"] is None
        assert (item.extra["temporal_mode"], item.extra["task_mode"]) == ("present", "single_turn")
        assert item.extra["query_us"] == item.window.end_us


def test_yes_and_no():
    answers = set()
    for item in items(TOOLED, query("presence.instrument", every=10)):
        yes = item.answer_value["yes"]
        assert [o.text for o in item.options] == ["Yes", "No"]
        assert [o.is_answer for o in item.options] == [yes, not yes]
        assert item.answer == ("A) Yes" if yes else "B) No")
        answers.add(item.answer)
    assert len(answers) == 2


def test_open_answers_are_sentences_with_a_rubric():
    for item in items(TOOLED, query("set_now_open.instrument", every=20)):
        assert item.options == ()
        assert item.answer.startswith("In view are the following instruments, ")
        rubric = orjson.loads(item.extra["rubric"])
        assert set(rubric) == {"correctness", "evidence_grounding", "safety", "required", "cues",
                               "rivals"}  # fmt: skip
        assert [set(rubric[k]) for k in ("correctness", "evidence_grounding", "safety")] == [
            {"0", "1", "2"}, {"0", "1", "2"}, {"0", "1"}]  # fmt: skip
        assert len(rubric["required"]) == len(item.answer_value["labels"])
        for names in rubric["required"]:
            assert any(name in item.answer for name in names)


def test_a_wording_is_drawn_by_the_window():
    found = items(TOOLED, query("state_now.phase", every=5))
    assert len({item.question for item in found}) == len(query("state_now.phase").ask)
    assert found == items(TOOLED, query("state_now.phase", every=5))


def test_too_few_wrong_options_are_told():
    one = scene(*spans("phase", ("preparation", 0, 60)), seconds=60)
    template = query("state_now.phase", every=60)
    bare = FINDERS["state_now"]
    (ready,) = [f for f in bare(search(one, template)) if hasattr(f, "wrong")]
    assert ready.wrong
    from transforms.questions.queries import ask

    with pytest.MonkeyPatch.context() as patch:
        lonely = {**FINDERS, "state_now": lambda _: iter([replace(ready, wrong=())])}
        patch.setattr(ask, "FINDERS", lonely)
        out = asked(one, template)
    assert out.items == []
    assert [(entry.code, entry.count) for entry in out.declined] == [("too_few_options", 1)]


@pytest.mark.parametrize(("wording", "fields", "text"), [
    ("{{ label | name }}", {"label": Named("phase", "preparation")}, "preparation"),
    ("{{ label | name }}", {"label": "unanswerable"}, "unanswerable"),
    ("{{ label | is }} {{ label | the }}", {"label": Named("instrument", "scissors")},
     "are the scissors"),
    ("{{ label | does }} {{ label | a }}", {"label": Named("instrument", "hook")}, "does a hook"),
    ("{{ label | has }}", {"label": Named("instrument", "bipolar")}, "have"),
    ("{{ labels | list }}", {"labels": [Named("instrument", n) for n in ("hook", "grasper")]},
     "grasper and hook"),
    ("{{ labels | list }}", {"labels": [Named("instrument", n) for n in TOOLS[1:4]]},
     "clip applier, grasper and hook"),
    ("{{ labels | list }}", {"labels": [Named("instrument", "hook")]}, "hook"),
    ("{{ action | act }}", {"action": ("dissect", "cystic_duct")}, "dissecting the cystic duct"),
    ("{{ action | act }}", {"action": ("dissect", "null_target")}, "dissecting"),
    ("{{ ended | clock }}", {"ended": 12_345_600}, "12.346 s"),
    ("{{ number | whole }}", {"number": 3}, "3"),
    ("{{ yes | yes }}", {"yes": False}, "No"),
    ("{{ place | text }}", {"place": "upper left"}, "upper left"),
])  # fmt: skip
def test_filters(wording, fields, text):
    assert fill(compile_wording(wording), fields) == text


def test_a_rubric_names_what_is_right_and_what_contradicts_it():
    template = query("state_now_open.phase", every=20)
    for one in found(TOOLED, "state_now_open.phase"):
        rubric = rubric_of(template.rubric, one)
        assert rubric["required"] == [list(one.names[0])]
        assert one.right in rubric["correctness"]["2"]
        assert one.right not in rubric["rivals"]
        assert rubric["rivals"] == [choice.text for choice in one.wrong]
        assert rubric["cues"]


def test_a_rubric_of_several_names_and_of_none():
    template = query("state_now_open.phase", every=20)
    one = found(TOOLED, "state_now_open.phase")[0]
    both = replace(one, names=(("hook", "diathermy hook"), ("grasper",)))
    assert rubric_of(template.rubric, both)["correctness"] == {
        "2": "names hook and grasper", "1": "names one of hook and grasper, but not all",
        "0": "names none"}  # fmt: skip
    none = replace(one, names=(), gold="unanswerable", wrong=(Choice("hook", "other_label"),))
    rubric = rubric_of(template.rubric, none)
    assert rubric["correctness"]["2"] == "says unanswerable"
    assert rubric["required"] == []
    assert rubric["rivals"] == ["hook"]
