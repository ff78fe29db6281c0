"""What stands for something else in a file, and is gone before anything is read.

``use: shared/options#yes_no`` includes a named block whole.  ``variants:`` is a small family of
templates in one file, the same question over other words: every variant gives the same keys,
``{variant: key}`` stands for a value and takes it whole, ``{{ variant.key }}`` inside a text puts
a text in its place.  There is no merging and no inheritance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ontology.errors import UserError
from ontology.yaml import read_yaml
from transforms.language.context import At, Context

NAME = re.compile(r"[a-z0-9_]+")
OF_THE_FILE = ("schema", "id", "version", "changes")
"""Fields that all variants of a file share as they stand."""

_IN_TEXT = re.compile(r"\{\{\s*variant\.(\w+)\s*\}\}")


def _put(
    node: Any, at: At, key: str, whole: Callable[[Any, At], Any], text: Callable[[str, At], str]
) -> Any:  # fmt: skip
    """A tree with what stands for every ``{key: …}`` and in every text."""
    if isinstance(node, dict):
        if set(node) == {key}:
            return whole(node[key], at)
        return {k: _put(v, (*at, k), key, whole, text) for k, v in node.items()}
    if isinstance(node, list):
        return [_put(v, (*at, i), key, whole, text) for i, v in enumerate(node)]
    return text(node, at) if isinstance(node, str) else node


# -- shared blocks ------------------------------------------------------------------------


@dataclass(frozen=True)
class SharedBlocks:
    """Blocks by ``shared/<file>#<block>``; those of the same files are the same."""

    files: tuple[tuple[str, str], ...] = ()
    blocks: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def read(cls, files: Mapping[str, str]) -> SharedBlocks:
        """From file name (``shared/options``) to its text."""
        blocks = {}
        for name in sorted(files):
            data = read_yaml(files[name], f"{name}.yaml").data or {}
            if not isinstance(data, dict):
                raise UserError("not a mapping of blocks", expected="name: block",
                                where=f"{name}.yaml")  # fmt: skip
            blocks |= {f"{name}#{block}": value for block, value in data.items()}
        return cls(tuple(sorted(files.items())), blocks)

    def expand(self, node: Any, c: Context) -> Any:
        """The tree with every ``{use: …}`` replaced; unknown names are collected (T106)."""

        def block(name: Any, at: At) -> Any:
            if isinstance(name, str) and name in self.blocks:
                return self.blocks[name]
            known = ", ".join(self.blocks) or "none"
            c.add("T106", at, f"no shared block {name!r}", f"blocks: {known}")
            return None

        return _put(node, (), "use", block, lambda text, at: text)


def files_named(node: Any) -> Iterator[str]:
    """Files of the blocks that a template names, such as ``shared/options.yaml``."""
    found: list[Any] = []
    _put(node, (), "use", lambda name, at: found.append(name), lambda text, at: text)
    return (f"{name.partition('#')[0]}.yaml" for name in found if isinstance(name, str))


# -- variants -----------------------------------------------------------------------------


def variants_of(data: Mapping[str, Any], c: Context) -> Mapping[str, Mapping[str, Any]]:
    """Variant -> key -> value; empty when the list is not in order (then with findings)."""
    table = data["variants"]
    if not isinstance(table, dict) or not table:
        c.add("T102", ("variants",), "'variants' needs at least one name with its keys",
              "write 'name: {key: value}'")  # fmt: skip
        return {}
    before = len(c.findings)
    sound = [_sound(name, values, c) for name, values in table.items()]
    if all(sound):
        keys = dict.fromkeys(key for values in table.values() for key in values)
        for name, values in table.items():
            for key in keys:
                if key not in values:
                    c.add("T102", ("variants", name), f"{key!r} is missing",
                          "every variant has the same keys")  # fmt: skip
    return table if len(c.findings) == before else {}


def _sound(name: Any, values: Any, c: Context) -> bool:
    at = ("variants", name)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        fix = "small letters, digits and '_': it ends the id"
        c.add("T102", at, f"{name!r} cannot be the name of a variant", fix)
        return False
    if not isinstance(values, dict):
        c.add("T102", at, "a variant is a mapping of keys to values", "write 'name: {key: value}'")
        return False
    odd = [key for key in values if not isinstance(key, str) or not key.isidentifier()]
    for key in odd:
        c.add("T102", (*at, key), f"{key!r} cannot be a key", "letters, digits and '_'")
    return not odd


def filled(
    data: Mapping[str, Any], values: Mapping[str, Any], c: Context
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The file's fields with one variant's values in place, and the keys nothing used."""
    used: set[str] = set()

    def value(key: Any, at: At) -> Any:
        if not isinstance(key, str) or key not in values:
            known = f"keys: {', '.join(values) or 'none'}"
            c.add("T104", at, f"a variant has no key {key!r}", known)
            return None
        used.add(key)
        return values[key]

    def inside(key: str, at: At) -> str:
        found = value(key, at)
        if found is not None and not isinstance(found, str):
            c.add("T104", at, f"the key {key!r} is no text, so it cannot stand inside one",
                  f"take it whole: {{variant: {key}}}")  # fmt: skip
        return found if isinstance(found, str) else ""

    def text(written: str, at: At) -> str:
        return _IN_TEXT.sub(lambda found: inside(found.group(1), at), written)

    out = {key: one if key in OF_THE_FILE else _put(one, (key,), "variant", value, text)
           for key, one in data.items() if key != "variants"}  # fmt: skip
    return out, tuple(key for key in values if key not in used)
