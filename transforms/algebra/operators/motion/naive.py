"""How an instance moves: its labelled boxes from instant to instant.

A chosen stretch has both its ends; a fact no longer holds at its own end.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env, Undefined, box_of, span_of
from transforms.algebra.worlds.world import TrueFact

SECOND_US = 1_000_000


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    fact, over = env.ev(call.get("of")), env.ev(call.get("over"))
    if fact is None or over is None:
        return None
    span = span_of(over)
    last = span.b - 1 if isinstance(over, TrueFact) else span.b
    times = [t for t in env.world.instants if span.a <= t <= last]
    centres = [box_of(fact, t, env).centre for t in times]
    if len(times) < 2:
        raise Undefined
    steps = [math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) for a, b in pairwise(centres)]
    seconds = [(b - a) / SECOND_US for a, b in pairwise(times)]
    speeds = [step / second for step, second in zip(steps, seconds, strict=True)]
    return {
        "path": sum(steps), "mean_speed": sum(steps) / sum(seconds), "min_speed": min(speeds),
        "max_speed": max(speeds), "samples": float(len(times)),
    }  # fmt: skip
