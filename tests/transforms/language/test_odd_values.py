"""Whatever stands in a field, lint gives findings and never a traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ontology.errors import UserError
from ontology.yaml import read_yaml
from tests.transforms.language.wrong_templates import WRONG
from transforms.language import lint

ODD: tuple[Any, ...] = (
    None, True, 3, -1.5, "", "x", "{{", "{{ tool }}", [], ["x"], [1], [None], [[]], [{}], {},
    {"x": 1}, {"use": "a"}, {"use": ["a"]}, {"a": {"b": 1}},
)  # fmt: skip
RIGHT_BUT_FOR_ONE = ("one_wording", "choice_without_options", "yes_only")


@pytest.mark.parametrize("base", RIGHT_BUT_FOR_ONE)
def test_any_value_in_any_place(base: str, tmp_path: Path) -> None:
    data = read_yaml((WRONG / base / "template.yaml").read_text(encoding="utf-8"), base).data
    (tmp_path / "wrong").mkdir()
    file = tmp_path / "wrong" / "example.yaml"
    for place in places(data):
        for value in ODD:
            file.write_text(json.dumps(put(data, place, value)), encoding="utf-8")
            assert isinstance(lint([tmp_path]), list), (place, value)


@pytest.mark.parametrize("text", ["[1, 2]", "just text", "a: [b"])
def test_broken_shared_blocks(text: str, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "words.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        lint([tmp_path])
    assert "words.yaml" in str(error.value)


def places(node: Any, path: tuple = ()) -> Iterator[tuple]:
    """Every place in a tree of mappings and lists."""
    yield path
    if not isinstance(node, dict | list):
        return
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        yield from places(value, (*path, key))


def put(node: Any, path: tuple, value: Any) -> Any:
    """The tree with another value at a place."""
    if not path:
        return value
    head, *rest = path
    if isinstance(node, dict):
        return {k: put(v, tuple(rest), value) if k == head else v for k, v in node.items()}
    return [put(v, tuple(rest), value) if i == head else v for i, v in enumerate(node)]
