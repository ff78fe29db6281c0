"""``variants:`` a small family of templates in one file: the same question over other words.

Every variant gives the same keys.  ``{variant: key}`` stands for a value and takes it
whole; ``{{ variant.key }}`` inside a text puts a text in its place.  Both are constants:
they are gone before a shared block is looked up or a wording is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

NAME = re.compile(r"[a-z0-9_]+")
OF_THE_FILE = ("schema", "id", "version", "changes")
"""Fields that all variants of a file share as they stand."""

_IN_TEXT = re.compile(r"\{\{\s*variant\.(\w+)\s*\}\}")


class _Collector(Protocol):
    def add(self, code: str, at: tuple, message: str, fix: str = "") -> None: ...


def variants_of(data: Mapping[str, Any], collector: _Collector) -> Mapping[str, Mapping[str, Any]]:
    """Variant -> key -> value; empty when the list is not in order (then with findings)."""
    table = data["variants"]
    if not isinstance(table, dict) or not table:
        message = "'variants' needs at least one name with its keys"
        collector.add("T102", ("variants",), message, "write 'name: {key: value}'")
        return {}
    sound = [_sound(name, values, collector) for name, values in table.items()]
    if not all(sound):
        return {}
    keys = list(dict.fromkeys(key for values in table.values() for key in values))
    complete = True
    for name, values in table.items():
        for key in keys:
            if key not in values:
                fix = "every variant has the same keys"
                collector.add("T102", ("variants", name), f"{key!r} is missing", fix)
                complete = False
    return table if complete else {}


def _sound(name: Any, values: Any, collector: _Collector) -> bool:
    at = ("variants", name)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        fix = "small letters, digits and '_': it ends the id"
        collector.add("T102", at, f"{name!r} cannot be the name of a variant", fix)
        return False
    if not isinstance(values, dict):
        collector.add("T102", at, "a variant is a mapping of keys to values",
                      "write 'name: {key: value}'")  # fmt: skip
        return False
    odd = [key for key in values if not isinstance(key, str) or not key.isidentifier()]
    for key in odd:
        collector.add("T102", (*at, key), f"{key!r} cannot be a key", "letters, digits and '_'")
    return not odd


def filled(
    data: Mapping[str, Any], values: Mapping[str, Any], collector: _Collector
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The file's fields with one variant's values in place, and the keys nothing used."""
    filler = _Filler(values, collector)
    out = {
        key: value if key in OF_THE_FILE else filler.put(value, (key,))
        for key, value in data.items()
        if key != "variants"
    }
    return out, tuple(key for key in values if key not in filler.used)


@dataclass
class _Filler:
    """Puts the values of one variant into a tree."""

    values: Mapping[str, Any]
    collector: _Collector
    used: set[str] = field(default_factory=set)

    def put(self, node: Any, at: tuple) -> Any:
        if isinstance(node, dict):
            if set(node) == {"variant"}:
                return self._value(node["variant"], at)
            return {k: self.put(v, (*at, k)) for k, v in node.items()}
        if isinstance(node, list):
            return [self.put(v, (*at, i)) for i, v in enumerate(node)]
        if isinstance(node, str):
            return _IN_TEXT.sub(lambda found: self._text(found.group(1), at), node)
        return node

    def _value(self, key: Any, at: tuple) -> Any:
        if not isinstance(key, str) or key not in self.values:
            self.collector.add("T104", at, f"a variant has no key {key!r}", self._known())
            return None
        self.used.add(key)
        return self.values[key]

    def _text(self, key: str, at: tuple) -> str:
        value = self._value(key, at)
        if value is not None and not isinstance(value, str):
            message = f"the key {key!r} is no text, so it cannot stand inside one"
            self.collector.add("T104", at, message, f"take it whole: {{variant: {key}}}")
        return value if isinstance(value, str) else ""

    def _known(self) -> str:
        return f"keys: {', '.join(self.values) or 'none'}"
