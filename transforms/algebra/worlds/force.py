"""Compare the engine's certain answers with the values on randomly drawn timelines, for tests."""

from __future__ import annotations

import random  # noqa: TID251  (worlds are drawn in tests; no output depends on them)
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import (
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
from surgqa.transforms.algebra.tree import Call, Node
from surgqa.transforms.algebra.worlds.draw import Drawer
from surgqa.transforms.algebra.worlds.naive import Env, Interval, Undefined
from surgqa.transforms.algebra.worlds.world import Rect, TrueFact
from surgqa.transforms.timeline.relation import Relation, on_axis

UNDEFINED = "undefined"
LOOK_BACK = 20_000_000


def rows_at(relation: Relation, video: np.ndarray, now_us: np.ndarray) -> Rows:
    """Return one row for each query time, with a window of the twenty seconds before it."""
    now = on_axis(video, now_us)
    names: dict[str, Value] = {
        "now": Range.exact(now),
        "window": Stretch(Range.exact(now - LOOK_BACK), Range.exact(now + 1)),
        "video": Stretch(
            Range.exact(on_axis(video, 0)), Range.exact(on_axis(video, _ends(relation)[video]))
        ),
    }
    return Rows(relation, video, names)


def _ends(relation: Relation) -> np.ndarray:
    return np.array([one.duration_us for one in relation.recordings], np.int64)


Claim = tuple[str, Any]
"""(what is claimed, its value): ('is', value), ('in', (low, high)), ('fact', columns) …"""


def claim(value: Value, i: int, relation: Relation) -> Claim | None:
    """Return what the array implementation claims about row i; None if it claims nothing."""
    if isinstance(value, Record):
        parts = {name: claim(one, i, relation) for name, one in value.numbers.items()}
        return ("record", parts) if any(one is not None for one in parts.values()) else None
    if isinstance(value, Range | Label | One | Box) and value.none[i]:
        return ("is", None)
    if isinstance(value, Many) or not value.ok[i]:
        return None
    if isinstance(value, Group | Spans | Listed):
        return _of_several(value, i)
    return _of_one(value, i)


def _of_one(value: Value, i: int) -> Claim | None:
    match value:
        case Truth():
            return ("is", bool(value.yes[i])) if value.yes[i] or value.no[i] else None
        case Range():
            return ("in", (value.lo[i], value.hi[i]))
        case Label():
            return ("is", int(value.code[i]))
        case One():
            return ("fact", {name: column[i].item() for name, column in value.columns.items()})
        case Box():
            return ("is", Rect(*value.xyxy[i].tolist()))
        case Stretch():
            return ("span", _bounds(value, i))
    raise TypeError(type(value).__name__)


def _bounds(span: Stretch, i: int) -> list[tuple[int, int]]:
    return [(border.lo[i], border.hi[i]) for border in (span.start, span.end)]


def _of_several(value: Group | Spans | Listed, i: int) -> Claim:
    filling = value.facts.filling if isinstance(value, Listed) else value.filling
    low, high = np.searchsorted(filling, [i, i + 1])
    if isinstance(value, Group):
        return ("is", tuple(value.code[low:high].tolist()))
    if isinstance(value, Listed):
        return ("facts", value.facts.columns["proof"][low:high].tolist())
    if isinstance(value.span, Range):
        return ("times", [(value.span.lo[k], value.span.hi[k]) for k in range(low, high)])
    return ("spans", [_bounds(value.span, k) for k in range(low, high)])


def contradicts(said: tuple[str, Any], found: Any) -> bool:
    """Return whether the value on one timeline (``found``) contradicts the claim (``said``)."""
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


def _within(bounds: list[tuple[int, int]], span: Interval) -> bool:
    (a0, a1), (b0, b1) = bounds
    return a0 <= span.a <= a1 and b0 <= span.b <= b1


def said_of(node: Node, value: Value, i: int, relation: Relation) -> tuple[str, Any] | None:
    """Return the claim about row i; for a segment, only that it contains the given stretch."""
    found = claim(value, i, relation)
    if found is not None and isinstance(node, Call) and node.op == "segment":
        return ("holds", found[1])
    if found is not None and found[0] == "facts" and isinstance(node, Call) and node.op == "set":
        return ("members", found[1])
    return found


def in_world(node: Node, relation: Relation, world: Any, video: int, now_us: int) -> Any:
    """Return the value of an expression on one exact timeline."""
    now = int(on_axis(video, now_us))
    whole = Interval(int(on_axis(video, 0)), int(on_axis(video, _ends(relation)[video])))
    names = {"now": now, "window": Interval(now - LOOK_BACK, now + 1), "video": whole}
    try:
        return Env(relation, world, names).ev(node)
    except Undefined:
        return UNDEFINED


def hold(
    rng: random.Random, relation: Relation, nodes: Sequence[Node], times: int, worlds: int,
) -> tuple[Counter, list]:  # fmt: skip
    """Return counts of certain and of contradicted values by operator, and the contradictions."""
    n = len(relation.recordings)
    drawers = [Drawer(relation, v) for v in range(n)]
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
    """Return times near which an unlisted fact often changes an answer, such as query times."""
    near = {t + d for t in now for d in (-LOOK_BACK, 0, 1, -8_000_000, 8_000_000)}
    return [int(on_axis(video, t)) for t in sorted(near)]
