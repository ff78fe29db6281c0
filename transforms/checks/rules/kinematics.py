"""How an instrument moves over a span: velocity and the worked-out trajectory."""

from __future__ import annotations

from typing import Any

from transforms.checks.evidence import Placed
from transforms.checks.motion import path_length, step_speeds, word
from transforms.checks.rules.base import Ask, rule
from transforms.checks.rules.spans import clear, continuous, mean_speed


@rule("surgstu", "velocity")
def velocity(ask: Ask) -> dict[str, Any]:
    """Slowest and fastest step, path over time, and its word."""
    samples = continuous(ask, ask.track())
    ask.gate("samples in the span", len(samples) >= 3, len(samples))
    speeds, mean = step_speeds(samples), mean_speed(ask, samples)
    return {
        "min_speed": min(speeds),
        "max_speed": max(speeds),
        "mean_speed": mean,
        "speed_class": word("speed", mean),
        "camera_motion": "unknown",
    }


@rule("surgstu", "trajectory_reasoning")
def trajectory_reasoning(ask: Ask) -> dict[str, Any]:
    """Box, path, speed and main verb over the span."""
    samples = continuous(ask, ask.track())
    ask.gate("samples in the span", len(samples) >= 3, len(samples))
    path, mean = path_length(samples), mean_speed(ask, samples)
    ask.gate("margin of the path class", clear("path", path), path)
    verb, count = _main_verb(ask, samples)
    return {
        "box_xyxy": list(samples[0].box),
        "seconds": (samples[-1].time_us - samples[0].time_us) / 1e6,
        "path_length": path,
        "path_class": word("path", path),
        "mean_speed": mean,
        "speed_class": word("speed", mean),
        "verb": verb,
        "verb_share": count / len(samples),
        "blocks": _changes(samples) + 1,
    }


def _main_verb(ask: Ask, samples: list[Placed]) -> tuple[str, int]:
    counts: dict[str, int] = {}  # keeps the order of first use, so that a tie goes to the earlier
    for sample in samples:
        for verb in sorted({pair[0] for pair in ask.pairs(sample.event)}):
            counts[verb] = counts.get(verb, 0) + 1
    best = max(counts, key=lambda verb: counts[verb])
    return best, counts[best]


def _changes(samples: list[Placed]) -> int:
    return sum(
        before.event.pairs != after.event.pairs
        for before, after in zip(samples, samples[1:], strict=False)
    )
