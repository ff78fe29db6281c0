"""Which of several instruments of one class is meant (``docs/answers.md``, top)."""

from __future__ import annotations

from typing import Any

from transforms.checks.evidence import Clip, Event

_LAST = (2.0, 2.0, 2.0, 2.0)


def coexist(clip: Clip, label: str, first_us: int, last_us: int) -> bool:
    """Two tracks of the class have a sample at one instant from first to last."""
    for time in clip.between(first_us, last_us):
        if len({event.track_id for event in clip.at[time] if event.label == label}) > 1:
            return True
    return False


def numbers(clip: Clip, label: str) -> dict[str, int]:
    """Tracks of a class numbered from 1 by first sample in the clip, then by its box."""
    key = ("numbers", label)
    if key not in clip.memory:
        firsts = [samples[0] for samples in clip.samples.values() if samples[0].label == label]
        firsts.sort(key=lambda event: (event.time_us, event.box or _LAST, event.track_id))
        clip.memory[key] = {event.track_id: n for n, event in enumerate(firsts, start=1)}
    return clip.memory[key]  # type: ignore[return-value]


def number_of(clip: Clip, label: str, track_id: str, first_us: int, last_us: int) -> int | None:
    """A track's instance number, or None where the class needs no numbers."""
    if not coexist(clip, label, first_us, last_us):
        return None
    return numbers(clip, label).get(track_id)


def named(clip: Clip, event: Event, first_us: int, last_us: int) -> dict[str, Any]:
    """An instrument as answers and slots name it."""
    return {
        "label": event.label,
        "instance": number_of(clip, event.label, event.track_id, first_us, last_us),
        "track_id": event.track_id,
    }
