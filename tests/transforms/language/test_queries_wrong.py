"""Every mistake in a query template has its message, with its line and its place.

One edit of a clean file each: the lines that go, those that come, and what lint says.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.transforms.language.wrong_templates import by_line
from transforms.language import TemplateErrors, lint
from transforms.language.findings import CODES
from transforms.language.queries import load_queries

RIGHT = """\
schema: query/v1
id: wrong.example
version: 1
title: Which phase is under way
benchmark: wrong
task: present/phase
form: choice
find: {by: state_now, of: phase}
look_back: 10
every: 60
ask:
  - Which phase is under way at the end of this window?
  - When the window ends, which phase is the team in?
  - Say which phase the last moment shown belongs to.
answer: "{{ label | name }}"
"""
STREAM = RIGHT.replace("present/", "future/").replace("state_now", "state_begins").replace(
    "look_back: 10\n", ""
)  # fmt: skip
SEEN = """\
schema: query/v1
id: wrong.example
version: 1
title: Whether something is in view
benchmark: wrong
task: present/seen
form: yes_no
find: {by: presence_now, of: instrument}
look_back: 10
every: 60
ask:
  - At the end of this window, {{ label | is }} {{ label | a }} in view?
  - When the window ends, does the picture show {{ label | a }}?
  - Looking at the last moment shown, {{ label | is }} {{ label | a }} to be seen?
