"""Insert shared blocks and the values of variants into a template, before it is parsed.

``use: shared/options#yes_no`` includes a named block as a whole. ``variants:`` declares several
similar templates in one file: every variant defines the same keys. ``{variant: key}`` is replaced
by the key's value, and ``{{ variant.key }}`` inside a text by the key's text.
Nothing is merged or inherited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from surgqa.ontology.errors import FieldInvalid
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.language.context import At, ParseContext

NAME = re.compile(r"[a-z0-9_]+")
OF_THE_FILE = ("schema", "id", "version", "changes", "benchmark")
"""Fields of a file that no variant can change."""

_IN_TEXT = re.compile(r"\{\{\s*variant\.(\w+)\s*\}\}")


def _put(
    node: Any, at: At, key: str, whole: Callable[[Any, At], Any], text: Callable[[str, At], str]
) -> Any:  # fmt: skip
    """Return a copy of a tree; ``whole`` replaces each ``{key: …}``, ``text`` each string."""
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
    """Blocks that templates include, by ``shared/<file>#<block>``; compared by their files."""

    files: tuple[tuple[str, str], ...] = ()
    blocks: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def read(cls, files: Mapping[str, str]) -> SharedBlocks:
        """Read the blocks of some files.

        Args:
            files: file name (``shared/options``) -> text.
        """
        blocks = {}
        for name in sorted(files):
            data = read_yaml(files[name], f"{name}.yaml").data or {}
            if not isinstance(data, dict):
                raise FieldInvalid(
                    "a file of shared blocks is not a mapping", expected="name: block",
                    where=f"{name}.yaml",
                )  # fmt: skip
            blocks |= {f"{name}#{block}": value for block, value in data.items()}
        return cls(tuple(sorted(files.items())), blocks)

    def expand(self, node: Any, c: ParseContext) -> Any:
        """Return a copy of ``node`` with every ``{use: …}`` replaced; T106 for an unknown block."""

        def block(name: Any, at: At) -> Any:
            if isinstance(name, str) and name in self.blocks:
                return self.blocks[name]
            known = ", ".join(self.blocks) or "none"
            c.add("T106", at, f"no shared block {name!r}", f"blocks: {known}")
            return None

        return _put(node, (), "use", block, lambda text, at: text)


def files_named(node: Any) -> Iterator[str]:
    """Yield the files of the blocks that a template uses, such as ``shared/options.yaml``."""
    found: list[Any] = []
    _put(node, (), "use", lambda name, at: found.append(name), lambda text, at: text)
    return (f"{name.partition('#')[0]}.yaml" for name in found if isinstance(name, str))


# -- variants -----------------------------------------------------------------------------


def variants_of(data: Mapping[str, Any], c: ParseContext) -> Mapping[str, Mapping[str, Any]]:
    """Return the values by variant and key; after a mistake in ``variants``, nothing."""
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


def _sound(name: Any, values: Any, c: ParseContext) -> bool:
    at = ("variants", name)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        fix = "use lower-case letters, digits and '_'; the name becomes part of the id"
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
    data: Mapping[str, Any], values: Mapping[str, Any], c: ParseContext
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the file's fields with one variant's values inserted, and keys that were not used."""
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
            c.add("T104", at, f"the key {key!r} is not a text, so it cannot be inserted into one",
                  f"use the whole value: {{variant: {key}}}")  # fmt: skip
        return found if isinstance(found, str) else ""

    def text(written: str, at: At) -> str:
        return _IN_TEXT.sub(lambda found: inside(found.group(1), at), written)

    out = {key: one if key in OF_THE_FILE else _put(one, (key,), "variant", value, text)
           for key, one in data.items() if key != "variants"}  # fmt: skip
    return out, tuple(key for key in values if key not in used)
