"""Answer rules: from a filling to what is true, and the evidence it rests on.

Each rule gives ``Truth(fields, value, evidence)``: ``fields`` for the wording (by the
names in the language), ``value`` as ``docs/answers.md`` defines it, and pointers into
``evidence/``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ontology.boxes import distance
from ontology.concepts import scale
from ontology.records import Pointer
from transforms.questions.bound import Action, Filling, Label
from transforms.questions.constants import RELATION_LIMIT


class Truth(NamedTuple):
    """What is true: for words, for machines, and where it can be looked up."""

    fields: dict[str, Any]
    value: dict[str, Any]
    evidence: tuple[Pointer, ...]


Rule = Callable[[Filling, dict], Truth]


def _centre(box: tuple[float, ...]) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _samples(f: Filling, presence: int, first: int, last: int) -> list[tuple[int, tuple]]:
    """(slot, box) of every boxed sample from one slot to another."""
    out = []
    for slot in range(first, last + 1):
        if f.facts.rows[presence][slot] >= 0:
            box = f.box(presence, slot)
            if box[0] == box[0]:
                out.append((slot, box))
    return out


# -- grounding -------------------------------------------------------------


def extremes(f: Filling, args: dict) -> Truth:
    tool, span, axis = f[args["of"]], f[args["during"]], f[args["axis"]].text
    k = 0 if axis == "horizontal" else 1
    sides = ("left", "right") if k == 0 else ("top", "bottom")
    samples = _samples(f, tool.presence, span.start.slot, span.end.slot)
    low = min(samples, key=lambda s: (_centre(s[1])[k], s[0]))
    high = min(samples, key=lambda s: (-_centre(s[1])[k], s[0]))
    parts = [
        {"side": side, "time": f.moment(slot), "box": box}
        for side, (slot, box) in zip(sides, (low, high), strict=True)
    ]
    value = {
        "axis": axis,
        "extremes": [
            {"side": p["side"], "time_us": p["time"].time_us, "box_xyxy": list(p["box"])}
            for p in parts
        ],
    }
    pointer = f.track(tool.presence, span.start.slot, span.end.slot)
    return Truth({"extremes": parts}, value, (pointer,))


def visible_runs(f: Filling, args: dict) -> Truth:
    slot = f[args["at"]].slot
    parts, pointers = [], []
    for presence in f.in_view(slot):
        first, last = _run(f, presence, slot)
        parts.append({
            "tool": f.tool(presence), "start": f.moment(first), "end": f.moment(last),
            "start_box": f.box(presence, first), "end_box": f.box(presence, last),
        })  # fmt: skip
        pointers.append(f.track(presence, first, last))
    parts.sort(key=lambda p: (p["tool"].label, p["tool"].instance or 0))
    value = [
        {
            **p["tool"].value(),
            "start_us": p["start"].time_us,
            "end_us": p["end"].time_us,
            "start_box_xyxy": list(p["start_box"]),
            "end_box_xyxy": list(p["end_box"]),
        }
        for p in parts
    ]
    return Truth({"instruments": parts}, {"instruments": value}, tuple(pointers))


def _run(f: Filling, presence: int, slot: int) -> tuple[int, int]:
    """First and last slot of the boxed run that holds the slot."""
    breaks = f.facts.boxed_breaks[presence]
    boxed = f.facts.boxed[presence]
    first = last = slot
    while first > 0 and boxed[first - 1] and breaks[first - 1] == breaks[slot]:
        first -= 1
    while last + 1 < len(boxed) and boxed[last + 1] and breaks[last + 1] == breaks[slot]:
        last += 1
    return first, last


def box_at(f: Filling, args: dict) -> Truth:
    tool, moment = f[args["of"]], f[args["at"]]
    box = f.box(tool.presence, moment.slot)
    value = {**tool.value(), "time_us": moment.time_us, "box_xyxy": list(box)}
    pointer = f.event(tool.presence, moment.slot)
    return Truth({"tool": tool, "time": moment, "box": box}, value, (pointer,))


def ninth(f: Filling, args: dict) -> Truth:
    tool, moment = f[args["of"]], f[args["at"]]
    x, y = _centre(f.box(tool.presence, moment.slot))
    value = {
        "horizontal": ("left", "centre", "right")[(x >= 1 / 3) + (x >= 2 / 3)],
        "vertical": ("top", "middle", "bottom")[(y >= 1 / 3) + (y >= 2 / 3)],
    }
    return Truth(value, value, (f.event(tool.presence, moment.slot),))


def nearest(f: Filling, args: dict) -> Truth:
    point, slot = f[args["point"]], f[args["at"]].slot

    def reach(presence: int) -> float:
        x, y = _centre(f.box(presence, slot))
        return (x - point.x) ** 2 + (y - point.y) ** 2

    seen = f.in_view(slot)
    tool = f.tool(min(seen, key=reach))
    return Truth({"tool": tool}, tool.value(), tuple(f.event(p, slot) for p in seen))


def named(f: Filling, args: dict) -> Truth:
    tool, slot = f[args["of"]], f[args["at"]].slot
    return Truth({"tool": tool}, tool.value(), tuple(f.event(p, slot) for p in f.in_view(slot)))


def absent(f: Filling, args: dict) -> Truth:
    kind = f[args["kind"]]
    value = {"refusal": True, "label": kind.label}
    return Truth({"kind": kind}, value, (f.everything(),))


# -- relations and motion --------------------------------------------------


def motion(f: Filling, args: dict) -> Truth:
    tool, span = f[args["of"]], f[args["during"]]
    first, last = span.start.slot, span.end.slot
    speeds = f.view.step_speed[tool.presence, first + 1 : last + 1].tolist()
    mean = _mean_speed(f, tool.presence, first, last)
    fields = {
        "min_speed": min(speeds),
        "max_speed": max(speeds),
        "mean_speed": mean,
        "speed_class": scale("speed").word(mean),
    }
    value: dict[str, Any] = dict(fields)
    if args["detail"] == "word":
        value = {"speed_class": fields["speed_class"], "mean_speed": mean}
    else:
        value["camera_motion"] = "unknown"
    return Truth(fields, value, (f.track(tool.presence, first, last),))


def _path(f: Filling, presence: int, first: int, last: int) -> float:
    path = f.view.path[presence]
    return float(path[last] - path[first])


def _mean_speed(f: Filling, presence: int, first: int, last: int) -> float:
    times = f.facts.times[f.w]
    return _path(f, presence, first, last) / ((times[last] - times[first]) / 1e6)


def relative_position(f: Filling, args: dict) -> Truth:
    slot = f[args["at"]].slot
    tools = f[args["of"]].presence, f[args["other"]].presence
    (x, y), (u, v) = (_centre(f.box(p, slot)) for p in tools)
    value = {"horizontal": "left" if x < u else "right", "vertical": "above" if y < v else "below"}
    return Truth(value, value, tuple(f.event(p, slot) for p in tools))


def distance_change(f: Filling, args: dict) -> Truth:
    tools = f[args["of"]].presence, f[args["other"]].presence
    span = f[args["during"]]
    first, last = span.start.slot, span.end.slot
    centre = f.view.centre
    before, after = (
        float(distance(centre[tools[0], s], centre[tools[1], s])) for s in (first, last)
    )
    delta = after - before
    change = "maintained"
    if abs(delta) >= RELATION_LIMIT:
        change = "closer" if delta < 0 else "farther"
    pointers = tuple(f.track(p, first, last) for p in tools)
    words = {"maintained": "approximately maintained"}
    fields = {"change": words.get(change, change), "delta": delta}
    return Truth(fields, {"change": change, "delta": delta}, pointers)


def behaviour(f: Filling, args: dict) -> Truth:
    tool, span = f[args["of"]], f[args["during"]]
    first, last, p = span.start.slot, span.end.slot, tool.presence
    verbs = f.view.verb[p, first : last + 1].tolist()
    main = min(set(verbs), key=lambda v: (-verbs.count(v), verbs.index(v)))
    pairs = f.view.pairs[p, first : last + 1].tolist()
    path, mean = _path(f, p, first, last), _mean_speed(f, p, first, last)
    value = {
        "box_xyxy": list(f.box(p, first)),
        "seconds": span.length,
        "path_length": path,
        "path_class": scale("path").word(path),
        "mean_speed": mean,
        "speed_class": scale("speed").word(mean),
        "verb": f.view.timeline.verbs[main],
        "verb_share": verbs.count(main) / len(verbs),
        "blocks": 1 + sum(a != b for a, b in zip(pairs, pairs[1:], strict=False)),
    }
    fields = {
        **value, "box": f.box(p, first), "start": span.start, "verb": Label(str(value["verb"])),
    }  # fmt: skip
    return Truth(fields, value, (f.track(p, first, last),))


# -- interactions over an interval -----------------------------------------


def action_in(f: Filling, args: dict) -> Truth:
    tool, span = f[args["of"]], f[args["during"]]
    verb = f.view.timeline.verbs[int(f.view.verb[tool.presence, span.start.slot])]
    pointer = f.track(tool.presence, span.start.slot, span.end.slot)
    return Truth({"verb": Label(verb)}, {"verb": verb}, (pointer,))


def _target_of(f: Filling, presence: int, slot: int) -> str:
    return f.view.timeline.targets[int(f.view.target[presence, slot])]


def target_in(f: Filling, args: dict) -> Truth:
    tool, span = f[args["of"]], f[args["during"]]
    target = _target_of(f, tool.presence, span.start.slot)
    pointer = f.track(tool.presence, span.start.slot, span.end.slot)
    return Truth({"target": Label(target)}, {"target": target}, (pointer,))


def idling(f: Filling, args: dict) -> Truth:
    tool, moment = f[args["of"]], f[args["at"]]
    value = {"verb": "null_verb"}
    return Truth({"verb": Label("null_verb")}, value, (f.event(tool.presence, moment.slot),))


def same_target(f: Filling, args: dict) -> Truth:
    span = f[args["during"]]
    first, last = span.start.slot, span.end.slot
    tools = f[args["of"]].presence, f[args["other"]].presence
    targets = [_target_of(f, p, first) for p in tools]
    same = targets[0] == targets[1]
    fields = {"same": same, "first": Label(targets[0]), "second": Label(targets[1])}
    pointers = tuple(f.track(p, first, last) for p in tools)
    return Truth(fields, {"same": same, "targets": targets}, pointers)


def action_after(f: Filling, args: dict) -> Truth:
    tool, change = f[args["of"]], f[args["change"]]
    pairs = f.facts.pair_sets[int(f.view.pairs[tool.presence, change.slot])]
    verb, target = pairs[0]
    pointer = f.track(tool.presence, change.slot - 1, change.slot)
    return Truth({"action": Action(verb, target)}, {"verb": verb, "target": target}, (pointer,))


def touching(f: Filling, args: dict) -> Truth:
    span, target = f[args["during"]], f[args["target"]].label
    first, last = span.start.slot, span.end.slot
    flags = f.facts.target_samples[f.view.timeline.targets.index(target)]
    who = {f.facts.labels[p] for p in f.view.presences[f.w] if flags[p, first : last + 1].any()}
    found = sorted(who)
    return Truth({"labels": found}, {"labels": found}, (f.everything(first, last),))


RULES: dict[str, Rule] = {
    f.__name__: f
    for f in (
        extremes, visible_runs, box_at, ninth, nearest, named, absent, motion,
        relative_position, distance_change, behaviour, action_in, target_in, idling,
        same_target, action_after, touching,
    )
}  # fmt: skip
