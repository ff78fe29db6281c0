"""What the language declares is what the engine can do, name by name and field by field."""

import inspect
import re

import pytest

from tests.transforms.questions.tables import SEEDS, evaluator
from transforms.language import load_templates
from transforms.language.filters import FILTERS as DECLARED_FILTERS
from transforms.language.operators import operators
from transforms.questions import bound, render
from transforms.questions.bound import bind
from transforms.questions.evaluate import top_level
from transforms.questions.gates import TESTS
from transforms.questions.lazy import LAZY
from transforms.questions.measures import MEASURES
from transforms.questions.options import MAKERS
from transforms.questions.slots import SLOTS
from transforms.questions.stage import ALL_RULES

TEMPLATES = load_templates()


def test_slots_are_in_step():
    assert set(SLOTS) == set(operators("slot")) == set(bound._BINDERS)


def test_conditions_are_in_step_and_none_is_two_things():
    kinds = [set(MEASURES), set(TESTS), set(LAZY)]
    assert set().union(*kinds) == set(operators("condition"))
    assert sum(map(len, kinds)) == len(operators("condition"))


def test_measures_are_exactly_the_conditions_with_limits():
    assert set(MEASURES) == {name for name, op in operators("condition").items() if op.bound}


def test_answers_are_in_step():
    assert set(ALL_RULES) == set(operators("answer"))


def test_options_are_in_step():
    assert set(MAKERS) == set(operators("options"))


def test_filters_are_in_step():
    assert set(render.FILTERS) == set(DECLARED_FILTERS)


@pytest.mark.parametrize("table", [SLOTS, MEASURES, TESTS, LAZY, ALL_RULES], ids=range(5))
def test_an_operator_reads_no_argument_it_does_not_declare(table):
    """``args["x"]`` in the code must be a parameter of the signature."""
    roles = {id(SLOTS): "slot", id(ALL_RULES): "answer"}
    for name, function in table.items():
        params = set(operators(roles.get(id(table), "condition"))[name].params)
        used = re.findall(r'(?<!\.)\bargs\["(\w+)"\]', inspect.getsource(function))
        assert set(used) <= params, name


def fillings(template, seed):
    """Some fillings of the template that pass what is not lazy."""
    engine = evaluator(seed)
    table, key = engine.table(dict(template.needs))
    passed = [True] * len(table)
    for node in top_level(template.where):
        if node.leaf is None or node.leaf.op not in LAZY:
            mask = engine.mask(table, key, node)
            passed = [a and bool(b) for a, b in zip(passed, mask, strict=True)]
    rows = [row for row, good in enumerate(passed) if good]
    return bind(template, table, rows[:: max(1, len(rows) // 5)], engine.facts)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda t: t.id)
def test_a_wording_can_say_every_field_that_is_declared(template):
    """Answers give the fields they promise, slots the attributes, in a type that prints."""
    met = 0
    for seed in SEEDS:
        for filling in fillings(template, seed):
            met += 1
            for name, call in template.needs.items():
                for path, kind in operators("slot")[call.op].gives.items():
                    value = filling[name]
                    for attribute in filter(None, path.split(".")):
                        value = getattr(value, attribute)
                    print_every_way(kind, value)
            for stage in template.stages:
                truth = ALL_RULES[stage.answer.op](filling, dict(stage.answer.args))
                for field, kind in operators("answer")[stage.answer.op].gives.items():
                    print_every_way(kind, truth.fields[field])
                assert truth.evidence
    assert met, "no made-up video can fill this template"


def print_every_way(kind, value):
    fitting = [name for name, declared in DECLARED_FILTERS.items() if kind in declared.accepts]
    assert fitting or kind == "interval", kind
    for name in fitting:
        text = render.FILTERS[name](value)
        assert isinstance(text, str)
        assert text


def test_every_declared_answer_is_used_by_a_template():
    used = {stage.answer.op for template in TEMPLATES for stage in template.stages}
    assert used == set(operators("answer"))