answer: "{{ yes | yes }}"
"""
OPEN = RIGHT.replace("form: choice", "form: open").replace(
    'answer: "{{ label | name }}"', 'answer: "It is {{ label | name }}."'
)
FAMILY = RIGHT.replace("of: phase", "of: {variant: kind}") + "variants:\n  a: {kind: phase}\n"
FAMILY = FAMILY.replace("task: present/phase", "task: present/{{ variant.kind }}")

NEXT = (
    RIGHT.replace("present/phase", "future/next")
    .replace("{by: state_now, of: phase}", "{by: next_action}")
    .replace("every: 60\n", "")
    .replace("label | name", "action | name")
)
STAGE = NEXT.replace(
    "{by: next_action}",
    '{by: stage_after, track: laparoscopic, procedure: hysterectomy, fps: "25"}',
).replace("action | name", "label | name")

AT = "wrong/example.yaml"
NOT_HERE = {
    "T113": "tests/templates: a template must fire on the readers' samples",
    "T114": "the finders of yes/no questions draw the side themselves",
    "T116": "there are no examples in this language",
}
"""Codes that this language has no mistake for, and why."""

MISTAKES = {
    "not_yaml": (
        RIGHT, "every: 60", "every: 60\nevery: 30",
        f'{AT}:11: T101 {AT}: found duplicate key "every" with value "30" '
        '(original value: "60")',
    ),
    "unknown_field": (
        RIGHT, "every: 60", "evry: 60",
        f"{AT}:10: T102 wrong.example > evry: unknown field 'evry'  (did you mean 'every'?)",
    ),
    "missing_field": (
        RIGHT, "title: Which phase is under way\n", "",
        f"{AT}:1: T102 wrong.example: 'title' is missing",
    ),
    "mistyped_number": (
        RIGHT, "every: 60", 'every: "60"',
        f"{AT}:10: T102 wrong.example > every: Input should be a valid number",
    ),
    "window_too_long": (
        RIGHT, "look_back: 10", "look_back: 500",
        f"{AT}:9: T102 wrong.example > look_back: Input should be less than or equal to 120",
    ),
    "empty_cue": (
        OPEN, "every: 60", "every: 60\nrubric: {grounds: what is done, cues: [[]]}",
        f"{AT}:11: T102 wrong.example > rubric > cues[0]: List should have at least 1 item after "
        "validation, not 0",
    ),
    "no_finder": (
        RIGHT, "find: {by: state_now, of: phase}", "find: {of: phase}",
        f"{AT}:8: T102 wrong.example > find: 'by' is missing  (name a finder: "
        "docs/operators.md)",
    ),
    "missing_argument": (
        RIGHT, "find: {by: state_now, of: phase}", "find: {by: state_now}",
        f"{AT}:8: T102 wrong.example > find: 'of' is missing",
    ),
    "unknown_argument": (
        RIGHT, "find: {by: state_now, of: phase}", "find: {by: state_now, of: phase, off: 3}",
        f"{AT}:8: T102 wrong.example > find > off: unknown field 'off'  (did you mean 'of'?)",
    ),
    "wrong_id": (
        RIGHT, "id: wrong.example", "id: wrong.sample",
        f"{AT}:2: T103 wrong.sample: its path says 'wrong.example'  (rename the file or correct "
        "the id)",
    ),
    "unknown_in_the_question": (
        RIGHT, "which phase is the team in?", "which phase is {{ tool | the }} in?",
        f"{AT}:13: T104 wrong.example > ask[1]: nothing is called 'tool' here  (fields: none)",
    ),
    "unfit_filter": (
        RIGHT, "{{ label | name }}", "{{ label | clock }}",
        f"{AT}:15: T104 wrong.example > answer: filter 'clock' does not take name  "
        "(filters: name, a, the, is, does, has)",
    ),
    "no_filter": (
        RIGHT, "{{ label | name }}", "{{ label }}",
        f"{AT}:15: T104 wrong.example > answer: 'label' (name) needs a filter  "
        "(filters: name, a, the, is, does, has)",
    ),
    "unused_window": (
        STREAM, "every: 60", "look_back: 10\nevery: 60",
        f"{AT}:9: T105 wrong.example > look_back: a stream begins with its question, so this is "
        "not used  (remove it)",
    ),
    "unused_stretches": (
        NEXT, "look_back: 10", "look_back: 10\nevery: 60",
        f"{AT}:10: T105 wrong.example > every: every clip is asked about, so this is not used  "
        "(remove it)",
    ),
    "unused_key": (
        FAMILY, "{kind: phase}", "{kind: phase, noun: phase}",
        f"{AT}:17: T105 wrong.example.a > variants > a > noun: nothing uses this key  (remove it "
        "from every variant)",
    ),
    "unknown_finder": (
        RIGHT, "by: state_now", "by: state_nwo",
        f"{AT}:8: T106 wrong.example > find > by: no finder named 'state_nwo'  (did you mean "
        "'state_now'?)",
    ),
    "unknown_kind": (
        RIGHT, "of: phase", "of: phases",
        f"{AT}:8: T106 wrong.example > find > of: no kind of label is called 'phases'  (did you "
        "mean 'phase'?)",
    ),
    "number_below_its_least": (
        NEXT, "{by: next_action}", "{by: next_action, shortest: 0}",
        f"{AT}:8: T102 wrong.example > find > shortest: Input should be greater than or equal to 1",
    ),
    "no_rate": (
        STAGE, 'fps: "25"', 'fps: "25 fps"',
        f"{AT}:8: T102 wrong.example > find > fps: String should match pattern "
        "'^[1-9][0-9]*(/[1-9][0-9]*)?$'",
    ),
    "unknown_track": (
        STAGE, "track: laparoscopic", "track: laparoscopy",
        f"{AT}:8: T106 wrong.example > find > track: no track is called 'laparoscopy'  (did you "
        "mean 'laparoscopic'?)",
    ),
    "unknown_filter": (
        RIGHT, "{{ label | name }}", "{{ label | nmae }}",
        f"{AT}:15: T106 wrong.example > answer: no filter named 'nmae'  (did you mean 'name'?)",
    ),
    "variant_with_a_filter": (
        FAMILY, "which phase is the team in?", "which {{ variant.kind | name }} is the team in?",
        f"{AT}:13: T107 wrong.example.a > ask[1]: a variant's text is put in as "
        "'{{ variant.key }}', with no filter",
    ),
    "version_without_changes": (
        RIGHT, "version: 1", "version: 2",
        f"{AT}:3: T108 wrong.example > version: version 2 does not say what changed  (add '2: …' "
        "under changes)",
    ),
    "described_version_ahead": (
        RIGHT, "version: 1", "version: 1\nchanges: {2: words}",
        f"{AT}:4: T108 wrong.example > changes[2]: version 2 is described, but the template is "
        "at 1  (set version to 2)",
    ),
    "answer_in_the_question": (
        RIGHT, "which phase is the team in?", "is {{ label | name }} under way?",
        f"{AT}:13: T109 wrong.example > ask[1]: 'label' is the answer, and a question must not "
        "show it  (leave it out, or use it in 'answer')",
    ),
    "label_in_the_question": (
        RIGHT, "which phase is the team in?", "is it clipping and cutting?",
        f"{AT}:13: T109 wrong.example > ask[1]: names 'clipping and cutting', which can be the "
        "answer  (use a field, or leave it out)",
    ),
    "action_in_the_question": (
        NEXT, "which phase is the team in?", "is it dissection?",
        f"{AT}:12: T109 wrong.example > ask[1]: names 'dissection', which can be the answer  (use "
        "a field, or leave it out)",
    ),
    "stage_in_the_question": (
        STAGE, "which phase is the team in?", "is it specimen removal?",
        f"{AT}:12: T109 wrong.example > ask[1]: names 'specimen removal', which can be the "
        "answer  (use a field, or leave it out)",
    ),
    "other_mode": (
        RIGHT, "task: present/", "task: future/",
        f"{AT}:6: T110 wrong.example > task: the finder's questions are present, the task says "
        "'future'  (begin the task with 'present/')",
    ),
    "other_form": (
        RIGHT, "form: choice", "form: yes_no",
        f"{AT}:7: T110 wrong.example > form: state_now has no questions of form yes_no  (forms: "
        "choice, open)",
    ),
    "open_without_rubric": (
        RIGHT, "form: choice", "form: open",
        f"{AT}:7: T110 wrong.example > form: open questions have a rubric, closed ones have none",
    ),
    "two_wordings": (
        RIGHT, "  - When the window ends, which phase is the team in?\n", "",
        f"{AT}:11: T111 wrong.example > ask: 2 wording(s)  (write three)",
    ),
    "equal_wordings": (
        RIGHT, "Say which phase the last moment shown belongs to.",
        "When the window ends which phase is the team in",
        f"{AT}:14: T111 wrong.example > ask[2]: says the same as ask[1]\n"
        f"{AT}:14: T112 wrong.example > ask[2]: no question mark or full stop at the end",
    ),
    "plural_names": (
        SEEN, "{{ label | is }} {{ label | a }} in view?", "is {{ label | a }} in view?",
        f"{AT}:12: T112 wrong.example > ask[0]: 'is' is written out beside {{{{ label | a }}}}  "
        "(write {{ label | is }} for 'is')",
    ),
    "two_articles": (
        SEEN, "does the picture show {{", "does the picture show a {{",
        f"{AT}:13: T112 wrong.example > ask[1]: article before {{{{ label | a }}}}, which brings "
        "its own  (remove the article)",
    ),
    "dataset_named": (
        RIGHT, "at the end of this window?", "at the end of this Cholec80 window?",
        f"{AT}:12: T115 wrong.example > ask[0]: names 'Cholec80'  (ask without naming the source)",
    ),
}  # fmt: skip
"""Name -> clean file, text that goes, text that comes, what lint says."""

LINT_ONLY = {"T105", "T108", "T111", "T112", "T115"}
NAMES_AN_ANSWER = ("label_in_the_question", "action_in_the_question", "stage_in_the_question")


def codes(message: str) -> set[str]:
    return set(re.findall(r": (T\d{3}) ", message))


def laid_out(folder: Path, text: str) -> Path:
    """A file under the place that its id says."""
    file = folder / AT
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("text", [RIGHT, STREAM, SEEN, FAMILY, NEXT, STAGE])
def test_what_is_edited_is_clean(tmp_path: Path, text: str) -> None:
    laid_out(tmp_path, text)
    assert [str(finding) for finding in lint([tmp_path])] == []


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_messages(mistake: str, tmp_path: Path) -> None:
    text, old, new, message = MISTAKES[mistake]
    assert old in text
    file = laid_out(tmp_path, text.replace(old, new, 1))
    found = lint([tmp_path])
    only = [f for f in found if mistake != "empty_cue" or f.code == "T102"]
    assert "\n".join(by_line(one, tmp_path) for one in only) == message
    assert lint([file]) == found == lint([file.parent]), "alone and in its folder"


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_loading_refuses_what_cannot_be_used(mistake: str, tmp_path: Path) -> None:
    text, old, new, message = MISTAKES[mistake]
    file = laid_out(tmp_path, text.replace(old, new, 1))
    if codes(message) <= LINT_ONLY or mistake in NAMES_AN_ANSWER:
        assert load_queries([file], tmp_path)
        return
    with pytest.raises(TemplateErrors):
        load_queries([file], tmp_path)


def test_every_code_has_a_mistake() -> None:
    raised = {code for *_, message in MISTAKES.values() for code in codes(message)}
    assert raised | set(NOT_HERE) == set(CODES)
    assert not raised & set(NOT_HERE)


def test_an_id_may_not_be_used_twice(tmp_path: Path) -> None:
    laid_out(tmp_path, RIGHT)
    (tmp_path / "wrong" / "other.yaml").write_text(RIGHT, encoding="utf-8")
    assert [by_line(finding, tmp_path) for finding in lint([tmp_path])] == [
        "wrong/other.yaml:2: T103 wrong.example: id is also used by wrong/example.yaml",
        "wrong/other.yaml:2: T103 wrong.example: its path says 'wrong.other'  (rename the file "
        "or correct the id)",
    ]


def test_a_verb_without_a_filter_is_told_otherwise(tmp_path: Path) -> None:
    text = OPEN.replace("every: 60", "every: 60\nrubric:\n  grounds: how {{ label | the }} moves\n"
                        "  cues: [[seen]]")  # fmt: skip
    laid_out(tmp_path, text)
    (finding,) = lint([tmp_path])
    assert (finding.line, finding.code, finding.fix) == (12, "T112", "say it without the verb")
    assert finding.where == "wrong.example > rubric > grounds"
