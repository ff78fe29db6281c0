"""Truths: NULL is neither certain; ``and``, ``or`` and ``not`` of SQL are Kleene's."""

from __future__ import annotations

from transforms.algebra.sql.scope import Scope
from transforms.algebra.sql.values import TRUTH, Value
from transforms.algebra.tree import Call


def joined(call: Call, word: str, scope: Scope) -> Value:
    """Conditions with ``and`` or ``or`` between them; whether they are defined is and-ed apart."""
    parts = {f"p{k}": scope.value(node) for k, node in enumerate(call.get("of"))}
    value = f" {word} ".join(f"{name}.value" for name in parts)
    ok = " and ".join(f"{name}.ok" for name in parts)
    return scope.row(TRUTH, f"({value}) as value, ({ok}) as ok", **parts)
