"""Closed questions and texts: well formed, the right option true, the others false."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.concepts import vocabulary
from transforms.checks.compare import difference
from transforms.checks.options import read_option, read_set
from transforms.checks.texts import text_problems

S = 1_000_000


def found(report) -> set[str]:
    return {code for code in report.counts if code != "answer_modal"}


@pytest.mark.parametrize(
    ("name", "options", "answer", "code"),
    [
        ("counting_distinct", ["1", "2*", "2 ", "4"], "B) 2", "options_malformed"),
        ("counting_distinct", ["1", "2*", "02", "4"], "B) 2", "option_true"),
        ("counting_distinct", ["1*", "2", "3", "4"], "A) 1", "option_false"),
        ("counting_distinct", ["1", "2*", "3"], "B) 2", "options_malformed"),
        ("counting_distinct", ["1", "2*", "3*", "4"], "B) 2", "options_malformed"),
        ("counting_distinct", ["1", "2*", "", "4"], "B) 2", "options_malformed"),
        ("counting_distinct", ["1", "2*", "several", "4"], "B) 2", "option_unreadable"),
        ("counting_distinct", ["1", "2*", "3", "4"], "B) 3", "text_disagrees"),
        ("classes", ["hook", "grasper", "grasper and hook*", "hook, grasper"],
         "C) grasper and hook", "option_true"),
        ("classes", ["hook", "grasper", "grasper and hook*", "the chisel"],
         "C) grasper and hook", "option_unreadable"),
        ("classes", ["hook*", "grasper", "grasper and hook", "scissors"],
         "A) hook", "option_false"),
        ("existence_global", ["Yes", "No*"], "B) No", "option_false"),
        ("existence_global", ["No", "Yes*"], "B) Yes", "options_malformed"),
        ("comparison", ["Yes", "No*"], "B) No", "option_false"),
    ],
)  # fmt: skip
def test_options_at_fault(world, add, name, options, answer, code):
    add(name, options=options, answer=answer)
    assert code in found(world.check())


def test_answer_key_of_another_option(world, add):
    add("counting_distinct", answer_key="C")
    assert found(world.check()) == {"options_malformed"}


def test_an_open_item_has_neither_options_nor_key(world, add):
    add("locate", answer_key="A")
    add("segment", options=["left*", "right"])
    assert world.check().counts["options_malformed"] == 2


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("locate", "grasper at 12.00 s: [250, 750, 350, 851]"),
        ("locate_by_action", "hook: [650, 750, 750, 850]"),
        ("longest_continuous_action", "7.00 s, from 6.50 s to 13.51 s."),
        ("longest_continuous_action", "7.00 s, from 16.50 s to 13.50 s."),
        ("segment", "Horizontally left, vertically top."),
        ("movement_status", "It moves fast."),
        ("next_action", "It dissects the liver."),
        ("next_action", "It coagulates the cystic duct."),
        ("rel_change", "farther, -0.15"),
        ("distinct_targets_touched", "cystic artery and gallbladder"),
        ("first_appearance_time", "At 3.00 s."),
        ("refusal_no_specific_action", "It dissects."),
        ("window", "hook: [2.00 - 21.00], [150, 150, 250, 250], [720, 150, 820, 250]"),
    ],
)
def test_a_text_that_says_something_else(world, add, name, answer):
    add(name, answer=answer)
    assert found(world.check()) == {"text_disagrees"}


def test_a_comparison_may_be_open_and_must_name_both_targets(world, add):
    for number, answer in enumerate(("Yes: gallbladder and gallbladder", "No: gallbladder", "Yes")):
        add("comparison", form="text", options=(), answer=answer, item_id=f"{number:032x}",
            chain_id=str(number))  # fmt: skip
    report = world.check()
    assert [f.item_id[-1] for f in report.findings if f.code == "text_disagrees"] == ["1", "2", "2"]


@given(st.lists(st.sampled_from(sorted(vocabulary("instruments"))), unique=True, min_size=1))
def test_a_set_is_read_however_it_is_joined(labels):
    names = [vocabulary("instruments")[label].display for label in labels]
    joined = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    assert read_set(joined) == frozenset(labels)
    assert read_set("the " + joined + " and a spoon") is None
    assert read_set(f"{joined}, {names[0]}") is None


def test_numbers_are_read_only_when_there_is_one():
    assert read_option("exactly 3 instruments", 1) == 3
    assert read_option("3 or 4", 1) is None
    assert read_option("Yes", True) is True
    assert read_option("maybe", True) is None


def test_comparison_of_values():
    truth = {"a": 0.5, "n": 2, "box_xyxy": [0.1, 0.2, 0.3, 0.4], "yes": True, "l": ["x"]}
    assert difference({**truth, "a": 0.5 + 1e-10}, truth) is None
    assert difference({**truth, "a": 0.5 + 1e-8}, truth) == "a: stored 0.50000001, recomputed 0.5"
    box = [0.1 + 1e-12, 0.2, 0.3, 0.4]
    assert difference({**truth, "box_xyxy": box}, truth) is not None
    assert difference({**truth, "yes": 1}, truth) is not None
    assert difference({**truth, "n": True}, {**truth, "n": 1}) is not None
    assert difference({**truth, "l": ["x", "y"]}, truth) is not None
    assert difference({**truth, "more": 1}, truth) is not None
    assert difference([], truth) is not None
    assert difference({**truth, "n": 2.0}, truth) is None


def test_texts_may_use_one_decimal_and_synonyms():
    value = {"box_xyxy": [0.1234, 0.2, 0.3, 0.4], "time_us": 12 * S, "label": "irrigator"}
    text = "Suction device at 2.0 s, [123.4, 200.0, 300.0, 400.0]"
    assert list(text_problems(text, value, {}, 10 * S, ("instruments",))) == []
    asked = {"tool": {"label": "irrigator"}, "moment": {"time_us": 12 * S}}
    assert list(text_problems("[123, 200, 300, 400]", value, asked, 0, ("instruments",))) == []
    assert len(list(text_problems("nothing", value, {}, 10 * S, ("instruments",)))) == 3
