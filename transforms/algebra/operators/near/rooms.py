"""The limits within which the times of a pool may lie."""

from __future__ import annotations

from collections.abc import Sequence

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import stretch_of
from surgqa.transforms.algebra.operators.near.times import Room
from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.walk import nodes_of


def narrowed(rooms: Sequence[Room], pool: Call, rows: Rows) -> list[Room]:
    """Return the room of each row, limited to the stretch or window that the pool names.

    A room is the interval in which options may lie.
    """
    out = list(rooms)
    for node in nodes_of(pool.get("inside")):
        held = stretch_of(evaluate(node, rows))
        edges = (held.start.hi - rows.base).tolist(), (held.end.lo - rows.base).tolist()
        out = [Room(max(r.low, a), min(r.high, b), r.most)
               for r, a, b in zip(out, *edges, strict=True)]  # fmt: skip
    return out
