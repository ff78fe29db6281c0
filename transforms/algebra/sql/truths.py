"""Truth values: NULL if unknown; SQL's ``and``, ``or`` and ``not`` have three values as well."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import FACT, TRUTH, SqlValue
from surgqa.transforms.algebra.tree import Call, Node


def holds(node: Node, scope: SqlScope) -> SqlValue:
    """Return whether a condition holds; ``only`` holds if there is exactly one matching fact."""
    value = scope.value(node)
    if value.shape != FACT:
        return value
    one = "case when v.none then false when v.ok then true end as value, v.ok or v.none as ok"
    return scope.row(TRUTH, one, v=value)


def joined(call: Call, word: str, scope: SqlScope) -> SqlValue:
    """Return conditions joined by ``word`` (and, or); the result is defined if all of them are."""
    parts = {f"p{k}": holds(node, scope) for k, node in enumerate(call.get("of"))}
    value = f" {word} ".join(f"{name}.value" for name in parts)
    ok = " and ".join(f"{name}.ok" for name in parts)
    return scope.row(TRUTH, f"({value}) as value, ({ok}) as ok", **parts)
