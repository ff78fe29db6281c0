"""Every condition of the language once more, for one filling, in plain loops.

``MEASURES[name](p, **arguments)`` gives the measured number, ``TESTS[name](p,
**arguments)`` whether the filling passes; arguments are bound values (a time, a track
id, a label, ...), see :func:`tests.transforms.questions.tables.bound`.
"""

from __future__ import annotations

from itertools import product

from ontology.concepts import scale
from tests.transforms.questions.plain import IDLE, Plain, PlainBlock, S, apart, overlap

Span = tuple[int, int]


# -- measures ------------------------------------------------------------------------------------


def lasts(p: Plain, span: Span) -> float:
    return (span[1] - span[0]) / S


def samples(p: Plain, span: Span) -> int:
    return len(p.between(*span))


def travel(p: Plain, tool: str, during: Span, axis: str) -> float:
    places = [p.tracks[tool][t].centre[axis == "vertical"] for t in p.between(*during)]
    return max(places) - min(places)


def runs_last(p: Plain, at: int) -> float:
    runs = [p.run(track, at) for track in p.in_view(at)]
    return min(((run[-1] - run[0]) / S if run else 0.0 for run in runs), default=0.0)


def off_lines(p: Plain, tool: str, at: int) -> float:
    return min(abs(v - line) for v, line in product(p.tracks[tool][at].centre, (1 / 3, 2 / 3)))


def nearest_by(p: Plain, point: tuple[float, float], at: int) -> float:
    found = sorted(apart(s.centre, point) for s in p.in_view(at).values() if s.box)
    return found[1] - found[0] if len(found) > 1 else 0.0


def largest_overlap(p: Plain, tool: str, at: int) -> float:
    mine = p.tracks[tool][at].box
    others = [s.box for track, s in p.in_view(at).items() if track != tool and s.box]
    return max((overlap(mine, box) for box in others), default=0.0)


def apart_on_axes(p: Plain, tool: str, other: str, at: int) -> float:
    (x, y), (u, v) = p.tracks[tool][at].centre, p.tracks[other][at].centre
    return min(abs(x - u), abs(y - v))


def visible_seconds(p: Plain, tool: str) -> float:
    return p.visible_us(tool) / S


def actions(p: Plain, tool: str, min_seconds: float) -> int:
    return sum(block.seconds >= min_seconds for block in p.blocks(tool))


def longest(p: Plain, tool: str, verb: str) -> float:
    return max((run.seconds for run in p.verb_runs(tool, verb)), default=0.0)


def longest_by(p: Plain, tool: str, verb: str) -> float:
    best, second = sorted([0.0, 0.0, *(r.seconds for r in p.verb_runs(tool, verb))])[:-3:-1]
    return best - second


def leads_by(p: Plain, measure: str, of: str | None) -> float:
    totals: dict[str, float] = {}
    for track in p.tracks if of is None else [of]:
        label = p.label(track)
        for block in p.blocks(track):
            if measure == "active_seconds" and block.value != IDLE:
                totals[label] = totals.get(label, 0.0) + block.seconds
            if measure == "verb_seconds" and len(block.value) == 1 and block.value != IDLE:
                verb = block.value[0][0]
                totals[verb] = totals.get(verb, 0.0) + block.seconds
        if measure == "targets":
            everyone = [p.targets(t) for t in p.of_class(label)]
            totals[label] = len(set().union(*everyone))
    best, second = sorted([0.0, 0.0, *totals.values()])[:-3:-1]
    return (best - second) / best if best else 0.0


def classes_seen(p: Plain) -> int:
    return len({p.label(track) for track in p.tracks})


def classes_during(p: Plain, during: Span) -> int:
    return len({s.label for time in p.between(*during) for s in p.in_view(time).values()})


def targets_touched(p: Plain, tool: str) -> int:
    return len(p.targets(tool))


MEASURES = {
    f.__name__: f
    for f in (
        lasts, samples, travel, runs_last, off_lines, nearest_by, apart_on_axes,
        visible_seconds, actions, longest, longest_by, leads_by, classes_seen, classes_during,
        targets_touched,
    )
} | {"overlap": largest_overlap}  # fmt: skip


# -- tests ---------------------------------------------------------------------------------------


def continuous(p: Plain, tool: str, during: Span) -> bool:
    return all(step / seconds <= 0.6 for step, seconds in p.steps(tool, *during))


def change_of_distance(p: Plain, tool: str, other: str, during: Span) -> float:
    return p.distance(tool, other, during[1]) - p.distance(tool, other, during[0])


def distance_change_clear(p: Plain, tool: str, other: str, during: Span, by: float) -> bool:
    return abs(abs(change_of_distance(p, tool, other, during)) - 0.30) > by


def distance_changes(p: Plain, tool: str, other: str, during: Span, outcome: str) -> bool:
    delta = change_of_distance(p, tool, other, during)
    if abs(delta) < 0.30:
        return outcome == "maintained"
    return outcome == ("closer" if delta < 0 else "farther")


def singles(p: Plain, tool: str, during: Span, part: int) -> set[str | None]:
    found = [p.tracks[tool].get(t) for t in p.between(*during)]
    return {sample.single(part) if sample else None for sample in found}


def constant_action(p: Plain, tool: str, during: Span) -> bool:
    found = singles(p, tool, during, 0)
    return len(found) == 1 and None not in found


