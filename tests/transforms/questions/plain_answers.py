"""Every answer rule once more, in plain loops, read off ``docs/answers.md``.

``ANSWERS[rule](p, **arguments)`` gives the ``answer_value``; arguments are bound values
(a time, a track id, a label, ...), ``asked`` is the time the question is about.
"""

from __future__ import annotations

from typing import Any

from ontology.concepts import scale
from tests.transforms.questions.plain import IDLE, Plain, S, apart
from tests.transforms.questions.plain_conditions import change_of_distance

Span = tuple[int, int]
Value = dict[str, Any]


def instrument(p: Plain, track: str, asked: Span) -> Value:
    """Class, track, and its number among its class where two are in view together."""
    label = p.label(track)
    together = any(
        sum(s.label == label for s in p.in_view(t).values()) > 1 for t in p.between(*asked)
    )
    # Ties of the first sample by its box; one without a box comes after those with one.
    first = {t: min(p.tracks[t]) for t in p.of_class(label)}
    order = sorted(first, key=lambda t: (first[t], p.tracks[t][first[t]].box or (2.0,)))
    number = order.index(track) + 1 if together else None
    return {"label": label, "instance": number, "track_id": track}


def extremes(p: Plain, of: str, during: Span, axis: str, asked: Span) -> Value:
    k, sides = (0, ("left", "right")) if axis == "horizontal" else (1, ("top", "bottom"))
    low, high = (
        min(p.between(*during), key=lambda t: (sign * p.tracks[of][t].centre[k], t))
        for sign in (1, -1)
    )
    parts = [
        {"side": side, "time_us": t, "box_xyxy": list(p.tracks[of][t].box)}
        for side, t in zip(sides, (low, high), strict=True)
    ]
    return {"axis": axis, "extremes": parts}


def visible_runs(p: Plain, at: int, asked: Span) -> Value:
    found = []
    for track in p.in_view(at):
        run = p.run(track, at)
        boxes = [list(p.tracks[track][t].box) for t in (run[0], run[-1])]
        ends = {"start_us": run[0], "end_us": run[-1]}
        ends |= {"start_box_xyxy": boxes[0], "end_box_xyxy": boxes[1]}
        found.append({**instrument(p, track, asked), **ends})
    return {"instruments": sorted(found, key=lambda r: (r["label"], r["instance"] or 0))}


def box_at(p: Plain, of: str, at: int, asked: Span) -> Value:
    box = list(p.tracks[of][at].box)
    return {**instrument(p, of, asked), "time_us": at, "box_xyxy": box}


def third(value: float, names: tuple[str, str, str]) -> str:
    return names[0] if value < 1 / 3 else names[1] if value < 2 / 3 else names[2]


def ninth(p: Plain, of: str, at: int, asked: Span) -> Value:
    x, y = p.tracks[of][at].centre
    across, down = third(x, ("left", "centre", "right")), third(y, ("top", "middle", "bottom"))
    return {"horizontal": across, "vertical": down}


def nearest(p: Plain, point: tuple[float, float], at: int, asked: Span) -> Value:
    seen = p.in_view(at)
    return instrument(p, min(seen, key=lambda t: apart(seen[t].centre, point)), asked)


def named(p: Plain, of: str, at: int, asked: Span) -> Value:
    return instrument(p, of, asked)


def absent(p: Plain, kind: str, asked: Span) -> Value:
    return {"refusal": not p.seen(kind), "label": kind}


def motion(p: Plain, of: str, during: Span, detail: str, asked: Span) -> Value:
    steps = p.steps(of, *during)
    mean = p.path(of, *during) / ((during[1] - during[0]) / S)
    word = {"mean_speed": mean, "speed_class": scale("speed").word(mean)}
    if detail == "word":
        return word
    speeds = [step / seconds for step, seconds in steps]
    return {**word, "min_speed": min(speeds), "max_speed": max(speeds), "camera_motion": "unknown"}


def relative_position(p: Plain, of: str, other: str, at: int, asked: Span) -> Value:
    (x, y), (u, v) = p.tracks[of][at].centre, p.tracks[other][at].centre
    return {"horizontal": "left" if x < u else "right", "vertical": "above" if y < v else "below"}


def distance_change(p: Plain, of: str, other: str, during: Span, asked: Span) -> Value:
    delta = change_of_distance(p, of, other, during)
    word = "maintained" if abs(delta) < 0.30 else "closer" if delta < 0 else "farther"
    return {"change": word, "delta": delta}


def behaviour(p: Plain, of: str, during: Span, asked: Span) -> Value:
    samples = [p.tracks[of][t] for t in p.between(*during)]
    verbs = [s.single(0) for s in samples]
    main = max(dict.fromkeys(verbs), key=verbs.count)
    path, seconds = p.path(of, *during), (during[1] - during[0]) / S
    changes = sum(a.pairs != b.pairs for a, b in zip(samples, samples[1:], strict=False))
    return {
        "box_xyxy": list(samples[0].box), "seconds": seconds, "path_length": path,
        "path_class": scale("path").word(path), "mean_speed": path / seconds,
        "speed_class": scale("speed").word(path / seconds), "verb": main,
        "verb_share": verbs.count(main) / len(verbs), "blocks": 1 + changes,
    }  # fmt: skip


def constant(p: Plain, track: str, during: Span, part: int) -> str | None:
    (value,) = {p.tracks[track][t].single(part) for t in p.between(*during)}
    return value


def action_in(p: Plain, of: str, during: Span, asked: Span) -> Value:
    return {"verb": constant(p, of, during, 0)}


