"""Parse YAML 1.2 with line numbers and without duplicate keys.

``no`` stays text, ``010`` stays decimal, and errors state file, line and column.  Our files do not
need features that could take unlimited time or memory.  They are therefore refused: values nested
more than 50 levels deep, more than 20,000 values, integers beyond 64 bits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import inf, nan
from typing import Any

from yaml import Event, MarkedYAMLError, YAMLError
from yaml.composer import ComposerError
from yaml.cyaml import CParser
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from surgqa.ontology.errors import YamlInvalid

DEEPEST = 50
MOST_VALUES = 20_000
_WHOLE = re.compile(r"[-+]?(0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|[0-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?([0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + word: value for word in (".inf", ".Inf", ".INF")
       for sign, value in (("", inf), ("+", inf), ("-", -inf))},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), nan),
}  # fmt: skip
_BOUND = 1 << 63


@dataclass(frozen=True, slots=True)
class YamlText:
    """Plain data (dict, list, str, int, float, bool, None) and the position of each key.

    ``keys`` and ``values`` map a path such as ``('where', 'all', 0)`` to the (line, column) of its
    key and of its value, counted from 1.
    """

    data: Any
    keys: dict[tuple, tuple[int, int]] = field(default_factory=dict)
    values: dict[tuple, tuple[int, int]] = field(default_factory=dict)

    def line(self, path: tuple) -> int:
        """Return the line of the path or of its nearest known ancestor."""
        return self.place(path, key=True)[0]

    def place(self, path: tuple, key: bool = False) -> tuple[int, int]:
        """Return (line, column) of the value at a path, else of its key or its nearest ancestor."""
        marks = self.keys if key else self.values
        while path and path not in marks:
            path = path[:-1]
        return marks.get(path, (1, 1))


def read_yaml(text: str, name: str) -> YamlText:
    """Parse one document.

    Args:
        text: the file's content; a byte-order mark is accepted.
        name: name of the file in messages.

    Raises:
        UserError: the text is not YAML 1.2 or exceeds a limit; or it has a duplicate key, a tag, an
            anchor, a merge key ``<<``, a directive or a second document.
    """
    try:
        return _Document(text.removeprefix("\ufeff")).read()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        problem = " ".join(str(error.problem or error.context).split("\n")[0].split())
        raise YamlInvalid(
            "not valid YAML", found=problem, where=place, fix="correct the file at that place"
        ) from None
    except (YAMLError, UnicodeError) as error:
        raise YamlInvalid("not valid YAML", found=str(error).split("\n")[0], where=name) from None


class _Document:
    """One document, built from the events of libyaml's parser, which is 20 times faster than one in
    Python.  The parser does not interpret plain scalars; this class does, by YAML 1.2.
    """

    def __init__(self, text: str) -> None:
        self.next = CParser(text).get_event
        self.values = 0
        self.keys: dict[tuple, tuple[int, int]] = {}
        self.places: dict[tuple, tuple[int, int]] = {}

    def read(self) -> YamlText:
        self.next()
        start = self.next()
        if isinstance(start, StreamEndEvent):
            return YamlText(None)
        if start.version or start.tags:
            raise _refused("'%' directives are not allowed", start)
        data = self._node(self.next(), (), 0)
        self.next()
        end = self.next()
        if not isinstance(end, StreamEndEvent):
            raise _refused("a second document begins here; a file may contain one", end)
        return YamlText(data, self.keys, self.places)

    def _node(self, event: Event, path: tuple, depth: int) -> Any:
        self._check(event, depth)
        if isinstance(event, ScalarEvent):
            return _scalar(event)
        if isinstance(event, MappingStartEvent):
            return self._mapping(path, depth)
        out: list[Any] = []
        while not isinstance(event := self.next(), CollectionEndEvent):
            here = (*path, len(out))
            self.keys[here] = self.places[here] = _place(event)
            out.append(self._node(event, here, depth + 1))
        return out

    def _mapping(self, path: tuple, depth: int) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        while not isinstance(event := self.next(), CollectionEndEvent):
            if isinstance(event, MappingStartEvent | SequenceStartEvent):
                raise _refused("a key must be a word or text, not a list or a mapping", event)
            key = self._node(event, path, depth + 1)
            if key in out:
                raise _refused(f"duplicate key {key!r}", event)
            here = (*path, key)
            self.keys[here], value = _place(event), self.next()
            self.places[here] = _place(value)
            out[key] = self._node(value, here, depth + 1)
        return out

    def _check(self, event: Any, depth: int) -> None:
        """Refuse constructs with an implicit meaning, and values beyond the limits."""
        self.values += 1
        if isinstance(event, AliasEvent) or event.anchor is not None:
            raise _refused("anchors and aliases are not allowed", event)
        if event.tag is not None:
            raise _refused(f"tags such as {event.tag} are not allowed", event)
        if depth >= DEEPEST:
            raise _refused(f"values may be nested {DEEPEST} deep at most", event)
        if self.values > MOST_VALUES:
            raise _refused(f"a file may contain at most {MOST_VALUES:,} values", event)
        if isinstance(event, ScalarEvent) and event.implicit[0]:
            if event.value == "<<":
                raise _refused("merge keys '<<' are not allowed", event)
            if not _fits(event.value):
                raise _refused("integers must fit in 64 bits", event)


def _refused(problem: str, event: Event) -> ComposerError:
    return ComposerError(None, None, problem, event.start_mark)


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _scalar(event: Any) -> Any:
    """Return the value of a scalar: text if quoted; else null, a truth value, a number or text.

    Dates stay text, as in JSON.
    """
    text: str = event.value
    if not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text, _base(text))
    return float(text.replace("_", "")) if _FLOAT.fullmatch(text) else text


def _base(text: str) -> int:
    return 0 if text.lstrip("+-")[1:2].isalpha() else 10


def _fits(text: str) -> bool:
    """Return whether a plain scalar is either not an integer, or a signed 64-bit integer."""
    if len(text) < 17 or not _WHOLE.fullmatch(text):
        return True
    return len(text) < 100 and -_BOUND <= int(text, _base(text)) < _BOUND
