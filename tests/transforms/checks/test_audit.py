"""Balance, option habits and leaks: on each limit and beside it, on counts worked out by hand."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any

import pytest

from surgqa.transforms.checks.audit import (
    CHI_SQUARE_LIMITS,
    DISTINCT_KEPT,
    Audit,
    TemplateCounts,
    counted_as,
    leaves,
    measured,
    nominal,
)
from surgqa.transforms.checks.report import KEPT_PER_CODE, Findings
from tests.each import cases

LETTERS = "ABCDEFGH"
TEXT = {"template_id": "t", "form": "text", "procedure": "p", "options": [], "question": "?",
        "answer_value": None}  # fmt: skip


def closed(right: str, many: int = 4, form: str = "choice", texts: Any = None) -> dict[str, Any]:
    options = [{"key": key, "text": (texts or LETTERS)[k], "is_answer": key == right}
               for k, key in enumerate(LETTERS[:many])]  # fmt: skip
    return {**TEXT, "form": form, "options": options}


def saying(row: dict[str, Any], value: Any) -> dict[str, Any]:
    return row | {"answer_value": json.dumps(value)}


def codes(*rows: dict[str, Any]) -> list[str]:
    audit, findings = Audit(), Findings()
    for row in rows:
        audit.add(row)
    audit.report(findings)
    return sorted(findings.counts)


@cases(
    ("form", "most", "rest", "habit"),
    [
        ("text", 20, 20, False),
        ("text", 21, 19, True),
        ("text", 21, 18, False),
        ("yes_no", 24, 16, False),
        ("yes_no", 25, 15, True),
        ("yes_no", 24, 15, False),
        ("number", 40, 0, False),
    ],
)
def test_one_answer_most_of_the_time(form: str, most: int, rest: int, habit: bool):
    audit, findings = Audit(), Findings()
    for answer, many in (("hook", most), ("grasper", rest)):
        for _ in range(many):
            audit.add(saying(TEXT | {"form": form}, {"label": answer}))
    audit.report(findings)
    assert ("answer_modal" in findings.counts) is habit


@pytest.mark.parametrize(("yes", "modal"), [(36, False), (37, True)])
def test_yes_may_be_a_little_more_than_half(yes: int, modal: bool):
    audit, findings = Audit(), Findings()
    for k in range(60):
        audit.add(closed("A", 1, "yes_no", ["Yes" if k < yes else "No"]))
    assert audit.report(findings)["t"]["yes_share"] == yes / 60
    assert ("answer_modal" in findings.counts) is modal


def test_the_modal_answer_is_named():
    audit, findings = Audit(), Findings()
    for k in range(60):
        audit.add(saying(TEXT, {"label": "hook" if k < 35 else "grasper"}))
    audit.report(findings)
    (one,) = findings.listed()
    assert one.detail == 't: ["label=hook"] has a share of 0.583'


def uneven(many: int, first: int, others: int) -> list[dict[str, Any]]:
    """The first letter so often, each other letter so often."""
    each = [closed("A", many)] * first
    return each + [closed(key, many) for key in LETTERS[1:many] for _ in range(others)]


@cases("many", range(2, 9))
def test_letters_beyond_chance_for_each_number_of_options(many: int):
    """Of n + d and n - d / (options - 1) each, chi-square is d² (1 + 1 / (options - 1)) / n."""
    limit, others = CHI_SQUARE_LIMITS[many - 2], 200
    chi, more = 0.0, 0
    while chi <= limit * 1.1:
        mean = others + more / many
        chi = ((others + more - mean) ** 2 + (many - 1) * (others - mean) ** 2) / mean
        if more == 0 or chi > limit * 0.7:
            found = codes(*uneven(many, others + more, others))
            assert ("option_position" in found) is (chi > limit), (more, chi)
        more += 1


def test_the_points_of_the_distribution():
    """One in a thousand of sums of squares of one to seven normal numbers is larger."""
    from scipy.stats import chi2

    for degrees, point in enumerate(CHI_SQUARE_LIMITS, 1):
        assert chi2.isf(0.001, degrees) == pytest.approx(point, abs=0.006)


def test_letters_are_even_where_items_have_different_numbers_of_options():
    """Two options half of the time: A and B are right more often than C and D, and even."""
    rows = [closed(letter, 2) for letter in "AB" * 20] + [closed(letter) for letter in "ABCD" * 10]
    audit, findings = Audit(), Findings()
    for row in rows:
        audit.add(row)
    found = audit.report(findings)["t"]
    assert found["letters"] == {"A": 30, "B": 30, "C": 10, "D": 10}
    assert found["letters_chi_square"] == 0.0 and findings.counts == {}


def test_letters_of_a_ranking_are_no_habit():
    """All labels are offered in one order, so that a frequent label is a frequent letter."""
    ranked = {**closed("A"), "rule_args": json.dumps({"ranked": {}})}
    assert "option_position" not in codes(*[ranked] * 60)
    assert "option_position" in codes(*[closed("A")] * 60)


def test_majority_by_procedure():
    audit, findings = Audit(), Findings()
    for label, procedure, times in (("hook", "a", 30), ("grasper", "b", 20), ("hook", "b", 10)):
        for _ in range(times):
            audit.add(saying(TEXT | {"procedure": procedure}, {"label": label}))
    audit.add(saying(TEXT | {"template_id": "box", "form": "box"}, {}))
    found = audit.report(findings)["t"]
    assert (found["majority"], found["majority_by_procedure"]) == (40 / 60, 50 / 60)
    assert findings.counts == {"answer_modal": 1}


def test_all_findings_are_counted_though_not_all_are_kept():
    findings = Findings()
    for number in range(KEPT_PER_CODE + 5):
        findings.add("answer_differs", f"{number:05d}", "")
    assert findings.counts["answer_differs"] == KEPT_PER_CODE + 5
    assert len(findings.listed()) == KEPT_PER_CODE
    with pytest.raises(KeyError):
        findings.add("no_such_code", "", "")


def test_few_closed_items_have_no_habit():
    assert codes(*[closed("A")] * 39) == []
    assert "option_position" in codes(*[closed("A")] * 40)


@cases(("longest", "habit"), [(40, False), (41, True), (0, False)])
def test_the_longest_is_right_beyond_three_deviations(longest: int, habit: bool):
    """By chance 25 of 100; three deviations are 3 sqrt(100 / 4 * 3 / 4) = 12.99."""
    assert 25 + 3 * sqrt(100 * 0.25 * 0.75) == pytest.approx(37.99, abs=0.01)
    for right in (longest,) if longest else (37, 38):
        rows = []
        for k in range(100):
            letter = LETTERS[k % 4]
            long = ["ab" if (key == letter) == (k < right) else "a" for key in LETTERS[:4]]
            rows.append(closed(letter, texts=long))
        found = "option_length" in codes(*rows)
        assert found is (right > 37.99), right


def test_an_option_as_long_as_the_right_one_hides_it():
    assert "option_length" not in codes(*[closed(key, texts=["ab"] * 4) for key in "ABCD" * 25])


def test_only_so_many_different_answers_are_counted():
    audit = Audit()
    for k in range(DISTINCT_KEPT + 5):
        audit.add(saying(TEXT, {"label": f"x{k}"}))
    found = audit.report(Findings())["t"]
    assert (found["answers"], found["items"]) == (DISTINCT_KEPT, DISTINCT_KEPT + 5)
    assert DISTINCT_KEPT == 4096


def test_a_tally_of_nothing():
    shares = ("majority", "majority_by_procedure", "yes_share", "letters_chi_square",
              "longest_is_right")  # fmt: skip
    assert {measured(TemplateCounts("choice"))[name] for name in shares} == {None}
    assert measured(TemplateCounts("yes_no"))["yes_share"] is None


def test_stages_are_counted_by_themselves():
    row = {"template_id": "t", "task": "a/b/which", "stage": 0}
    assert counted_as(row) == "t/which"
    assert counted_as(row | {"stage": None}) == "t"


@cases(
    ("row", "value", "said"),
    [
        ({"form": "choice"}, None, "B"),
        ({"form": "yes_no"}, None, "B"),
        ({"form": "box"}, {"label": "x"}, None),
        ({"form": "text", "options": []}, None, None),
        ({"form": "text", "options": []}, {"n": 3}, None),
        ({"form": "text", "options": []}, {"a": "x", "b": True, "track": "t", "n": 3},
         '["a=x","b=True"]'),
        ({"form": "choice", "options": [{"text": "A", "is_answer": False}]}, None, None),
    ],
)  # fmt: skip
def test_what_a_guesser_has_to_say(row: dict[str, Any], value: Any, said: str | None):
    assert nominal(closed("B") | row, value) == said


def test_leaves_of_a_value():
    value = {"a": {"b": 1, "box_xyxy": [1, 2, 3, 4]}, "c": ["x", {"d": "y"}], "e": None}
    assert list(leaves(value)) == [("b", 1), ("box_xyxy", [1, 2, 3, 4]), ("c", "x"), ("d", "y"),
                                   ("e", None)]  # fmt: skip


def asking(question: str, of: str) -> dict[str, Any]:
    """A question whose answer is a label of a domain."""
    args = {"answer": {"label": {"type": "label", "of": of}}}
    return {"question": question, "rule_args": json.dumps(args)}


@cases(
    ("row", "value", "named"),
    [
        ({}, {"label": "hook"}, True),
        ({"question": "Is a HOOK there?"}, {"label": "hook"}, True),
        ({"options": closed("A")["options"]}, {"label": "hook"}, False),
        ({}, {}, False),
        ({}, None, False),
        ({}, {"label": None}, False),
        ({}, {"label": 3}, False),
        ({"rule_args": None}, {"label": "hook"}, False),
        ({"rule_args": json.dumps({"answer": {"label": {"type": "number", "of": None}}})},
         {"label": "hook"}, False),
        ({"rule_args": json.dumps({"answer": None})}, {"label": "hook"}, False),
        (asking("Which one cuts?", "instrument"), {"label": "scissors"}, False),
        (asking("What does the grasper do, or is it grasping?", "verb"), {"label": "grasp"}, True),
        (asking("What does the grasper do?", "verb"), {"label": "grasp"}, False),
        (asking("Is no target touched?", "target"), {"label": "null_target"}, False),
    ],
)  # fmt: skip
def test_questions_that_name_their_answer(row: dict[str, Any], value: Any, named: bool):
    plain = {"template_id": "t", "form": "text", "procedure": "p", "options": [],
             **asking("Is the hook there?", "instrument")}  # fmt: skip
    audit, findings = Audit(), Findings()
    audit.add(saying(plain | row, value))
    assert audit.report(findings)["t"]["answer_in_question"] == named
    assert list(findings.counts) == ["answer_in_question"] * named
