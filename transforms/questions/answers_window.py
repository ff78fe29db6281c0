"""Answer rules that look at a whole window: durations, counts, sequences, sets."""

from __future__ import annotations

from typing import Any

from ontology.records import IDLE
from ontology.times import SECOND_US
from transforms.questions.answers import Rule, Truth
from transforms.questions.bound import Action, Filling, Label
from transforms.questions.constants import IDLE_BORDERS, IDLE_BUCKETS
from transforms.questions.facts import Block


def _seconds(length_us: int) -> float:
    return length_us / SECOND_US


def _all_of(f: Filling, presence: int):
    """Pointer to everything the instrument does in the window."""
    slots = [s for s, row in enumerate(f.facts.rows[presence]) if row >= 0]
    return f.track(presence, slots[0], slots[-1])


def interaction(f: Filling, args: dict) -> Truth:
    tool = f[args["of"]]
    pair = (f[args["verb"]].label, f[args["target"]].label)
    blocks = [b for b in f.facts.blocks[tool.presence] if pair in f.facts.pair_sets[b.code]]
    value = {"seconds": _seconds(sum(b.duration_us for b in blocks)), "count": len(blocks)}
    return Truth(value, value, (_all_of(f, tool.presence),))


def longest_stretch(f: Filling, args: dict) -> Truth:
    tool = f[args["of"]]
    verb = f.view.timeline.verbs.index(f[args["verb"]].label)
    runs = [b for b in f.facts.verb_runs[tool.presence] if b.code == verb]
    best: Block = max(runs, key=lambda b: b.duration_us)
    start, end = _offset(f, best.start_us), _offset(f, best.end_us)
    value = {
        "seconds": _seconds(best.duration_us), "start_us": best.start_us, "end_us": best.end_us,
    }  # fmt: skip
    fields = {"seconds": value["seconds"], "start": start, "end": end}
    return Truth(fields, value, (_all_of(f, tool.presence),))


def _offset(f: Filling, time_us: int) -> float:
    """Seconds from the window's start."""
    return (time_us - f.window.start_us) / SECOND_US


def idle_time(f: Filling, args: dict) -> Truth:
    tool = f[args["of"]]
    idle = int(f.facts.idle_us[tool.presence])
    share = idle / int(f.facts.visible_us[tool.presence])
    bucket = IDLE_BUCKETS[sum(share >= border for border in IDLE_BORDERS)]
    value = {
        "seconds": _seconds(idle),
        "share_visible": share,
        "share_clip": idle / f.window.duration_us,
        "bucket": bucket,
    }
    fields = {**value, "bucket": f"{bucket}%"}
    return Truth(fields, value, (_all_of(f, tool.presence),))


def appearance(f: Filling, args: dict) -> Truth:
    label = f[args["kind"]].label
    which = f.view.timeline.video.vocabulary.index(label)
    slots = f.facts.vocabulary_present[f.w, which].nonzero()[0].tolist()
    moment = f.moment(slots[0] if args["end"] == "first" else slots[-1])
    return Truth({"time": moment}, {"time_us": moment.time_us}, (f.everything(),))


def first_action(f: Filling, args: dict) -> Truth:
    tool = f[args["of"]]
    sets = f.facts.pair_sets
    block = next(b for b in f.facts.blocks[tool.presence] if sets[b.code] != (IDLE,))
    verb, target = sets[block.code][0]
    moment = f.moment(block.first)
    fields = {"action": Action(verb, target), "time": moment}
    value = {"verb": verb, "target": target, "time_us": moment.time_us}
    return Truth(fields, value, (_all_of(f, tool.presence),))


def sequence(f: Filling, args: dict) -> Truth:
    tool = f[args["of"]]
    shortest = args["min_seconds"] * SECOND_US
    blocks = [b for b in f.facts.blocks[tool.presence] if b.duration_us >= shortest]
    steps, value = [], []
    for block in blocks:
        verb, target = f.facts.pair_sets[block.code][0]
        steps.append({"start": _offset(f, block.start_us), "action": Action(verb, target)})
        value.append({"start_us": block.start_us, "verb": verb, "target": target})
    return Truth({"steps": steps}, {"steps": value}, (_all_of(f, tool.presence),))


