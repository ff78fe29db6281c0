"""The prompt file: sections, placeholders, lines that are left out."""

from __future__ import annotations

import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.transforms.inference.prompts import FORMS, PROTOCOLS, SECTIONS, load_prompt, parsed
from tests.each import cases


def test_the_shipped_prompt_has_every_section():
    assert tuple(load_prompt().sections) == SECTIONS
    assert all(load_prompt().sections.values())


def test_a_line_without_its_value_is_left_out_and_blank_lines_become_one():
    text = "[user]\nMode: {task_mode}\n\n{options}\n\n\nQ: {question}\n\n"
    prompt = load_prompt().__class__(parsed(text, "p.txt"))
    assert (
        prompt.render("user", {"task_mode": None, "options": "", "question": "Why?"}) == "Q: Why?"
    )
    values = {"task_mode": "streaming", "options": "A) x\nB) y", "question": "Why?"}
    assert prompt.render("user", values) == "Mode: streaming\n\nA) x\nB) y\n\nQ: Why?"


def test_braces_in_values_are_text():
    prompt = load_prompt().__class__(parsed("[user]\n{question}", "p.txt"))
    assert prompt.render("user", {"question": "{answer} {0} \\1"}) == "{answer} {0} \\1"


def test_an_own_file_takes_the_rest_from_the_shipped_one(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("a remark\n[system]\nBe brief.\n[frame]\n", encoding="utf-8")
    mine, shipped = load_prompt(path).sections, load_prompt().sections
    assert mine["system"] == "Be brief." and mine["frame"] == ""
    assert mine["user"] == shipped["user"]


@cases(
    ("text", "summary", "where", "fix"),
    [
        ("[user]\n{questoin}", "no placeholder called 'questoin'", "p.txt:2", "question"),
        ("[user]\n\n{answer}", "no placeholder called 'answer'", "p.txt:3", None),
        ("[user]\n{evidence} {expected_output}", "called 'evidence'", "p.txt:2", None),
        ("[frame]\n{question}", "no placeholder called 'question'", "p.txt:2", None),
        ("x\n[usr]\n", "no section called 'usr'", "p.txt:2", "user"),
        ("[user]\n1\n[user]\n2", "occurs twice", "p.txt:3", None),
    ],
)
def test_mistakes_are_told_with_their_line(text, summary, where, fix):
    with pytest.raises(UserError) as caught:
        parsed(text, "p.txt")
    assert summary in caught.value.summary and caught.value.where == where
    assert fix is None or fix in (caught.value.fix or "")


def test_a_file_without_sections_or_no_file(tmp_path):
    (tmp_path / "empty.txt").write_text("Answer well.\n", encoding="utf-8")
    with pytest.raises(UserError, match="no section"):
        load_prompt(tmp_path / "empty.txt")
    with pytest.raises(SourceMissing):
        load_prompt(tmp_path / "none.txt")


def test_every_form_and_protocol_has_its_rule():
    prompt = load_prompt()
    for name in [*(f"rule: {p}" for p in PROTOCOLS), *(f"answer: {f}" for f in FORMS)]:
        assert prompt.render(name, {"letters": "A or B"})
