"""Runs and blocks of one track in one clip (``docs/answers.md``, words used below)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from transforms.checks.evidence import Clip, Event, Pairs, Placed

SECOND_US = 1_000_000
PRESENCE_GAP_US = 700_000


@dataclass(frozen=True, slots=True)
class Block:
    """A maximal run of samples that do the same.

    ``first_us`` and ``last_us`` are samples; ``start_us`` and ``end_us`` lie half a
    period outside them, clipped to the clip.
    """

    value: object
    first_us: int
    last_us: int
    start_us: int
    end_us: int

    @property
    def length_us(self) -> int:
        return self.end_us - self.start_us


def presence_gap_us(clip: Clip) -> float:
    """Longest step between two samples of one run: max(0.7 s, 1.5 P)."""
    return max(PRESENCE_GAP_US, 1.5 * clip.period_us)


def neighbours(clip: Clip, earlier_us: int, later_us: int) -> bool:
    """No annotated instant of the clip lies between the two."""
    return len(clip.between(earlier_us, later_us)) == 2


def presence(clip: Clip, track_id: str, moment_us: int) -> list[Placed]:
    """The track's run that holds the moment; empty where it has no box there."""
    runs: list[list[Placed]] = []
    for sample in clip.samples.get(track_id, ()):
        if sample.box is None:
            continue
        placed = Placed(sample.time_us, sample.box, sample)
        last = runs[-1][-1].time_us if runs else None
        if (
            last is not None
            and sample.time_us - last <= presence_gap_us(clip)
            and neighbours(clip, last, sample.time_us)
        ):
            runs[-1].append(placed)
        else:
            runs.append([placed])
    for run in runs:
        if any(sample.time_us == moment_us for sample in run):
            return run
    return []


def blocks(clip: Clip, track_id: str) -> list[Block]:
    """Blocks of constant pairs, in order; samples that are not annotated are in none."""
    key = ("blocks", track_id)
    if key not in clip.memory:
        clip.memory[key] = _cut(clip, track_id, lambda sample: sample.pairs)
    return clip.memory[key]  # type: ignore[return-value]


def verb_runs(clip: Clip, track_id: str) -> list[Block]:
    """Runs of constant verb over samples with a single pair, in order."""
    return _cut(clip, track_id, lambda sample: single(sample, 0))


def single(sample: Event, part: int) -> str | None:
    """Verb (part 0) or target (part 1) of a sample with exactly one pair, else None."""
    if sample.pairs is None or len(sample.pairs) != 1:
        return None
    return sample.pairs[0][part]


def _cut(clip: Clip, track_id: str, value_of: Callable[[Event], object]) -> list[Block]:
    out: list[Block] = []
    value: object = None
    first = last = 0
    for sample in clip.samples.get(track_id, ()):
        now = value_of(sample)
        goes_on = (
            value is not None
            and now == value
            and 2 * (sample.time_us - last) <= 3 * clip.period_us
            and neighbours(clip, last, sample.time_us)
        )
        if not goes_on:
            if value is not None:
                out.append(_block(clip, value, first, last))
            value, first = now, sample.time_us
        last = sample.time_us
    if value is not None:
        out.append(_block(clip, value, first, last))
    return out


def _block(clip: Clip, value: object, first_us: int, last_us: int) -> Block:
    half = clip.period_us // 2
    start, end = max(clip.start_us, first_us - half), min(clip.end_us, last_us + half)
    return Block(value, first_us, last_us, start, end)


def visible_us(clip: Clip, track_id: str) -> int:
    """Total length of the stretches in which the track is seen, whatever it does."""
    return length_us(_cut(clip, track_id, lambda sample: True))


def length_us(found: list[Block]) -> int:
    """Sum of the blocks' lengths."""
    return sum(block.length_us for block in found)


def seconds(time_us: int) -> float:
    """Whole microseconds as decimal seconds."""
    return time_us / SECOND_US


def pairs_of(block: Block) -> Pairs:
    """The pairs of a block made by :func:`blocks`."""
    return block.value  # type: ignore[return-value]
