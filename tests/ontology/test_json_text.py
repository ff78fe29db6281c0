"""JSON that is not well formed is named by file and place; keys that occur twice are kept."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.json_text import read_json


@pytest.mark.parametrize(
    ("data", "where"),
    [
        pytest.param(b"", "f.json:1:1", id="empty"),
        pytest.param(b" \n ", "f.json:1:1", id="blank"),
        pytest.param(b"\xef\xbb\xbf", "f.json:1:1", id="only-a-byte-order-mark"),
        pytest.param(b'{"a": 1,\n "b": [1, 2', "f.json:2:12", id="cut"),
        pytest.param(b'{"a": 1} {', "f.json:1:10", id="more-after-the-end"),
        pytest.param(b"[1]", "f.json:1:1", id="a-list"),
        pytest.param(b'"text"', "f.json:1:1", id="a-text"),
        pytest.param('{"a": "ä"}'.encode("latin-1"), "f.json", id="latin-1"),
        pytest.param('{"a": 1}'.encode("utf-16"), "f.json", id="utf-16"),
        pytest.param(b"[" * 100_000, "f.json", id="nested-lists"),
        pytest.param(b'{"a":' * 1015 + b"1" + b"}" * 1015, "f.json", id="nested-objects"),
        pytest.param(b'{"a": ' + b"9" * 5000 + b"}", "f.json", id="endless-number"),
    ],
)
def test_text_that_is_no_json_object_names_file_and_place(data: bytes, where: str) -> None:
    with pytest.raises(SourceBroken) as error:
        read_json(data, "f.json")
    assert error.value.where == where
    assert "f.json" in error.value.summary


@pytest.mark.parametrize(
    ("data", "repeated"),
    [
        pytest.param(b'{"a": 1, "b": {"x": ":", "y": [":"]}}', {}, id="colons-in-texts"),
        pytest.param(b'{"a:b": "c:d", "\\u003a": 1}', {}, id="escaped-colon"),
        pytest.param(b'{"a": 1, "a": 2}', {"": {"a": [1, 2]}}, id="outermost"),
        pytest.param(b'{"a": {"16": [1], "16" : [2]}}', {"a": {"16": [[1], [2]]}}, id="inner"),
        pytest.param(
            b'{"a": {"b": {"c": ":", "c": "\\u003a:"}}}', {"a.b": {"c": [":", "::"]}}, id="deep"
        ),
        pytest.param(
            b'{"a": {"x": 1, "x": 2}, "b": "\\u003a"}', {"a": {"x": [1, 2]}},
            id="with-an-escaped-colon-that-makes-up-for-it",
        ),
        pytest.param(b'{"a": {"x": 1}, "a": {"y": 1}}', {"": {"a": [{"x": 1}, {"y": 1}]}},
                     id="whole-objects"),
    ],
)  # fmt: skip
def test_a_key_that_occurs_twice_is_noticed(data: bytes, repeated: dict) -> None:
    assert read_json(data, "f.json").repeated == repeated


def test_nan_and_a_byte_order_mark_are_read() -> None:
    text = read_json(b'\xef\xbb\xbf{"a": [NaN, -Infinity]}\r\n', "f.json")
    assert np.isnan(text.data["a"][0])
    assert text.data["a"][1] == -np.inf