def constant_target(p: Plain, tool: str, during: Span, some: bool) -> bool:
    found = singles(p, tool, during, 1)
    return len(found) == 1 and None not in found and not (some and found == {"null_target"})


def single_actions(p: Plain, tool: str, during: Span | None) -> bool:
    first, last = during or (p.window.start_us, p.window.end_us)
    inside = {t: s for t, s in p.tracks[tool].items() if first <= t <= last}
    return all(sample.single(0) is not None for sample in inside.values())


def word_margin(name: str, value: float) -> float:
    borders = [border for border in scale(name).bounds if border > 0]
    return min(abs(value - border) / border for border in borders)


def speed_word_clear(p: Plain, tool: str, during: Span, by: float) -> bool:
    return word_margin("speed", p.path(tool, *during) / lasts(p, during)) > by


def path_word_clear(p: Plain, tool: str, during: Span, by: float) -> bool:
    return word_margin("path", p.path(tool, *during)) > by


def times(p: Plain, at: int | None, during: Span | None) -> list[int]:
    if at is not None:
        return [at]
    return p.between(*during) if during else p.instants


def interactions_known(p: Plain, at: int | None, during: Span | None) -> bool:
    return all(
        s.pairs is not None for time in times(p, at, during) for s in p.in_view(time).values()
    )


def boxed(p: Plain, at: int | None, during: Span | None) -> bool:
    return all(s.box is not None for time in times(p, at, during) for s in p.in_view(time).values())


def identified(p: Plain, tool: str) -> bool:
    label = p.label(tool)
    at_once = [sum(s.label == label for s in p.in_view(t).values()) for t in p.instants]
    return len(p.of_class(label)) == max(at_once)


def agrees(found: bool, truth: str | None) -> bool:
    return found == (truth in (None, "yes"))


def seen_in_window(p: Plain, kind: str, truth: str | None) -> bool:
    return agrees(bool(p.seen(kind)), truth)


def seen_at(p: Plain, kind: str, at: int, truth: str | None) -> bool:
    return agrees(at in p.seen(kind), truth)


def touched_at(p: Plain, target: str, at: int, truth: str | None) -> bool:
    return agrees(p.touched(target, at), truth)


def touched_in_window(p: Plain, target: str) -> bool:
    return any(p.touched(target, time) for time in p.instants)


def touched_during(p: Plain, target: str, during: Span) -> bool:
    return any(p.touched(target, time) for time in p.between(*during))


def only_one_doing(p: Plain, tool: str, at: int, verb: str | None, target: str | None) -> bool:
    part, name = (0, verb) if verb else (1, target)
    doing = [track for track, s in p.in_view(at).items() if s.has(part, name)]
    return interactions_known(p, at, None) and len(doing) == 1


def not_idle(p: Plain, verb: str) -> bool:
    return verb != "null_verb"


def not_none(p: Plain, target: str) -> bool:
    return target != "null_target"


def idle_around(p: Plain, tool: str, at: int, seconds: float) -> bool:
    """With labels sparser than the reach, both ends must be instants themselves."""
    reach = int(seconds * S)
    near = p.between(at - reach, at + reach)
    inside = p.window.start_us <= at - reach and at + reach < p.window.end_us
    covered = p.period <= reach or (near[0], near[-1]) == (at - reach, at + reach)
    idle = all(t in p.tracks[tool] and p.tracks[tool][t].pairs == IDLE for t in near)
    return inside and covered and idle


def idle_share_clear(p: Plain, tool: str, by: float) -> bool:
    return idle_margin(p, tool) > by


def idle_margin(p: Plain, tool: str) -> float:
    return min(abs(p.idle_share(tool) - border) for border in (0.10, 0.25, 0.50))


def inside_window(p: Plain, kind: str, end: str) -> bool:
    seen = p.seen(kind)
    if not seen:
        return False
    if end == "first":
        return seen[0] - p.window.start_us > p.period
    return p.window.end_us - p.period - seen[-1] > p.period


def first_action_inside(p: Plain, tool: str) -> bool:
    if any(sample.pairs is None for sample in p.tracks[tool].values()):
        return False
    real: list[PlainBlock] = [block for block in p.blocks(tool) if block.value != IDLE]
    if not real or len(real[0].value) != 1:
        return False
    return real[0].first_us - p.window.start_us > p.period


def distinct_extremes(
    p: Plain, tool: str, during: Span, axis: str, by: float, or_within_seconds: float
) -> bool:
    places = [(t, p.tracks[tool][t].centre[axis == "vertical"]) for t in p.between(*during)]
    for sign in (1, -1):
        best = min(places, key=lambda place: (sign * place[1], place[0]))
        for time, value in places:
            far = abs(time - best[0]) > or_within_seconds * S
            if far and abs(value - best[1]) < by:
                return False
    return True


TESTS = {
    f.__name__: f
    for f in (
        continuous, distance_change_clear, distance_changes, constant_action, constant_target,
        single_actions, speed_word_clear, path_word_clear, interactions_known, boxed, identified,
        seen_in_window, seen_at, touched_at, touched_in_window, touched_during, only_one_doing,
        not_idle, not_none, idle_around, idle_share_clear, inside_window, first_action_inside,
        distinct_extremes,
    )
}  # fmt: skip
