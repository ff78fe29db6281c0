"""Balance, option habits and leaks, on counts worked out by hand."""

from __future__ import annotations

import json

import pytest

from transforms.checks.audit import Audit
from transforms.checks.report import KEPT_PER_CODE, Findings


def choice(letter: str, texts=("1", "2", "3", "4"), procedure="p") -> dict:
    options = [
        {"key": key, "text": text, "is_answer": key == letter, "kind": ""}
        for key, text in zip("ABCD", texts, strict=False)
    ]
    return {
        "template_id": "t", "form": "choice", "procedure": procedure, "options": options,
        "question": "?",
    }  # fmt: skip


def text(label: str, question="?", template="t", procedure="p") -> tuple[dict, dict]:
    row = {"template_id": template, "form": "text", "procedure": procedure, "options": [],
           "question": question}  # fmt: skip
    return row, {"label": label}


def audited(rows) -> tuple[dict, Findings]:
    audit, findings = Audit(), Findings()
    for row in rows:
        audit.add(row, None)
    return audit.report(findings), findings


def test_even_letters_are_no_habit():
    found, findings = audited([choice(letter) for letter in "ABCD" * 15])
    assert found["t"]["letters"] == {"A": 15, "B": 15, "C": 15, "D": 15}
    assert found["t"]["letters_chi_square"] == 0.0
    assert findings.counts == {}


def test_one_letter_too_often_is_a_habit():
    found, findings = audited([choice("A")] * 30 + [choice(letter) for letter in "BCD" * 10])
    # expected 15 each: (15² + 3 · 5²) / 15 = 20
    assert found["t"]["letters_chi_square"] == pytest.approx(20.0)
    assert set(findings.counts) == {"option_position"}


def test_the_longest_option_is_right_too_often():
    rows = [choice("ABCD"[n % 4], _longer("ABCD"[n % 4])) for n in range(60)]
    found, findings = audited(rows)
    assert found["t"]["longest_is_right"] == 1.0
    assert "option_length" in findings.counts


def _longer(letter: str) -> list[str]:
    return [key * (5 if key == letter else 2) for key in "ABCD"]


def test_majority_by_procedure():
    audit = Audit()
    for label, procedure, times in (("hook", "a", 30), ("grasper", "b", 20), ("hook", "b", 10)):
        for _ in range(times):
            audit.add(*text(label, procedure=procedure))
    audit.add({"template_id": "box", "form": "box", "procedure": "a", "options": []}, {})
    findings = Findings()
    found = audit.report(findings)["t"]
    assert found["majority"] == 40 / 60
    assert found["majority_by_procedure"] == 50 / 60
    assert findings.counts == {"answer_modal": 1}


@pytest.mark.parametrize(("yes", "modal"), [(35, False), (36, False), (37, True)])
def test_yes_may_be_a_little_more_than_half(yes, modal):
    def row(answer):
        return {
            "template_id": "t", "form": "yes_no", "procedure": "p",
            "options": [{"key": "A", "text": answer, "is_answer": True}],
        }  # fmt: skip

    found, findings = audited([row("Yes")] * yes + [row("No")] * (60 - yes))
    assert found["t"]["yes_share"] == yes / 60
    assert ("answer_modal" in findings.counts) == modal


@pytest.mark.parametrize(
    ("question", "label", "of", "named"),
    [
        ("Which is nearer, hook or grasper?", "hook", "instrument", True),
        ("Which one cuts?", "scissors", "instrument", False),
        ("What does the grasper do, or is it grasping?", "grasp", "verb", True),
        ("What does the grasper do?", "grasp", "verb", False),
        ("Is no target touched?", "null_target", "target", False),
    ],
)
def test_questions_that_name_the_answer(question, label, of, named):
    audit = Audit()
    row, value = text(label, question)
    args = {"answer": {"label": {"type": "label", "of": of}}}
    audit.add({**row, "rule_args": json.dumps(args)}, value)
    assert audit.report(Findings())["t"]["answer_in_question"] == named


def test_letters_of_a_ranking_are_no_habit():
    """All labels are offered in one order, so that a frequent label is a frequent letter."""
    rows = [{**choice("A"), "rule_args": json.dumps({"ranked": {}})} for _ in range(60)]
    assert audited(rows)[0]["t"]["letters"] == {}
    plain = [choice("A")] * 60
    assert "option_position" in audited(plain)[1].counts


def test_all_findings_are_counted_though_not_all_are_kept():
    findings = Findings()
    for number in range(KEPT_PER_CODE + 5):
        findings.add("answer_differs", f"{number:05d}", "")
    assert findings.counts["answer_differs"] == KEPT_PER_CODE + 5
    assert len(findings.listed()) == KEPT_PER_CODE
    with pytest.raises(KeyError):
        findings.add("no_such_code", "", "")


def test_items_with_different_numbers_of_options_are_expected_to_be_even():
    """Two options half of the time: A and B are right more often than C and D, and even."""
    pairs = [choice(letter, ("1", "2")) for letter in "AB" * 20]
    found, findings = audited([*pairs, *(choice(letter) for letter in "ABCD" * 10)])
    assert found["t"]["letters"] == {"A": 30, "B": 30, "C": 10, "D": 10}
    assert found["t"]["letters_chi_square"] == 0.0
    assert findings.counts == {}


def test_the_limit_of_even_letters_follows_from_their_number():
    # two options: expected 30 each, (11² + 11²) / 30 = 8.07 and (13² + 13²) / 30 = 11.27
    for right, habit in ((41, False), (43, True)):
        rows = [choice("A", ("1", "2"))] * right + [choice("B", ("1", "2"))] * (60 - right)
        assert ("option_position" in audited(rows)[1].counts) == habit
