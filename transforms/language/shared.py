"""Named blocks that templates include whole: ``use: shared/options#yes_no``.

There is no merging and no inheritance: a mapping ``{use: file#block}`` is replaced by
that block, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ontology.errors import UserError
from ontology.yaml import read_yaml


def files_named(node: Any) -> Iterator[str]:
    """Files of the blocks that a template names, such as ``shared/options.yaml``."""
    if isinstance(node, dict) and set(node) == {"use"} and isinstance(node["use"], str):
        yield f"{node['use'].partition('#')[0]}.yaml"
    elif isinstance(node, dict | list):
        for one in node.values() if isinstance(node, dict) else node:
            yield from files_named(one)


class _Collector(Protocol):
    def add(self, code: str, at: tuple, message: str, fix: str = "") -> None: ...


@dataclass(frozen=True)
class SharedBlocks:
    """Blocks by ``shared/<file>#<block>``."""

    blocks: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, files: Mapping[str, str]) -> SharedBlocks:
        """From file name (``shared/options``) to its text."""
        blocks = {}
        for name in sorted(files):
            data = read_yaml(files[name], f"{name}.yaml").data or {}
            if not isinstance(data, dict):
                raise UserError(
                    "not a mapping of blocks", expected="name: block", where=f"{name}.yaml"
                )
            blocks |= {f"{name}#{block}": value for block, value in data.items()}
        return cls(blocks)

    def expand(self, node: Any, collector: _Collector, at: tuple = ()) -> Any:
        """The tree with every ``{use: …}`` replaced; unknown names are collected (T106)."""
        if isinstance(node, dict):
            if set(node) == {"use"}:
                name = node["use"]
                if not isinstance(name, str) or name not in self.blocks:
                    known = ", ".join(self.blocks) or "none"
                    collector.add("T106", at, f"no shared block {name!r}", f"blocks: {known}")
                    return None
                return self.blocks[name]
            return {k: self.expand(v, collector, (*at, k)) for k, v in node.items()}
        if isinstance(node, list):
            return [self.expand(v, collector, (*at, i)) for i, v in enumerate(node)]
        return node
