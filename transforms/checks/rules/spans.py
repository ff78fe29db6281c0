"""What several rules need of a track over a span; holds no rule itself."""

from __future__ import annotations

from transforms.checks.blocks import presence_gap_us
from transforms.checks.evidence import Placed
from transforms.checks.motion import (
    STEP_LIMIT,
    boundary_distance,
    margin,
    path_length,
    step_speeds,
)
from transforms.checks.rules.base import EPSILON, Ask, Undecided


def continuous(ask: Ask, track_id: str) -> list[Placed]:
    """The track's samples in the span, which must be continuous and all have boxes."""
    samples = [Placed(s.time_us, ask.boxed(s), s) for s in ask.in_span(track_id)]
    for before, after in zip(samples, samples[1:], strict=False):
        if after.time_us <= before.time_us:
            raise Undecided(f"track {track_id} has two samples at {after.time_us}")
        gap = after.time_us - before.time_us
        ask.gate("gap between samples", gap <= presence_gap_us(ask.clip), f"{gap} us")
    fastest = max(step_speeds(samples))
    ask.gate("fastest step", fastest <= STEP_LIMIT + EPSILON, f"{fastest:.4f} units/s")
    return samples


def constant(ask: Ask, track_id: str, part: int) -> str:
    """The verb (0) or target (1) that every single-pair sample in the span has."""
    found = []
    for sample in ask.in_span(track_id):
        pairs = ask.pairs(sample)
        if len(pairs) != 1:
            raise Undecided(f"{sample.label} has {len(pairs)} interactions at {sample.time_us}")
        found.append(pairs[0][part])
    if len(set(found)) > 1:
        raise Undecided(f"track {track_id} changes from {found[0]!r} within the span")
    return found[0]


def mean_speed(ask: Ask, samples: list[Placed]) -> float:
    """Path over time, which must be far enough from a class boundary."""
    value = path_length(samples) / ((samples[-1].time_us - samples[0].time_us) / 1e6)
    ask.gate("margin of the speed class", clear("speed", value), f"{value:.6f} units/s")
    return value


def clear(name: str, value: float) -> bool:
    """The value is not within the margin of a class boundary."""
    return boundary_distance(name, value) >= margin() - EPSILON
