"""Every mistake in a chain template has its message, with its line and its place.

One edit of a clean file each: the lines that go, those that come, and what lint says.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.transforms.language.wrong_templates import by_line
from transforms.language import TemplateErrors, lint
from transforms.language.chains import load_chains
from transforms.language.findings import CODES

RIGHT = """\
schema: chain/v1
id: wrong.example
version: 1
title: What an instrument does to a tissue
benchmark: wrong
task: affordance_mapping
find: {by: effect_of_action}
every: 60
main:
  ask:
    - What is the effect of {{ tool | the }} on {{ tissue | the }}, and when does it begin?
    - Name the effect of {{ tool | the }} on {{ tissue | the }} and its first instant.
    - To what effect, and from when on, is {{ tool | the }} used on {{ tissue | the }}?
q1:
  ask:
    - What is the effect of {{ tool | the }} on {{ tissue | the }}?
    - Name the effect of {{ tool | the }} on {{ tissue | the }}.
    - What comes of the use of {{ tool | the }} on {{ tissue | the }}?
  clue: "Look from {{ segment | span }}."
q2:
  ask:
    - In which segment does {{ deed | noun }} begin?
    - Which segment holds the beginning of {{ deed | noun }}?
    - Find the segment in which {{ deed | noun }} sets in.
  context: "It is established that {{ effect | text }}."
  clue: "Watch the field{{ where | text }} from {{ segment | span }}."
q3:
  ask:
    - At which instant does {{ deed | noun }} begin?
    - Give the instant at which {{ deed | noun }} begins.
    - In the segment {{ segment | span }}, when does {{ deed | noun }} begin?
  context: "It is established that {{ effect | text }}, from {{ segment | span }}."
  clue: "Watch the picture at {{ instant | clock }}{{ where | text }}."