def target_in(p: Plain, of: str, during: Span, asked: Span) -> Value:
    return {"target": constant(p, of, during, 1)}


def same_target(p: Plain, of: str, other: str, during: Span, asked: Span) -> Value:
    targets = [constant(p, track, during, 1) for track in (of, other)]
    return {"same": targets[0] == targets[1], "targets": targets}


def idling(p: Plain, of: str, at: int, asked: Span) -> Value:
    return {"verb": p.tracks[of][at].single(0)}


def action_after(p: Plain, change: int, of: str, asked: Span) -> Value:
    ((verb, target),) = next(b.value for b in p.blocks(of) if b.first_us == change)
    return {"verb": verb, "target": target}


def touching(p: Plain, target: str, during: Span, asked: Span) -> Value:
    seen = [s for t in p.between(*during) for s in p.in_view(t).values()]
    return {"labels": sorted({s.label for s in seen if s.has(1, target)})}


# -- over the whole window -------------------------------------------------------------------


def interaction(p: Plain, of: str, verb: str, target: str, asked: Span) -> Value:
    found = [b.length_us for b in p.blocks(of) if (verb, target) in b.value]
    return {"seconds": sum(found) / S, "count": len(found)}


def longest_stretch(p: Plain, of: str, verb: str, asked: Span) -> Value:
    best = max(p.verb_runs(of, verb), key=lambda run: run.length_us)
    return {"seconds": best.seconds, "start_us": best.start_us, "end_us": best.end_us}


def idle_time(p: Plain, of: str, asked: Span) -> Value:
    idle = sum(b.length_us for b in p.blocks(of) if b.value == IDLE)
    share = idle / p.visible_us(of)
    bucket = "0-10" if share < 0.1 else "10-25" if share < 0.25 else "25-50" if share < 0.5 else ""
    clip = idle / (p.window.end_us - p.window.start_us)
    return {
        "seconds": idle / S, "share_visible": share, "share_clip": clip,
        "bucket": bucket or "50-100",
    }  # fmt: skip


def appearance(p: Plain, kind: str, end: str, asked: Span) -> Value:
    return {"time_us": p.seen(kind)[0 if end == "first" else -1]}


def first_action(p: Plain, of: str, asked: Span) -> Value:
    block = next(b for b in p.blocks(of) if b.value != IDLE)
    ((verb, target),) = block.value
    return {"verb": verb, "target": target, "time_us": block.first_us}


def sequence(p: Plain, of: str, min_seconds: float, asked: Span) -> Value:
    long_enough = [b for b in p.blocks(of) if b.seconds >= min_seconds]
    return {
        "steps": [
            {"start_us": b.start_us, "verb": b.value[0][0], "target": b.value[0][1]}
            for b in long_enough
        ]
    }


def best(totals: dict[str, float]) -> str:
    return min(totals, key=lambda name: (-totals[name], name))


def most_active(p: Plain, asked: Span) -> Value:
    totals: dict[str, int] = {}
    for track in p.tracks:
        busy = sum(b.length_us for b in p.blocks(track) if b.value != IDLE)
        totals[p.label(track)] = totals.get(p.label(track), 0) + busy
    return {"label": best(totals), "seconds": totals[best(totals)] / S}


def most_targets(p: Plain, asked: Span) -> Value:
    labels = {p.label(track) for track in p.tracks}
    totals = {x: len(set().union(*(p.targets(t) for t in p.of_class(x)))) for x in labels}
    return {"label": best(totals), "count": totals[best(totals)]}


def dominant_verb(p: Plain, of: str, asked: Span) -> Value:
    totals: dict[str, int] = {}
    for block in p.blocks(of):
        if len(block.value) == 1 and block.value != IDLE:
            verb = block.value[0][0]
            totals[verb] = totals.get(verb, 0) + block.length_us
    verb = best(totals)
    share = totals[verb] / p.visible_us(of)
    return {"verb": verb, "seconds": totals[verb] / S, "share": share}


def targets_of(p: Plain, of: str, asked: Span) -> Value:
    found = sorted(p.targets(of))
    return {"labels": found, "count": len(found)}


# -- counting and existence ------------------------------------------------------------------


def classes_at(p: Plain, at: int, asked: Span) -> Value:
    return {"labels": sorted({s.label for s in p.in_view(at).values()})}


def count_classes(p: Plain, at: int, asked: Span) -> Value:
    return {"number": len(classes_at(p, at, asked)["labels"])}


def count_instances(p: Plain, kind: str, at: int, asked: Span) -> Value:
    return {"number": sum(s.label == kind for s in p.in_view(at).values())}


def most_at_once(p: Plain, during: Span, asked: Span) -> Value:
    return {"number": max(len(p.in_view(t)) for t in p.between(*during))}


def is_seen(p: Plain, kind: str, at: int | None, asked: Span) -> Value:
    return {"yes": bool(p.seen(kind)) if at is None else at in p.seen(kind)}


def is_touched(p: Plain, target: str, at: int, asked: Span) -> Value:
    return {"yes": p.touched(target, at)}


ANSWERS = {
    f.__name__: f
    for f in (
        extremes, visible_runs, box_at, ninth, nearest, named, absent, motion,
        relative_position, distance_change, behaviour, action_in, target_in, same_target,
        idling, action_after, touching, interaction, longest_stretch, idle_time, appearance,
        first_action, sequence, most_active, most_targets, dominant_verb, targets_of,
        classes_at, count_classes, count_instances, most_at_once, is_seen, is_touched,
    )
}  # fmt: skip
