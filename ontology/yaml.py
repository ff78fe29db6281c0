"""YAML 1.2 with line numbers, duplicate keys refused, and no surprises.

``no`` stays text, ``010`` stays decimal, and a mistake names file, line and column.  What
no file of ours needs, and what would take minutes or memory without end, is refused: values
nested more than 50 deep, more than 20,000 values, whole numbers beyond 64 bits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.composer import Composer, ComposerError
from ruamel.yaml.constructor import RoundTripConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, ScalarEvent

from ontology.errors import UserError

DEEPEST = 50
MOST_VALUES = 20_000
_WHOLE = re.compile(r"[-+]?(0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|[0-9_]+)")
_BOUND = 1 << 63


@dataclass(frozen=True, slots=True)
class YamlText:
    """Plain data (dict, list, str, int, float, bool, None) and where each key stood.

    ``keys`` and ``values`` map a path such as ``('where', 'all', 0)`` to the (line, column) of its
    key and of its value, counted from 1.
    """

    data: Any
    keys: dict[tuple, tuple[int, int]] = field(default_factory=dict)
    values: dict[tuple, tuple[int, int]] = field(default_factory=dict)

    def line(self, path: tuple) -> int:
        """Line of the path or of its nearest known ancestor."""
        return self.place(path, key=True)[0]

    def place(self, path: tuple, key: bool = False) -> tuple[int, int]:
        """(line, column) of the value at the path, or of its key, or of its nearest ancestor."""
        marks = self.keys if key else self.values
        while path and path not in marks:
            path = path[:-1]
        return marks.get(path, (1, 1))


def read_yaml(text: str, name: str) -> YamlText:
    """Parse one document.

    Args:
        text: the file's content; a byte-order mark is accepted.
        name: what to call the file in messages.

    Raises:
        UserError: not YAML 1.2, a duplicate key, a tag, an anchor, a merge key ``<<``, a
            directive, more than one document, or beyond one of the bounds.
    """
    loader = YAML(typ="rt", pure=True)
    loader.Composer = _PlainComposer
    loader.Constructor = _PlainConstructor
    loader.allow_duplicate_keys = False
    try:
        tree = loader.load(text.removeprefix("\ufeff"))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        problem = " ".join(str(error.problem or error.context).split("\n")[0].split())
        raise UserError(
            "not valid YAML", found=problem, where=place, fix="correct the file at that place"
        ) from None
    except YAMLError as error:
        raise UserError("not valid YAML", found=str(error).split("\n")[0], where=name) from None
    found = YamlText(None)
    return replace(found, data=_plain(tree, (), found))


class _PlainComposer(Composer):
    """Refuses what would make a file mean something else than what is written there, and
    what is beyond the bounds.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.values = 0

    def compose_document(self) -> Any:
        event = self.parser.peek_event()
        if event.version or event.tags:
            raise ComposerError(None, None, "'%' directives are not allowed", event.start_mark)
        return super().compose_document()

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.parser.peek_event()
        refused = ""
        if isinstance(event, AliasEvent) or event.anchor is not None:
            refused = "anchors and aliases are not allowed"
        elif event.tag is not None:
            refused = f"tags such as {event.tag} are not allowed"
        elif isinstance(event, ScalarEvent) and event.value == "<<" and event.implicit[0]:
            refused = "merge keys '<<' are not allowed"
        self.values += 1
        refused = refused or self._beyond(event)
        if refused:
            raise ComposerError(None, None, refused, event.start_mark)
        return super().compose_node(parent, index)

    def _beyond(self, event: Any) -> str:
        """Which bound a value is beyond, in words, or nothing."""
        if self.depth >= DEEPEST:
            return f"values may be nested {DEEPEST} deep"
        if self.values > MOST_VALUES:
            return f"a file may hold {MOST_VALUES:,} values"
        if isinstance(event, ScalarEvent) and event.implicit[0] and not _fits(event.value):
            return "whole numbers may have 64 bits"
        return ""


def _fits(text: str) -> bool:
    """Whether the text of a plain scalar is no whole number, or one of 64 bits with its sign."""
    if len(text) < 17 or not _WHOLE.fullmatch(text):
        return True
    base = 0 if text.lstrip("+-")[1:2].isalpha() else 10
    return len(text) < 100 and -_BOUND <= int(text, base) < _BOUND


class _PlainConstructor(RoundTripConstructor):
    """Dates stay text, as JSON would have them."""


_PlainConstructor.add_constructor("tag:yaml.org,2002:timestamp", lambda _, node: node.value)


def _plain(node: Any, path: tuple, found: YamlText) -> Any:
    if isinstance(node, CommentedMap):
        out = {}
        for key, value in node.items():
            here = (*path, key)
            _note(found, here, node.lc.key(key), node.lc.value(key))
            out[_scalar(key)] = _plain(value, here, found)
        return out
    if isinstance(node, CommentedSeq):
        out_list = []
        for index, value in enumerate(node):
            here = (*path, index)
            _note(found, here, node.lc.item(index), node.lc.item(index))
            out_list.append(_plain(value, here, found))
        return out_list
    return _scalar(node)


def _note(found: YamlText, path: tuple, key: tuple[int, int], value: tuple[int, int]) -> None:
    found.keys[path] = (key[0] + 1, key[1] + 1)
    found.values[path] = (value[0] + 1, value[1] + 1)


def _scalar(value: Any) -> Any:
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value
