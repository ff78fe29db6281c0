"""The times that a typed value refers to, for marking answers and options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Span = tuple[int, int]
"""Start and end in microseconds of the video; equal for an instant."""
INSTANT = "instant"


def spans_of(value: Any, of: str = "") -> list[Span]:
    """Instants and intervals that a value contains, in order, each once.

    Args:
        value: plain data as in ``answer_value`` and ``options[].value``.
        of: its static type, which distinguishes an instant from a number.
    """
    return sorted(set(_spans(value, of)))


def _spans(value: Any, of: str) -> Iterator[Span]:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        if of == INSTANT:
            yield value, value
    elif isinstance(value, list):
        for one in value:
            yield from _spans(one, of)
    elif isinstance(value, Mapping):
        yield from _named(value, of)


def _named(value: Mapping[str, Any], of: str) -> Iterator[Span]:
    pair = value.get("interval_us")
    if isinstance(pair, list) and len(pair) == 2:
        pair = (pair[0], pair[1])
    else:
        pair = next(
            ((_at(value[a]), _at(value[b])) for a, b in (("start_us", "end_us"), ("start", "end"))
             if a in value and b in value), None,
        )  # fmt: skip
    if pair and all(isinstance(one, int) for one in pair):
        yield pair
    time = value.get("time_us")
    if isinstance(time, int):
        yield time, time
    for name, one in value.items():
        if isinstance(one, Mapping | list) and name not in ("interval_us", "start", "end"):
            yield from _spans(one, of)


def _at(value: Any) -> Any:
    """The printed instant of one with bounds."""
    return value.get("time_us") if isinstance(value, Mapping) else value


def answer_spans(value: Any, rule_args: Any) -> list[Span]:
    """The times of an answer; ``rule_args`` contains the types of its fields."""
    told = rule_args.get("answer") if isinstance(rule_args, Mapping) else None
    types = told if isinstance(told, Mapping) else {}
    if not isinstance(value, Mapping):
        return spans_of(value, _one_type(types))
    found = set(spans_of(value))
    for name, one in value.items():
        kind = types.get(name)
        found |= set(spans_of(one, kind.get("type", "") if isinstance(kind, Mapping) else ""))
    return sorted(found)


def option_spans(value: Any, rule_args: Any) -> list[Span]:
    """The times of an option's value."""
    told = rule_args.get("answer") if isinstance(rule_args, Mapping) else None
    return spans_of(value, _one_type(told if isinstance(told, Mapping) else {}))


def _one_type(types: Mapping[str, Any]) -> str:
    kinds = [one.get("type", "") for one in types.values() if isinstance(one, Mapping)]
    return kinds[0] if len(set(kinds)) == 1 else ""