def _best(totals: dict[str, Any]) -> str:
    return max(sorted(totals), key=lambda k: totals[k])


def most_active(f: Filling, args: dict) -> Truth:
    totals = f.facts.active_us[f.w]
    label = _best(totals)
    value = {"label": label, "seconds": _seconds(totals[label])}
    fields = {"kind": Label(label), "seconds": value["seconds"]}
    return Truth(fields, value, (f.everything(),))


def most_targets(f: Filling, args: dict) -> Truth:
    totals = {label: len(found) for label, found in f.facts.class_targets[f.w].items()}
    label = _best(totals)
    value = {"label": label, "count": totals[label]}
    return Truth({"kind": Label(label), "count": totals[label]}, value, (f.everything(),))


def dominant_verb(f: Filling, args: dict) -> Truth:
    tool = f[args["of"]]
    totals = f.facts.verb_us(tool.presence)
    verb = _best(totals)
    share = totals[verb] / int(f.facts.visible_us[tool.presence])
    value = {"verb": verb, "seconds": _seconds(totals[verb]), "share": share}
    fields = {**value, "verb": Label(verb)}
    return Truth(fields, value, (_all_of(f, tool.presence),))


def targets_of(f: Filling, args: dict) -> Truth:
    tool = f[args["of"]]
    found = sorted(f.facts.targets(tool.presence))
    value = {"labels": found, "count": len(found)}
    return Truth(value, value, (_all_of(f, tool.presence),))


# -- counting and existence ----------------------------------------------------------------------


def _classes(f: Filling, slot: int) -> list[str]:
    return sorted({f.facts.labels[p] for p in f.in_view(slot)})


def count_classes(f: Filling, args: dict) -> Truth:
    slot = f[args["at"]].slot
    value = {"number": len(_classes(f, slot))}
    return Truth(value, value, (f.everything(slot, slot),))


def count_instances(f: Filling, args: dict) -> Truth:
    slot, label = f[args["at"]].slot, f[args["kind"]].label
    value = {"number": sum(f.facts.labels[p] == label for p in f.in_view(slot))}
    return Truth(value, value, (f.everything(slot, slot),))


def most_at_once(f: Filling, args: dict) -> Truth:
    span = f[args["during"]]
    first, last = span.start.slot, span.end.slot
    value = {"number": max(len(f.in_view(s)) for s in range(first, last + 1))}
    return Truth(value, value, (f.everything(first, last),))


def is_seen(f: Filling, args: dict) -> Truth:
    label = f[args["kind"]].label
    if args["at"] is None:
        seen = any(f.facts.labels[p] == label for p in f.view.presences[f.w])
        return Truth({"yes": seen}, {"yes": seen}, (f.everything(),))
    slot = f[args["at"]].slot
    seen = label in _classes(f, slot)
    return Truth({"yes": seen}, {"yes": seen}, (f.everything(slot, slot),))


def is_touched(f: Filling, args: dict) -> Truth:
    slot, label = f[args["at"]].slot, f[args["target"]].label
    which = f.view.timeline.targets.index(label)
    yes = bool(f.facts.touched[which, f.w, slot])
    return Truth({"yes": yes}, {"yes": yes}, (f.everything(slot, slot),))


def classes_at(f: Filling, args: dict) -> Truth:
    slot = f[args["at"]].slot
    found = _classes(f, slot)
    return Truth({"labels": found}, {"labels": found}, (f.everything(slot, slot),))


WINDOW_RULES: dict[str, Rule] = {
    f.__name__: f
    for f in (
        interaction, longest_stretch, idle_time, appearance, first_action, sequence,
        most_active, most_targets, dominant_verb, targets_of, count_classes, count_instances,
        most_at_once, is_seen, is_touched, classes_at,
    )
}  # fmt: skip
