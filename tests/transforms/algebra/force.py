"""Holding certain answers against drawn worlds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import (
    Box,
    Group,
    Label,
    Listed,
    Many,
    One,
    Range,
    Record,
    Spans,
    Stretch,
    Truth,
    Value,
)
from transforms.algebra.tree import Call, Node
from transforms.algebra.worlds.draw import Drawer
from transforms.algebra.worlds.naive import Env, Span, Undefined
from transforms.algebra.worlds.world import Rect, TrueFact
from transforms.timeline.relation import Relation, on_axis

UNDEFINED = "undefined"
LOOK_BACK = 20_000_000


def rows_at(relation: Relation, video: np.ndarray, now_us: np.ndarray) -> Rows:
    """Fillings put at a time, with a window of twenty seconds."""
    now = on_axis(video, now_us)
    names: dict[str, Value] = {
        "now": Range.exact(now),
        "window": Stretch(Range.exact(now - LOOK_BACK), Range.exact(now + 1)),
    }
    return Rows(relation, video, names)


def claim(value: Value, i: int, relation: Relation) -> tuple[str, Any] | None:
    """What is said of filling i: ('is', value), ('in', low, high) or nothing."""
    if isinstance(value, Truth):
        known = value.ok[i] and (value.yes[i] or value.no[i])
        return ("is", bool(value.yes[i])) if known else None
    if isinstance(value, Range):
        if value.none[i]:
            return ("is", None)
        return ("in", (value.lo[i], value.hi[i])) if value.ok[i] else None
    if isinstance(value, Label):
        if value.none[i]:
            return ("is", None)
        return ("is", int(value.code[i])) if value.ok[i] else None
    if isinstance(value, Group):
        if not value.ok[i]:
            return None
        low, high = np.searchsorted(value.filling, [i, i + 1])
        return ("is", tuple(value.code[low:high].tolist()))
    if isinstance(value, One):
        if value.none[i]:
            return ("is", None)
        if not value.ok[i]:
            return None
        return ("fact", {name: column[i].item() for name, column in value.columns.items()})
    if isinstance(value, Box):
        if value.none[i]:
            return ("is", None)
        return ("is", Rect(*value.xyxy[i].tolist())) if value.ok[i] else None
    if isinstance(value, Stretch):
        bounds = [(border.lo[i], border.hi[i]) for border in (value.start, value.end)]
        return ("span", bounds) if value.ok[i] else None
    if isinstance(value, Spans):
        low, high = np.searchsorted(value.filling, [i, i + 1])
        if isinstance(value.span, Range):
            times = [(value.span.lo[k], value.span.hi[k]) for k in range(low, high)]
            return ("times", times) if value.ok[i] else None
        spans = [[(border.lo[k], border.hi[k]) for border in (value.span.start, value.span.end)]
                 for k in range(low, high)]  # fmt: skip
        return ("spans", spans) if value.ok[i] else None
    if isinstance(value, Listed):
        low, high = np.searchsorted(value.facts.filling, [i, i + 1])
        return ("facts", value.facts.columns["proof"][low:high].tolist()) if value.ok[i] else None
    if isinstance(value, Record):
        parts = {name: claim(one, i, relation) for name, one in value.numbers.items()}
        return ("record", parts)
    if isinstance(value, Many):
        return None
    raise TypeError(type(value).__name__)


def contradicts(said: tuple[str, Any], found: Any) -> bool:
    """Whether what one world gives is not what was said."""
    how, value = said
    if found is UNDEFINED:
        return True
    if how == "is":
        return found != value
    if how == "in":
        return found is None or not value[0] - 1e-9 <= found <= value[1] + 1e-9
    if how in ("span", "spans"):
        many = [(value, found)] if how == "span" else zip(value, found, strict=True)
        return not all(_within(bounds, span) for bounds, span in many)
    if how == "times":
        return len(value) != len(found) or any(
            not low <= time <= high for (low, high), time in zip(value, found, strict=True)
        )
    if how == "holds":
        (start, _), (_, end) = value
        return not start <= found.a < found.b <= end
    if how == "facts":
        return len(value) != len(found) or any(
            proof not in fact.rows for proof, fact in zip(value, found, strict=True)
        )
    if how == "members":
        rows = {proof for fact in found for proof in fact.rows}
        return len(value) != len(found) or not rows.issuperset(value)
    if how == "record":
        return any(part is not None and contradicts(part, None if found is None else found[name])
                   for name, part in value.items())  # fmt: skip
    if not isinstance(found, TrueFact):
        return True
    if value["proof"] not in found.rows:
        return True
    return not (value["x0"] <= found.s <= value["s1"] and value["e0"] <= found.e <= value["x1"])


def _within(bounds: list[tuple[int, int]], span: Span) -> bool:
    (a0, a1), (b0, b1) = bounds
    return a0 <= span.a <= a1 and b0 <= span.b <= b1


def said_of(node: Node, value: Value, i: int, relation: Relation) -> tuple[str, Any] | None:
    """What is said of filling i; a segment is only said to hold what it is about."""
    found = claim(value, i, relation)
    if found is not None and isinstance(node, Call) and node.op == "segment":
        return ("holds", found[1])
    if found is not None and found[0] == "facts" and isinstance(node, Call) and node.op == "set":
        return ("members", found[1])
    return found


def in_world(node: Node, relation: Relation, world: Any, video: int, now_us: int) -> Any:
    """What the program gives in one world."""
    now = int(on_axis(video, now_us))
    try:
        return Env(relation, world, {"now": now, "window": Span(now - LOOK_BACK, now + 1)}).ev(node)
    except Undefined:
        return UNDEFINED


def hold(
    rng: random.Random, relation: Relation, nodes: Sequence[Node], times: int, worlds: int,
    exclusive: Sequence[str] = ("phase",),
) -> tuple[Counter, list]:  # fmt: skip
    """(what was certain and what was contradicted, by operator; examples of contradictions)."""
    n = len(relation.recordings)
    drawers = [Drawer(relation, v, exclusive) for v in range(n)]
    asked = {v: sorted({rng.randint(0, relation.recordings[v].duration_us // 500_000) * 500_000
                        for _ in range(times)}) for v in range(n)}  # fmt: skip
    drawn = {
        v: [drawers[v].draw(rng, _focus(v, asked[v])) for _ in range(worlds)] for v in range(n)
    }
    tally: Counter = Counter()
    bad: list = []
    for node in nodes:
        video = np.array([v for v in range(n) for _ in asked[v]])
        now = np.array([t for v in range(n) for t in asked[v]])
        value = evaluate(node, rows_at(relation, video, now))
        op = getattr(node, "op", type(node).__name__)
        for i in range(len(video)):
            tally[op, "asked"] += 1
            said = said_of(node, value, i, relation)
            if said is None:
                continue
            tally[op, "certain"] += 1
            for world in drawn[int(video[i])]:
                found = in_world(node, relation, world, int(video[i]), int(now[i]))
                if contradicts(said, found):
                    tally[op, "contradicted"] += 1
                    bad.append((node, int(video[i]), int(now[i]), said, found, world))
                    break
    return tally, bad


def _focus(video: int, now: list[int]) -> list[int]:
    """Times near which an unlisted fact would tell: what programs look at most."""
    near = {t + d for t in now for d in (-LOOK_BACK, 0, 1, -8_000_000, 8_000_000)}
    return [int(on_axis(video, t)) for t in sorted(near)]
