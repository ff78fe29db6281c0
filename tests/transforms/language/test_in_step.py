"""Operators and filters are declared in one room and implemented in another; both agree."""

from __future__ import annotations

import ast
import inspect

import pytest

from transforms.language.filters import FILTERS
from transforms.language.operators import BOUNDS, Role, operators
from transforms.questions import bound, render
from transforms.questions.gates import TESTS
from transforms.questions.lazy import LAZY
from transforms.questions.measures import MEASURES
from transforms.questions.options import MAKERS
from transforms.questions.slots import SLOTS
from transforms.questions.stage import ALL_RULES

ROLES: tuple[Role, ...] = ("slot", "condition", "answer", "options")
IMPLEMENTED = {
    "slot": set(SLOTS),
    "condition": {*MEASURES, *TESTS, *LAZY},
    "answer": set(ALL_RULES),
    "options": set(MAKERS),
}


@pytest.mark.parametrize("role", ROLES)
def test_every_operator_is_implemented_and_declared(role: Role) -> None:
    assert IMPLEMENTED[role] == set(operators(role))


def test_every_slot_can_be_bound() -> None:
    assert set(bound._BINDERS) == set(operators("slot"))


def test_measures_are_those_that_take_a_limit() -> None:
    limited = {name for name, operator in operators("condition").items() if operator.bound}
    assert limited == set(MEASURES)
    for name in limited:
        assert set(BOUNDS) <= set(operators("condition")[name].params)


def test_every_filter_prints_and_is_declared() -> None:
    assert set(render.FILTERS) == set(FILTERS)


@pytest.mark.parametrize("role", ROLES)
def test_everything_is_documented(role: Role) -> None:
    for operator in operators(role).values():
        assert operator.doc.endswith("."), operator.name
        for name, param in operator.params.items():
            assert param.doc, f"{operator.name}.{name}"


def test_every_type_has_a_filter() -> None:
    given = {
        kind
        for role in ("slot", "answer")
        for operator in operators(role).values()  # type: ignore[arg-type]
        for kind in operator.gives.values()
    }
    accepted = {kind for one in FILTERS.values() for kind in one.accepts}
    assert given - accepted == {"interval"}, "an interval is shown by its start and its end"
    assert accepted <= given, "a filter takes what nothing gives"


def test_arguments_read_by_an_operator_are_declared() -> None:
    """``args["name"]`` in the code of an operator is one of its parameters."""
    for role, table in (
        ("slot", SLOTS),
        ("condition", {**MEASURES, **TESTS, **LAZY}),
        ("answer", ALL_RULES),
        ("options", MAKERS),
    ):
        for name, function in table.items():
            declared = set(operators(role)[name].params)  # type: ignore[index]
            assert _args_read(function) <= declared, f"{role} {name}"


def _args_read(function: object) -> set[str]:
    tree = ast.parse(inspect.getsource(inspect.getmodule(function)))  # type: ignore[arg-type]
    wanted = function.__name__  # type: ignore[attr-defined]
    body = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == wanted)
    return {
        node.slice.value
        for node in ast.walk(body)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "args"
        and isinstance(node.slice, ast.Constant)
    }
