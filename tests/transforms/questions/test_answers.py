"""Typed answers of items against plain loops over the same window."""

from functools import cache

import pytest

from tests.transforms.questions.plain_answers import ANSWERS, instrument
from tests.transforms.questions.tables import SEEDS, evaluator, plain, resolved, stored
from tests.transforms.timeline.videos import made_up, windows_over
from transforms.language import load_templates
from transforms.language.operators import operators
from transforms.questions import ask

TEMPLATES = load_templates()


@cache
def items():
    """Template -> (the window in plain loops, item) over all made-up videos."""
    found = {template.id: [] for template in TEMPLATES}
    for seed in SEEDS:
        windows = windows_over(made_up(seed))
        for item in ask(evaluator(seed).facts.view, TEMPLATES, "42").items:
            found[item.template_id].append((plain(seed)[windows.index(item.window)], item))
    return found


def asked_about(template, p, slots):
    """The slot that is an interval, else an instant, else the whole window."""
    for kind in ("interval", "instant"):
        for name, call in template.needs.items():
            if call.op == kind:
                return slots[name] if kind == "interval" else (slots[name], slots[name])
    return p.window.start_us, p.window.end_us


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda t: t.id)
def test_answers_are_those_of_plain_loops(template):
    rule = template.stages[0].answer
    params = operators("answer")[rule.op].params
    assert items()[template.id], "no made-up video is asked this"
    for p, item in items()[template.id]:
        slots = {k: stored(call, item.slots[k]) for k, call in template.needs.items()}
        given = resolved(rule, params, slots)
        expected = ANSWERS[rule.op](p, **given, asked=asked_about(template, p, slots))
        assert_same(item.answer_value, expected)


def assert_same(found, expected):
    """Equal, decimals within 1e-9."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            assert_same(found[key], value)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-9)
    else:
        assert found == expected


def test_every_answer_rule_has_its_plain_one():
    assert set(ANSWERS) == set(operators("answer"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda t: t.id)
def test_instruments_asked_about_carry_a_number_exactly_where_one_is_needed(template):
    for p, item in items()[template.id]:
        slots = {k: stored(call, item.slots[k]) for k, call in template.needs.items()}
        for name, call in template.needs.items():
            if call.op == "instrument":
                asked = asked_about(template, p, slots)
                assert item.slots[name] == instrument(p, slots[name], asked)


def test_numbers_are_needed_somewhere_and_needless_elsewhere():
    numbers = {
        value["instance"]
        for found in items().values()
        for _, item in found
        for value in item.slots.values()
        if isinstance(value, dict) and "instance" in value
    }
    assert {None, 1, 2} <= numbers
