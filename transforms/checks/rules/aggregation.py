"""What happens over a whole clip: durations, counts, orders, winners."""

from __future__ import annotations

from typing import Any

from transforms.checks.blocks import (
    SECOND_US,
    Block,
    blocks,
    length_us,
    pairs_of,
    seconds,
    verb_runs,
    visible_us,
)
from transforms.checks.evidence import IDLE
from transforms.checks.rules.base import EPSILON, MARGIN, Ask, Undecided, rule

BUCKETS = ((0.10, "0-10"), (0.25, "10-25"), (0.50, "25-50"))


@rule("surgstu", "interaction_duration")
def interaction_duration(ask: Ask) -> dict[str, Any]:
    """Total length and number of the blocks that hold (verb, target)."""
    pair = (ask.label("verb"), ask.label("target"))
    fits = [block for block in _known_blocks(ask, ask.track()) if pair in pairs_of(block)]
    return {"seconds": seconds(length_us(fits)), "count": len(fits)}


rule("surgstu", "interaction_count")(interaction_duration)


@rule("surgstu", "longest_continuous_action")
def longest_continuous_action(ask: Ask) -> dict[str, Any]:
    """The longest run of the verb; a tie has no answer."""
    verb, track_id = ask.label("verb"), ask.track()
    ask.known_samples(track_id)
    runs = [run for run in verb_runs(ask.clip, track_id) if run.value == verb]
    if not runs:
        raise Undecided(f"track {track_id} never does {verb!r} alone")
    runs.sort(key=lambda run: (-run.length_us, run.first_us))
    tie = len(runs) > 1 and runs[1].length_us == runs[0].length_us
    ask.unique(not tie, f"two runs of {verb!r} last {seconds(runs[0].length_us)} s")
    best = runs[0]
    return {
        "seconds": seconds(best.length_us),
        "start_us": best.start_us,
        "end_us": best.end_us,
    }


@rule("surgstu", "idle_duration")
def idle_duration(ask: Ask) -> dict[str, Any]:
    """Idle seconds, as a share of the visible seconds and of the clip."""
    track_id = ask.track()
    idle = length_us([b for b in _known_blocks(ask, track_id) if pairs_of(b) == IDLE])
    share = idle / visible_us(ask.clip, track_id)
    bucket = next((name for below, name in BUCKETS if share < below), "50-100")
    return {
        "seconds": seconds(idle),
        "share_visible": share,
        "share_clip": idle / (ask.clip.end_us - ask.clip.start_us),
        "bucket": bucket,
    }


@rule("surgstu", "first_appearance_time")
def first_appearance_time(ask: Ask) -> dict[str, Any]:
    """First sample of the class in the clip."""
    time = _times(ask)[0]
    _not_first(ask, time)
    return {"time_us": time}


@rule("surgstu", "last_appearance_time")
def last_appearance_time(ask: Ask) -> dict[str, Any]:
    """Last sample of the class in the clip."""
    time = _times(ask)[-1]
    inside = time != ask.clip.instants[-1] and ask.clip.end_us - time >= ask.clip.period_us
    ask.gate("distance from the clip's end", inside, ask.clip.end_us - time)
    return {"time_us": time}


@rule("surgstu", "first_action")
def first_action(ask: Ask) -> dict[str, Any]:
    """First block that is not idle."""
    for block in _known_blocks(ask, ask.track()):
        if pairs_of(block) != IDLE:
            verb, target = _one(block)
            _not_first(ask, block.first_us)
            return {"verb": verb, "target": target, "time_us": block.first_us}
    raise Undecided("the instrument only idles in the clip")


@rule("surgstu", "action_sequence")
def action_sequence(ask: Ask) -> dict[str, Any]:
    """Blocks of at least one second, in order."""
    steps = []
    for block in _known_blocks(ask, ask.track()):
        if block.length_us >= SECOND_US:
            verb, target = _one(block)
            steps.append({"start_us": block.start_us, "verb": verb, "target": target})
    ask.gate("steps of the sequence", 2 <= len(steps) <= 8, len(steps))
    return {"steps": steps}


@rule("surgstu", "most_active_instrument")
def most_active_instrument(ask: Ask) -> dict[str, Any]:
    """Class with most instance-seconds that are not idle."""
    totals: dict[str, int] = {}
    for track_id, samples in ask.clip.samples.items():
        busy = [b for b in _known_blocks(ask, track_id) if pairs_of(b) != IDLE]
        label = samples[0].label
        totals[label] = totals.get(label, 0) + length_us(busy)
    label = _winner(ask, totals)
    return {"label": label, "seconds": seconds(totals[label])}


@rule("surgstu", "most_target_diversity_instrument")
def most_target_diversity_instrument(ask: Ask) -> dict[str, Any]:
    """Class with most different targets."""
    ask.whole_clip()
    found: dict[str, set[str]] = {}
    for track_id, samples in ask.clip.samples.items():
        found.setdefault(samples[0].label, set()).update(_targets(ask, track_id))
    totals = {label: len(targets) for label, targets in found.items()}
    label = _winner(ask, totals)
    return {"label": label, "count": totals[label]}


@rule("surgstu", "dominant_verb")
def dominant_verb(ask: Ask) -> dict[str, Any]:
    """Verb the instrument spends most time on; idling is none."""
    track_id = ask.track()
    totals: dict[str, int] = {}
    for block in _known_blocks(ask, track_id):
        for verb in sorted({pair[0] for pair in pairs_of(block)} - {"null_verb"}):
            totals[verb] = totals.get(verb, 0) + block.length_us
    verb = _winner(ask, totals)
    share = totals[verb] / visible_us(ask.clip, track_id)
    return {"verb": verb, "seconds": seconds(totals[verb]), "share": share}


@rule("surgstu", "distinct_targets_touched")
def distinct_targets_touched(ask: Ask) -> dict[str, Any]:
    """Different targets of the instrument in the clip."""
    labels = sorted(_targets(ask, ask.track()))
    return {"labels": labels, "count": len(labels)}


def _known_blocks(ask: Ask, track_id: str) -> list[Block]:
    ask.whole_clip()
    ask.known_samples(track_id)
    return blocks(ask.clip, track_id)


def _targets(ask: Ask, track_id: str) -> set[str]:
    found = {pair[1] for sample in ask.known_samples(track_id) for pair in ask.pairs(sample)}
    return found - {"null_target"}


def _times(ask: Ask) -> list[int]:
    label = ask.kind()
    ask.whole_clip()
    times = [event.time_us for event in ask.clip.of_class(label)]
    if not times:
        raise Undecided(f"{label} is not in the clip")
    return times


def _not_first(ask: Ask, time: int) -> None:
    away = time - ask.clip.start_us
    inside = time != ask.clip.instants[0] and away >= ask.clip.period_us
    ask.gate("distance from the clip's start", inside, away)


def _one(block: Block) -> tuple[str, str]:
    if len(pairs_of(block)) != 1:
        raise Undecided(f"the block at {block.first_us} has several interactions")
    return pairs_of(block)[0]


def _winner(ask: Ask, totals: dict[str, int]) -> str:
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    if not ranked or totals[ranked[0]] == 0:
        raise Undecided("nothing to compare: every total is 0")
    if len(ranked) > 1:
        best, second = totals[ranked[0]], totals[ranked[1]]
        behind = best - second >= MARGIN * second - EPSILON and best > second
        ask.unique(behind, f"{ranked[1]!r} with {second} comes close to {best}")
    return ranked[0]
