"""Every value of a small JSON tree put in another's place, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from tests.damage.ways import places

INSTEAD: tuple[Any, ...] = (
    None, True, 0, -1, 0.5, 1e308, 10**30, "", "x", "a\0b", "../x", [], [[]], {}, {"a": 1}, [None],
)  # fmt: skip


def everywhere(tree: Any) -> Iterator[tuple[str, Any]]:
    """(what was changed, the changed tree), for every place and every value."""
    for number, (parent, key) in enumerate(places(tree)):
        kept = parent[key]
        for value in INSTEAD:
            parent[key] = value
            yield f"{number} {key}: {value!r}", deepcopy(tree)
        parent[key] = kept
