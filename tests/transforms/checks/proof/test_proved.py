"""When a row says what the evidence gives, at each border."""

from __future__ import annotations

import math
from typing import Any

from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.proved import plain, same
from surgqa.transforms.checks.proof.typed import has_shape
from tests.each import cases

SET, SEQUENCE, NUMBER = Type("set", "instrument"), Type("sequence", "instrument"), Type("number")
LATE = {"earliest_us": 1, "time_us": 2, "latest_us": 3}


@cases(
    ("row", "proved", "of", "alike"),
    [
        (["a", "b"], ["b", "a"], SET, True),
        (["a", "b"], ["b", "a"], SEQUENCE, False),
        (["a"], ["a", "b"], SET, False),
        (0.5, 0.500001, NUMBER, True),
        (0.5, 0.50001, NUMBER, False),
        (0.5, 0.5000019, NUMBER, True),
        (0.5, 0.5000022, NUMBER, False),
        (-0.5, -0.5000019, NUMBER, True),
        (0.001, 0.0010019, NUMBER, True),
        (0.001, 0.0010022, NUMBER, False),
        (10.0, 10.000019, NUMBER, True),
        (10.0, 10.000022, NUMBER, False),
        (-10.0, -10.000019, NUMBER, True),
        (3, 4, NUMBER, False),
        (3, 3.0, NUMBER, True),
        (True, 1.0, NUMBER, False),
        (["a", "b"], "ab", SET, False),
        ("ab", ["a", "b"], SET, False),
        (["a", "a"], ["a"], SET, False),
        ([1.0], [1.0000019], SEQUENCE, True),
        (None, -math.inf, NUMBER, True),
        (3, math.inf, NUMBER, False),
        ({"a": 1}, {"a": 1, "b": 2}, NUMBER, False),
        ({"a": 1}, 1, NUMBER, False),
        (100_000_000, 100_000_001, Type("instant"), False),
        (LATE, dict(LATE), Type("instant"), True),
        (LATE, 2, Type("instant"), False),
        (LATE, {**LATE, "latest_us": 4}, Type("instant"), False),
        ({"most": None}, {"most": math.inf}, NUMBER, True),
        ({"most": 4}, {"most": math.inf}, NUMBER, False),
        (True, 1, Type("truth"), False),
        (None, "hook", Type("label"), False),
        (None, None, Type("label"), True),
    ],
)
def test_equal_values(row: Any, proved: Any, of: Type, alike: bool):
    assert same(row, proved, of) is alike


@cases(
    ("value", "text"),
    [
        ("hook", "hook"),
        (LATE, 2),
        ({"verb": "cut", "target": None}, "cut"),
        ({"verb": "cut", "target": "liver"}, "cut,liver"),
        ({"start": 1, "end": LATE}, [1, 2]),
    ],
)
def test_a_drawn_value_as_queries_have_it(value: Any, text: Any):
    assert plain(value) == text


@cases(
    ("value", "name", "fits"),
    [
        (12, "instant", True),
        (12.5, "instant", False),
        (True, "instant", False),
        (LATE, "instant", True),
        ({**LATE, "earliest_us": 3}, "instant", False),
        ({**LATE, "latest_us": 1}, "instant", False),
        ({"least": 1, "value": 1, "most": None}, "number", True),
        ({"least": 2, "value": 1, "most": None}, "number", False),
        ({"start_us": 1, "end_us": 2}, "fact", True),
        ({"start_us": 2, "end_us": 2}, "fact", False),
        ({"start_us": 1, "end_us": 2, "colour": "red"}, "fact", False),
        ({"start_us": 1.5, "end_us": 2}, "fact", False),
        ({"start_us": 1, "end_us": 2.5}, "fact", False),
        ({"start_us": 1}, "fact", False),
        ("a fact", "fact", False),
        ([0.1, 0.2, 0.3, 0.4], "box", True),
        ([0.1, 0.2, 0.3], "box", False),
        ({"verb": "cut", "target": None}, "act", True),
        ({"verb": "cut"}, "act", False),
        ({"start": 1, "end": LATE}, "stretch", True),
        ({"start": 1}, "stretch", False),
        ({"start": 1, "end": 2, "colour": "red"}, "stretch", False),
        ({"start": 1.5, "end": 2}, "stretch", False),
        ({"start": 1, "end": {**LATE, "latest_us": 1}}, "stretch", False),
        ([1, 2], "stretch", False),
        ("yes", "truth", False),
        (None, "label", True),
        (0, "statement", True),
    ],
)
def test_the_shape_of_a_typed_value(value: Any, name: str, fits: bool):
    assert has_shape(value, Type(name)) is fits
