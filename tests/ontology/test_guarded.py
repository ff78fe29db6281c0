"""JSON from outside: bounds, shapes, and what is said of the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from surgqa.ontology.errors import SourceBroken, UserError
from surgqa.ontology.guarded import DEEPEST, ErrorOf, is_deep, parsed, read_as

TELLING = ErrorOf("not a mark", '{"name": text}', "write it again", SourceBroken)


@dataclass(frozen=True)
class Mark:
    name: str
    at: tuple[int, ...] = ()
    more: Any = None


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def test_what_is_within_bounds_is_read_as_it_is() -> None:
    assert parsed(b'{"a": [1, 2.5, null, "x"]}', "f:1", TELLING) == {"a": [1, 2.5, None, "x"]}
    parsed(nested(DEEPEST), "f:1", TELLING)
    assert read_as(Mark, b'{"name": "a", "at": [1, 2], "odd": 1}', "f", TELLING) == Mark(
        "a", (1, 2)
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(nested(DEEPEST + 1), "nested more than 100 deep", id="deep"),
        pytest.param(nested(5000), "depth limit", id="deeper"),
        pytest.param(b"[1e999]", "infinity", id="infinite"),
        pytest.param(b"[NaN]", "unexpected", id="nan"),
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"\xff\xfe", "UTF-8", id="not UTF-8"),
        pytest.param('"\ud800"', "surrogates", id="half a character"),
    ],
)
def test_what_is_beyond_is_told(data: bytes | str, said: str) -> None:
    with pytest.raises(SourceBroken) as raised:
        parsed(data, "f:7", TELLING)
    assert said in raised.value.found
    assert (raised.value.summary, raised.value.where) == ("not a mark", "f:7")
    assert raised.value.expected and raised.value.fix


def test_depth_is_counted_outside_texts() -> None:
    assert not is_deep(b'"' + b"[" * 500 + b'"')
    assert not is_deep(b'["\\"' + b"{" * 500 + b'"]')
    assert not is_deep(b"[" + b"[]," * 500 + b"[]]")
    assert is_deep(b'{"a":' * 101 + b"1" + b"}" * 101)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"{}", "no name", id="missing"),
        pytest.param(b'{"name": 3}', "name: ", id="number for text"),
        pytest.param(b'{"name": "a", "at": ["1"]}', "at.0: ", id="text for number"),
        pytest.param(b'{"name": "a", "at": [true]}', "at.0: ", id="truth for number"),
        pytest.param(b'{"name": "a", "at": [' + b"9" * 30 + b"]}", "at.0: ", id="beyond 64 bits"),
        pytest.param(b"[]", "the value: ", id="list for object"),
        pytest.param(b"null", "the value: ", id="nothing"),
    ],
)
def test_another_form_is_told_by_its_fields(data: bytes, said: str) -> None:
    telling = ErrorOf("not a mark", "x", "y", UserError)
    with pytest.raises(UserError) as raised:
        read_as(Mark, data, "f:7", telling)
    assert said in raised.value.found and type(raised.value) is UserError
