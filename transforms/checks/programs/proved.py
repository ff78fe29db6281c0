"""What a query gives of a node as a typed value, and whether a row says the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from transforms.algebra.types import Type
from transforms.checks.programs.options import canonical

Struct = Mapping[str, Any]
"""One value of a query: the columns of its shape (``transforms.algebra.sql.values``)."""

CLOSE = 2e-6
"""Greatest difference of two measured numbers that are one, beside that of rounding."""

ENDLESS = 1 << 60
"""Upper bound of a count of what nobody looked at."""

NAMES = ("label", "subject", "verb", "target", "track")


class Open(Exception):
    """The evidence does not settle the value."""


def typed(struct: Struct, of: Type, fields: Sequence[str] = ()) -> Any:
    """A typed value as ``slots`` and ``answer_value`` have it.

    Args:
        fields: of listed facts: what is told of each.

    Raises:
        Open: it is not certain.
    """
    if struct.get("none"):
        return None
    if not struct["ok"]:
        raise Open
    if "lo" in struct:
        return _range(struct["lo"], struct["at"], struct["hi"], of)
    if "value" in struct:
        return _value(struct["value"], of)
    if "a0" in struct:
        return _stretch(struct)
    if "s0" in struct:
        return fact(struct)
    if "x1" in struct:
        return [struct[name] for name in ("x1", "y1", "x2", "y2")]
    if "elements" in struct:
        return [_element(one, fields) for one in struct["elements"]]
    if "path" in struct:
        return {name: value for name, value in struct.items() if name not in ("ok", "none")}
    raise Open


def _range(low: Any, at: Any, high: Any, of: Type) -> Any:
    if low == high:
        return at
    if of.name == "instant":
        return {"earliest_us": low, "time_us": at, "latest_us": high}
    endless = high is None or high >= ENDLESS or math.isinf(high)
    return {"least": low, "value": at, "most": None if endless else high}


def _value(value: Any, of: Type) -> Any:
    if of.name == "truth" and value is None:
        raise Open
    if of.name == "act":
        return act(value)
    if of.name == "statement":
        return int(value)
    if isinstance(value, list) and of.of == "act":
        return [act(one) for one in value]
    return value


def act(text: Any) -> Any:
    """A verb with its target from the text that queries have."""
    if not isinstance(text, str):
        return text
    verb, _, target = text.partition(",")
    return {"verb": verb, "target": target or None}


def _stretch(struct: Struct) -> dict[str, Any]:
    instant = Type("instant")
    return {side: _range(struct[f"{x}0"], struct[x], struct[f"{x}1"], instant)
            for side, x in (("start", "a"), ("end", "b"))}  # fmt: skip


def fact(struct: Struct) -> dict[str, Any]:
    """A fact's labels that it has, with its printed start and end."""
    names = {name: struct[name] for name in NAMES if struct[name]}
    return {**names, "start_us": struct["s"], "end_us": struct["e"]}


def _element(struct: Struct, fields: Sequence[str]) -> Any:
    if "a0" in struct:
        return _stretch(struct)
    whole, out = fact(struct), {}
    for name in fields:
        if name in ("start", "end"):
            x = "s" if name == "start" else "e"
            out[name] = _range(struct[f"{x}0"], struct[x], struct[f"{x}1"], Type("instant"))
        elif name == "track":
            out[name] = whole
        elif name in NAMES or name in struct:
            out[name] = struct[name]
    return out


def same(row: Any, proved: Any, of: Type) -> bool:
    """Whether a row's value is the proved one.

    The members of a set have no order; numbers may differ by what rounding leaves.
    """
    if isinstance(row, list) and isinstance(proved, list):
        if len(row) != len(proved):
            return False
        if of.name == "set":
            row, proved = (sorted(many, key=canonical) for many in (row, proved))
        one = Type("label")
        return all(same(a, b, one) for a, b in zip(row, proved, strict=True))
    if isinstance(row, Mapping) and isinstance(proved, Mapping):
        shared = set(row) & set(proved)
        return bool(shared) and set(proved) <= set(row) and all(
            same(row[name], proved[name], of) for name in shared)  # fmt: skip
    if _is_number(row) and _is_number(proved) and not (_whole(row) and _whole(proved)):
        return abs(row - proved) <= CLOSE * max(1.0, abs(proved))
    return bool(row == proved)


def _whole(value: Any) -> bool:
    return isinstance(value, int)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
