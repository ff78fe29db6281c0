"""The motion of an instance: its annotated boxes from instant to instant.

A stretch that the template writes includes the box at its end. A fact does not, because it no
longer holds at its end.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.algebra.worlds.naive import Env, Undefined, box_of, span_of
from surgqa.transforms.algebra.worlds.world import TrueFact

SECOND_US = 1_000_000


def naive(call: Call, env: Env) -> Any:
    """Return the value in one possible world; raise Undefined if there is none."""
    fact, over = env.ev(call.get("of")), env.ev(call.get("over"))
    if fact is None or over is None:
        return None
    runs = [_times(one, env) for one in (over if isinstance(over, list | tuple) else [over])]
    pairs = [pair for run in runs for pair in pairwise(run)]
    if not pairs:
        raise Undefined
    centre = {t: box_of(fact, t, env).centre for run in runs for t in run}
    steps = [math.dist(centre[a], centre[b]) for a, b in pairs]
    seconds = [(b - a) / SECOND_US for a, b in pairs]
    speeds = [step / second for step, second in zip(steps, seconds, strict=True)]
    return {
        "path": sum(steps), "mean_speed": sum(steps) / sum(seconds), "min_speed": min(speeds),
        "max_speed": max(speeds), "samples": float(sum(map(len, runs))),
    }  # fmt: skip


def _times(over: Any, env: Env) -> list[int]:
    """Return the annotated instants of one stretch."""
    span = span_of(over)
    last = span.b - 1 if isinstance(over, TrueFact) else span.b
    return [t for t in env.world.instants if span.a <= t <= last]
