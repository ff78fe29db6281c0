"""Read the values of keys in a template: of operators, patterns and the sections of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from surgqa.ontology.kinds import kind, kind_names
from surgqa.transforms.algebra.signature import Param
from surgqa.transforms.algebra.tree import Amount, Const, Node
from surgqa.transforms.algebra.types import NONE, WORD, Type, fields_of
from surgqa.transforms.language.context import At, ParseContext, Scope, one_or_more
from surgqa.transforms.language.resolve import (
    condition,
    conditions,
    expression,
    fitting,
    is_broken,
    labelled,
    value,
)
from surgqa.transforms.language.syntax import UNITS, Quantity, SyntaxProblem, parse_expression
from surgqa.transforms.language.texts import text_of
from surgqa.transforms.language.vocab import DOMAINS, scales

Argument = Callable[[ParseContext, Any, At, Scope, Param], Any]
Params = Mapping[str, Param]
NOTHING: Mapping[str, Argument] = {}


def record(
    c: ParseContext, data: Any, at: At, scope: Scope, params: Params,
    own: Mapping[str, Argument] = NOTHING,
) -> dict[str, Any] | None:  # fmt: skip
    """Return the values of a mapping's keys, or None if ``data`` is no mapping or lacks a key.

    Args:
        own: functions for this mapping only: way of writing (``Param.written``) -> function.
    """
    if not isinstance(data, dict):
        message = f"a mapping of fields is expected, found {data!r}"
        c.unknown("T102", at, message, "", params, "fields")
        return None
    known_keys(c, data, at, params)
    missing = [key for key, param in params.items() if param.required and key not in data]
    for key in missing:
        c.add("T102", at, f"{key!r} is missing", f"add '{key}: …'")
    return None if missing else read(c, data, at, scope, params, own)


def read(
    c: ParseContext, data: Mapping[str, Any], at: At, scope: Scope, params: Params,
    own: Mapping[str, Argument] = NOTHING,
) -> dict[str, Any]:  # fmt: skip
    """Return the values of the known keys in ``data``, each read as its parameter states."""
    ways = {**ARGUMENTS, **own}
    return {key: ways[params[key].written](c, one, (*at, key), scope, params[key])
            for key, one in data.items() if key in params}  # fmt: skip


def known_keys(c: ParseContext, data: Iterable[Any], at: At, known: Iterable[str]) -> None:
    """T102: report the keys that are not allowed here."""
    for key in data:
        if key not in known:
            message = f"unknown field {key!r}"
            c.unknown("T102", (*at, key), message, key, known, "fields", key=True)


# -- values -------------------------------------------------------------------------------


def values(
    c: ParseContext, data: Any, at: At, scope: Scope, wanted: tuple[str, ...]
) -> tuple[tuple[Node, ...], Type] | None:
    """Return the nodes of one value or a list, and their common type; None after a mistake."""
    given = one_or_more(data, at)
    allowed = (*wanted, "none") if wanted else ()
    nodes = [fitting(c, one, here, scope, allowed) for one, here in given]
    if not nodes:
        c.add("T102", at, "the list is empty", "write at least one value")
        return None
    if any(map(is_broken, nodes)):
        return None
    one = joined([node.type for node in nodes])
    if one.name == "label" and one.of:
        nodes = [labelled(c, node, one.of, at) for node in nodes]
    for i, node in enumerate(nodes):
        if not (wanted or node.type.name == "none" or node.type.fits(one)):
            nodes[i] = c.mismatch(given[i][1], (str(one),), node.type, scope, node.place)
    return (tuple(nodes), one) if not any(map(is_broken, nodes)) else None


def joined(types: list[Type]) -> Type:
    """Return the common type of several values; a bare word takes the type of the other values."""
    return next((one for one in types if one not in (NONE, Type("label"))), types[0])


def cases(c: ParseContext, data: Any, at: At, scope: Scope) -> tuple[tuple[object, Node], ...]:
    """Return the (text, condition) of each statement."""
    if not isinstance(data, dict) or len(data) < 2:
        c.add("T102", at, "'cases' needs at least two statements", "write 'statement: condition'")
        return ()
    return tuple(
        (text_of(c, text, (*at, text), scope, key=True), condition(c, one, (*at, text), scope))
        for text, one in data.items()
    )


def _choice(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> str:
    if data not in param.choices:
        c.unknown("T102", at, f"{data!r} is not known here", data, param.choices, "choices")
    return str(data)


def _several(one: Argument) -> Argument:
    """Return a function that reads one value or a list of values, each with ``one``."""

    def read(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> tuple[Any, ...]:
        return tuple(one(c, part, here, scope, param) for part, here in one_or_more(data, at))

    return read


def _scale(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> Any:
    """Return the name of a scale, its (word, lower bound) pairs, or the rating that has it."""
    if isinstance(data, dict):
        pairs = tuple((str(word), amount(c, low, (*at, word)).low) for word, low in data.items())
        if [low for _, low in pairs] != sorted(low for _, low in pairs):
            c.add("T102", at, "the bounds of a scale rise from word to word", "sort them")
        return pairs
    return data if data in scales() else _rated(c, data, at, scope, "scale", scales(), "scales")


def _rated(
    c: ParseContext,
    data: Any,
    at: At,
    scope: Scope,
    what: str,
    known: Iterable[str],
    many: str = "",
) -> Node:
    """Return the rating whose scale is used; T106, listing ``known``, if ``data`` names nothing."""
    if isinstance(data, str) and data.split(".")[0] not in scope.names:
        return c.unknown("T106", at, f"no {what} {data!r}", data, known, many)
    node = expression(c, data, at, scope)
    if not is_broken(node) and not node.type.fits(Type("label", "rating")):
        return c.mismatch(at, ("label of rating",), node.type, scope, node.place)
    return node


def _labels(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> Node:
    """Return the domain of labels as a constant, or the expression of a rating that has a scale."""
    place = c.place(at)
    if data in scales():
        return Const(WORD, data, place)
    if data in kind_names():
        c.kinds.add(data)
        domain = kind(data).fields.get("label")
        if domain is None:
            message = f"facts of {data} have no label"
            return c.unknown("T104", at, message, "", fields_of(data), "fields")
        return Const(Type("label", domain), data, place)
    if data in DOMAINS:
        return Const(Type("label", data), data, place)
    known = (*kind_names(), *DOMAINS, *scales())
    node = _rated(c, data, at, scope, "kind, domain or scale", known)
    return node if is_broken(node) else replace(node, type=WORD)


def _border(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> str:
    """Read ``start`` or ``end``: the border by which facts are ordered."""
    if data not in ("it.start", "it.end"):
        c.add("T102", at, f"'it.start' or 'it.end' is expected, found {data!r}")
    return str(data).removeprefix("it.")


# -- numbers ------------------------------------------------------------------------------

NO_AMOUNT = Amount("number", 0, 0)


def amount(c: ParseContext, data: Any, at: At) -> Amount:
    """Return a quantity such as ``2 s``, ``10 %``, ``0.05`` or ``20..60 s``."""
    if isinstance(data, int | float) and not isinstance(data, bool):
        return Amount("number", data, data)
    try:
        found = parse_expression(data) if isinstance(data, str) else None
    except SyntaxProblem as problem:
        c.add("T102", at, f"cannot be read: {problem}", offset=problem.offset)
        return NO_AMOUNT
    if not isinstance(found, Quantity):
        c.add("T102", at, f"a length is expected, found {data!r}", "such as '2 s' or '10 %'")
        return NO_AMOUNT
    unit = "us" if found.unit in UNITS else {"": "number", "%": "share"}.get(found.unit, found.unit)
    return Amount(unit, *found.bounds)


def duration(c: ParseContext, data: Any, at: At) -> int:
    """Return a single duration, in microseconds."""
    found = amount(c, data, at)
    if found is not NO_AMOUNT and (found.unit != "us" or not 0 <= found.low == found.high):
        c.add("T117", at, f"expected one length of time, found {data!r}", "such as '2 s'")
        return 0
    return int(found.low)


def durations(c: ParseContext, data: Any, at: At) -> tuple[int, int]:
    """Return a duration or a range of durations, in microseconds."""
    found = amount(c, data, at)
    if found is not NO_AMOUNT and (found.unit != "us" or found.low < 0):
        c.add("T117", at, f"expected a length of time, found {data!r}", "such as '24..80 s'")
    return int(found.low), int(found.high)


def period(c: ParseContext, data: Any, at: At) -> int:
    """Return a single duration that is longer than 0 s, in microseconds."""
    found = amount(c, data, at)
    if found is not NO_AMOUNT and (found.unit != "us" or not 0 < found.low == found.high):
        c.add("T117", at, f"expected one time longer than 0 s, found {data!r}", "such as '60 s'")
        return 0
    return int(found.low)


def wholes(c: ParseContext, data: Any, at: At) -> tuple[int, int]:
    """Return a whole number or a range of them."""
    found = amount(c, data, at)
    if found.unit != "number" or found.low != int(found.low) or found.high != int(found.high):
        c.add("T117", at, f"expected a whole number, found {data!r}", "such as '2..3'")
    return int(found.low), int(found.high)


def whole(c: ParseContext, data: Any, at: At) -> int:
    """Read one whole number."""
    if isinstance(data, bool) or not isinstance(data, int):
        c.add("T117", at, f"expected a whole number, found {data!r}")
        return 0
    return data


def _words(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> tuple[str, ...]:
    if not isinstance(data, list):
        c.add("T102", at, "a list of words is expected", "write '[uncertain]'")
        return ()
    return tuple(map(str, data))


def _values(c: ParseContext, data: Any, at: At, scope: Scope, param: Param) -> tuple[Node, ...]:
    found = values(c, data, at, scope, param.types)
    return found[0] if found else ()


def _alone(read: Callable[[ParseContext, Any, At], Any]) -> Argument:
    """Return a function that reads a setting, in which no names of the template can be used."""
    return lambda c, data, at, scope, param: read(c, data, at)


ARGUMENTS: Mapping[str, Argument] = {
    "value": lambda c, data, at, scope, param: fitting(c, data, at, scope, param.types),
    "named": lambda c, data, at, scope, param: fitting(c, data, at, scope, param.types, value),
    "values": _values,
    "condition": lambda c, data, at, scope, param: condition(c, data, at, scope),
    "conditions": lambda c, data, at, scope, param: conditions(c, data, at, scope),
    "text": lambda c, data, at, scope, param: text_of(c, data, at, scope),
    "word": lambda c, data, at, scope, param: str(data),
    "words": _words,
    "choice": _choice,
    "choices": _several(_choice),
    "whole": _alone(whole),
    "wholes": _alone(wholes),
    "length": _alone(amount),
    "lengths": _several(_alone(amount)),
    "duration": _alone(duration),
    "period": _alone(period),
    "durations": _alone(durations),
    "border": _border,
    "scale": _scale,
    "labels": _labels,
}
"""Way of writing an argument (see ``Param.written``) -> the function that reads it."""