"""
RIGHT = RIGHT.replace("is {{ tool | the }} used", "{{ tool | is }} {{ tool | the }} used")
FAMILY = RIGHT.replace("every: 60", "every: {variant: every}") + "variants:\n  a: {every: 60}\n"

AT = "wrong/example.yaml"
NOT_HERE = {
    "T113": "tests/templates: a template must fire on the readers' samples",
    "T114": "chains have no yes/no questions",
    "T116": "there are no examples in this language",
}
"""Codes that this language has no mistake for, and why."""

MISTAKES = {
    "not_yaml": (
        RIGHT, "every: 60", "every: 60\nevery: 30",
        f'{AT}:9: T101 {AT}: found duplicate key "every" with value "30" '
        '(original value: "60")',
    ),
    "unknown_field": (
        RIGHT, "every: 60", "evry: 60",
        f"{AT}:8: T102 wrong.example > evry: unknown field 'evry'  (did you mean 'every'?)",
    ),
    "unknown_field_of_a_stage": (
        RIGHT, "  context: \"It is established that {{ effect | text }}.\"",
        "  context: \"It is established that {{ effect | text }}.\"\n  contxt: x",
        f"{AT}:26: T102 wrong.example > q2 > contxt: unknown field 'contxt'  (did you mean "
        "'context'?)",
    ),
    "clue_of_the_main_question": (
        RIGHT, "main:\n", "main:\n  clue: x\n",
        f"{AT}:10: T102 wrong.example > main > clue: unknown field 'clue'  (ask)",
    ),
    "missing_stage": (
        RIGHT, "q1:\n", "q0:\n",
        f"{AT}:1: T102 wrong.example: 'q1' is missing\n"
        f"{AT}:14: T102 wrong.example > q0: unknown field 'q0'  (schema, id, version, status, "
        "changes, title, benchmark, task, profiles, find, every, main)",
    ),
    "missing_clue": (
        RIGHT, '  clue: "Look from {{ segment | span }}."\n', "",
        f"{AT}:14: T102 wrong.example > q1: 'clue' is missing",
    ),
    "mistyped_number": (
        RIGHT, "every: 60", 'every: "60"',
        f"{AT}:8: T102 wrong.example > every: Input should be a valid number",
    ),
    "no_finder": (
        RIGHT, "find: {by: effect_of_action}", "find: {coarse: true}",
        f"{AT}:7: T102 wrong.example > find: 'by' is missing  (name a finder: "
        "docs/operators.md)",
    ),
    "mistyped_argument": (
        RIGHT, "by: effect_of_action", "by: effect_of_action, coarse: yes",
        f"{AT}:7: T102 wrong.example > find > coarse: Input should be a valid boolean",
    ),
    "unknown_argument": (
        RIGHT, "by: effect_of_action", "by: effect_of_action, corse: true",
        f"{AT}:7: T102 wrong.example > find > corse: unknown field 'corse'  (did you mean "
        "'coarse'?)",
    ),
    "context_without_the_answer": (
        RIGHT, "It is established that {{ effect | text }}.", "Something is done.",
        f"{AT}:25: T102 wrong.example > q2 > context: does not restate the answer of a stage "
        "before it  (use 'effect', or 'deed')",
    ),
    "context_without_the_segment": (
        RIGHT, ", from {{ segment | span }}.\"", ".\"",
        f"{AT}:32: T102 wrong.example > q3 > context: does not restate the answer of a stage "
        "before it  (use 'segment')",
    ),
    "clue_without_a_time": (
        RIGHT, "Look from {{ segment | span }}.", "Look at {{ tool | the }}.",
        f"{AT}:19: T102 wrong.example > q1 > clue: a clue gives a time: it uses no 'segment' or "
        "'instant'  (say when to look)",
    ),
    "clue_without_the_place": (
        RIGHT, "at {{ instant | clock }}{{ where | text }}", "at {{ instant | clock }}",
        f"{AT}:33: T102 wrong.example > q3 > clue: the last clue gives the place where one is "
        "known: it does not use 'where'  (end it with '{{ where | text }}.')",
    ),
    "wrong_id": (
        RIGHT, "id: wrong.example", "id: wrong.sample",
        f"{AT}:2: T103 wrong.sample: its path says 'wrong.example'  (rename the file or correct "
        "the id)",
    ),
    "field_of_another_finder": (
        RIGHT, "Find the segment in which {{ deed", "Find the segment in which {{ first",
        f"{AT}:24: T104 wrong.example > q2 > ask[2]: nothing is called 'first' here  (fields: "
        "tool, tissue, phase, effect, deed)",
    ),
    "unfit_filter": (
        RIGHT, "Look from {{ segment | span }}", "Look from {{ segment | clock }}",
        f"{AT}:19: T104 wrong.example > q1 > clue: filter 'clock' does not take span  (filters: "
        "span)",
    ),
    "no_filter": (
        RIGHT, "established that {{ effect | text }}.", "established that {{ effect }}.",
        f"{AT}:25: T104 wrong.example > q2 > context: 'effect' (text) needs a filter  (filters: "
        "text)",
    ),
    "unused_key": (
        FAMILY, "{every: 60}", "{every: 60, noun: phase}",
        f"{AT}:35: T105 wrong.example.a > variants > a > noun: nothing uses this key  (remove it "
        "from every variant)",
    ),
    "unknown_finder": (
        RIGHT, "by: effect_of_action", "by: effect_of_actions",
        f"{AT}:7: T106 wrong.example > find > by: no finder named 'effect_of_actions'  (did you "
        "mean 'effect_of_action'?)",
    ),
    "unknown_filter": (
        RIGHT, "In which segment does {{ deed | noun }}", "In which segment does {{ deed | non }}",
        f"{AT}:22: T106 wrong.example > q2 > ask[0]: no filter named 'non'  (did you mean "
        "'noun'?)",
    ),
    "filter_of_clips": (
        RIGHT, "beginning of {{ deed | noun }}", "beginning of {{ deed | gerund }}",
        f"{AT}:23: T106 wrong.example > q2 > ask[1]: no filter named 'gerund'  (filters: a, "
        "clock, deed, is, name, noun, span, text, the)",
    ),
    "variant_with_a_filter": (
        FAMILY, "In which segment does", "In which {{ variant.every | text }} does",
        f"{AT}:22: T107 wrong.example.a > q2 > ask[0]: a variant's text is put in as "
        "'{{ variant.key }}', with no filter",
    ),
    "version_without_changes": (
        RIGHT, "version: 1", "version: 2",
        f"{AT}:3: T108 wrong.example > version: version 2 does not say what changed  (add '2: …' "
        "under changes)",
    ),
    "answer_in_the_first_question": (
        RIGHT, "What comes of the use of {{ tool | the }} on {{ tissue | the }}?",
        "What comes of {{ deed | noun }}?",
        f"{AT}:18: T109 wrong.example > q1 > ask[2]: 'deed' is the answer, and a question must "
        "not show it  (leave it out, or use it from q2 on)",
    ),
    "segment_in_the_second_question": (
        RIGHT, "Find the segment in which {{ deed | noun }} sets in.",
        "Does {{ deed | noun }} begin in {{ segment | span }}?",
        f"{AT}:24: T109 wrong.example > q2 > ask[2]: 'segment' tells an answer that is still "
        "asked for  (use it from q3 on, or in a clue)",
    ),
    "instant_in_the_last_question": (
        RIGHT, "Give the instant at which {{ deed | noun }} begins.",
        "What begins at {{ instant | clock }}?",
        f"{AT}:30: T109 wrong.example > q3 > ask[1]: 'instant' tells an answer that is still "
        "asked for  (use it in a clue)",
    ),
    "verb_in_the_first_question": (
        RIGHT, "What comes of the use of", "What comes of dissecting with",
        f"{AT}:18: T109 wrong.example > q1 > ask[2]: names 'dissecting', which can be the "
        "answer  (use a field, or leave it out)",
    ),
    "time_in_the_first_question": (
        RIGHT, "What comes of the use of", "At 21.57 s, what comes of",
        f"{AT}:18: T109 wrong.example > q1 > ask[2]: gives the time '21.57 s', and when is still "
        "asked for  (leave it to the clue)",
    ),
    "other_task": (
        RIGHT, "task: affordance_mapping", "task: causal_action_ordering",
        f"{AT}:6: T110 wrong.example > task: the finder's chains are affordance_mapping, the task "
        "says 'causal_action_ordering'  (write 'task: affordance_mapping')",
    ),
    "two_wordings": (
        RIGHT, "    - Give the instant at which {{ deed | noun }} begins.\n", "",
        f"{AT}:28: T111 wrong.example > q3 > ask: 2 wording(s)  (write three)",
    ),
    "equal_wordings": (
        RIGHT, "What comes of the use of {{ tool | the }} on {{ tissue | the }}?",
        "What is the effect of {{ tool | the }} on {{ tissue | the }}",
        f"{AT}:18: T111 wrong.example > q1 > ask[2]: says the same as ask[0]\n"
        f"{AT}:18: T112 wrong.example > q1 > ask[2]: no question mark or full stop at the end",
    ),
    "segment_in_the_second_context": (
        RIGHT, "{{ effect | text }}.\"", "{{ effect | text }}, from {{ segment | span }}.\"",
        f"{AT}:25: T109 wrong.example > q2 > context: 'segment' tells an answer that is still "
        "asked for  (use it from q3 on, or in a clue)",
    ),
    "equal_clues": (
        RIGHT, "Watch the field{{ where | text }} from", "Look from",
        f"{AT}:26: T111 wrong.example > q2 > clue: says the same as q1 > clue",
    ),
    "clue_without_a_mark": (
        RIGHT, "Look from {{ segment | span }}.", "look from {{ segment | span }}",
        f"{AT}:19: T112 wrong.example > q1 > clue: a sentence does not start with a capital "
        "letter\n"
        f"{AT}:19: T112 wrong.example > q1 > clue: no question mark or full stop at the end",
    ),
    "plural_names": (
        RIGHT, "What comes of the use of {{ tool | the }}", "For what is {{ tool | the }} used",
        f"{AT}:18: T112 wrong.example > q1 > ask[2]: 'is' is written out beside "
        "{{ tool | the }}  (write {{ tool | is }} for 'is')",
    ),
    "verb_without_a_filter": (
        RIGHT, "What comes of the use of {{ tool | the }} on", "What does {{ tool | the }} do to",
        f"{AT}:18: T112 wrong.example > q1 > ask[2]: 'does' is written out beside "
        "{{ tool | the }}  (say it without the verb)",
    ),
    "dataset_named": (
        RIGHT, "Watch the picture at", "Watch this Cholec80 picture at",
        f"{AT}:33: T115 wrong.example > q3 > clue: names 'Cholec80'  (ask without naming the "
        "source)",
    ),
}  # fmt: skip
"""Name -> clean file, text that goes, text that comes, what lint says."""

LINT_ONLY = {"T105", "T108", "T111", "T112", "T115"}
WORDS_ONLY = ("verb_in_the_first_question", "time_in_the_first_question")
"""Mistakes that a build does not refuse though their code is one that may be."""


def codes(message: str) -> set[str]:
    return set(re.findall(r": (T\d{3}) ", message))


def laid_out(folder: Path, text: str) -> Path:
    """A file under the place that its id says."""
    file = folder / AT
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("text", [RIGHT, FAMILY])
def test_what_is_edited_is_clean(tmp_path: Path, text: str) -> None:
    laid_out(tmp_path, text)
    assert [str(finding) for finding in lint([tmp_path])] == []


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_messages(mistake: str, tmp_path: Path) -> None:
    text, old, new, message = MISTAKES[mistake]
    assert old in text
    file = laid_out(tmp_path, text.replace(old, new, 1))
    found = lint([tmp_path])
    assert "\n".join(by_line(one, tmp_path) for one in found) == message
    assert lint([file]) == found == lint([file.parent]), "alone and in its folder"


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_loading_refuses_what_cannot_be_used(mistake: str, tmp_path: Path) -> None:
    text, old, new, message = MISTAKES[mistake]
    file = laid_out(tmp_path, text.replace(old, new, 1))
    if codes(message) <= LINT_ONLY or mistake in WORDS_ONLY:
        assert load_chains([file], tmp_path)
        return
    with pytest.raises(TemplateErrors):
        load_chains([file], tmp_path)


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
