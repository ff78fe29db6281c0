"""Gates: masks over candidate fillings, each with the value it measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ontology.boxes import distance
from ontology.concepts import scale
from ontology.records import IDLE, UNKNOWN
from ontology.times import SECOND_US
from transforms.questions.candidates import Candidates
from transforms.questions.constants import IDLE_BORDERS, RELATION_LIMIT
from transforms.questions.facts import Facts
from transforms.questions.motion import mean_speed


class Test(NamedTuple):
    """Outcome of a test: bool (R,), the measured value, the limit as text.

    The value is float (R,), or a function from row numbers to it where it is dear and
    only the drawn fillings need it.
    """

    passed: np.ndarray
    measured: np.ndarray | Callable[[np.ndarray], np.ndarray]
    limit: str


Tester = Callable[[Candidates, Facts, dict], Test]


def _yes(passed: np.ndarray, limit: str = "true") -> Test:
    return Test(passed, passed.astype(np.float64), limit)


def _centres(c: Candidates, tool: str, slot: np.ndarray) -> np.ndarray:
    return c.view.centre[c.col(tool), slot]


def continuous(c: Candidates, facts: Facts, args: dict) -> Test:
    view, tool = c.view, c.col(args["tool"])
    first, last = c.ends(args["during"])
    passed = view.jumps[tool, first] == view.jumps[tool, last]

    def fastest(rows: np.ndarray) -> np.ndarray:
        return _fastest(view, tool[rows], first[rows], last[rows])

    return Test(passed, fastest, f"<= {view.timeline.limits.speed}")


def _fastest(view, tool, first, last) -> np.ndarray:
    """Largest step speed between the samples first..last."""
    out = np.zeros(len(tool))
    for offset in range(1, int((last - first).max(initial=0)) + 1):
        slot = first + offset
        inside = np.flatnonzero(slot <= last)
        out[inside] = np.maximum(out[inside], view.step_speed[tool[inside], slot[inside]])
    return out


def _distance_change(c: Candidates, args: dict) -> np.ndarray:
    """float64 (R,): distance of the two instruments at the end minus at the start."""
    first, last = c.ends(args["during"])
    before, after = (
        distance(_centres(c, args["tool"], s), _centres(c, args["other"], s)) for s in (first, last)
    )
    return after - before


def distance_change_clear(c: Candidates, facts: Facts, args: dict) -> Test:
    margin = np.abs(np.abs(_distance_change(c, args)) - RELATION_LIMIT)
    return Test(margin > args["by"], margin, f"> {args['by']}")


def distance_changes(c: Candidates, facts: Facts, args: dict) -> Test:
    delta = _distance_change(c, args)
    outcome = np.where(np.abs(delta) < RELATION_LIMIT, 0, np.sign(delta))
    wanted = {"closer": -1, "maintained": 0, "farther": 1}
    values = np.array([wanted[v] for v in c.calls[args["outcome"]].args["from"]])  # type: ignore[union-attr]
    return Test(outcome == values[c.col(args["outcome"])], delta, "equals outcome")


def constant_action(c: Candidates, facts: Facts, args: dict) -> Test:
    return _constant(c, c.view.verb, args)


def constant_target(c: Candidates, facts: Facts, args: dict) -> Test:
    test = _constant(c, c.view.target, args)
    if not args["some"]:
        return test
    names = c.view.timeline.targets
    none = names.index("null_target") if "null_target" in names else UNKNOWN
    first, _ = c.ends(args["during"])
    return _yes(test.passed & (c.view.target[c.col(args["tool"]), first] != none))


def _constant(c: Candidates, codes: np.ndarray, args: dict) -> Test:
    tool, (first, last) = c.col(args["tool"]), c.ends(args["during"])
    changes = np.zeros(codes.shape, dtype=np.int32)
    changes[:, 1:] = np.cumsum(codes[:, 1:] != codes[:, :-1], axis=1)
    same = changes[tool, first] == changes[tool, last]
    return _yes(same & (codes[tool, first] != UNKNOWN))


def single_actions(c: Candidates, facts: Facts, args: dict) -> Test:
    view, tool = c.view, c.col(args["tool"])
    bad = np.zeros((len(view.window), view.row.shape[1] + 1), dtype=np.int32)
    np.cumsum(view.present & (view.verb == UNKNOWN), axis=1, out=bad[:, 1:])
    if args["during"] is None:
        return _yes(bad[tool, -1] == 0)
    first, last = c.ends(args["during"])
    return _yes(bad[tool, last + 1] == bad[tool, first])


def speed_word_clear(c: Candidates, facts: Facts, args: dict) -> Test:
    first, last = c.ends(args["during"])
    return _word_clear("speed", mean_speed(c.view, c.col(args["tool"]), first, last), args["by"])


def path_word_clear(c: Candidates, facts: Facts, args: dict) -> Test:
    tool, (first, last) = c.col(args["tool"]), c.ends(args["during"])
    return _word_clear("path", c.view.path[tool, last] - c.view.path[tool, first], args["by"])


def _word_clear(name: str, value: np.ndarray, by: float) -> Test:
    """Relative distance of each value from the nearest border of its words."""
    margin = np.full(len(value), np.inf)
    for border in scale(name).bounds:
        if border > 0:
            margin = np.minimum(margin, np.abs(value - border) / border)
    return Test(margin > by, margin, f"> {by}")


def _throughout(c: Candidates, flags: np.ndarray, args: dict) -> np.ndarray:
    """bool (R,): the (W, S) flag holds at the moment, or at every slot of the interval."""
    if args["at"]:
        return flags[c.window, c.col(args["at"])]
    bad = np.zeros((flags.shape[0], flags.shape[1] + 1), dtype=np.int32)
    np.cumsum(~flags, axis=1, out=bad[:, 1:])
    if args["during"] is None:
        count = c.view.count[c.window]
        return bad[c.window, count] == 0
    first, last = c.ends(args["during"])
    return bad[c.window, last + 1] == bad[c.window, first]


def interactions_known(c: Candidates, facts: Facts, args: dict) -> Test:
    return _yes(_throughout(c, c.view.pairs_known, args))


def boxed(c: Candidates, facts: Facts, args: dict) -> Test:
    return _yes(_throughout(c, c.view.all_boxed, args))


def identified(c: Candidates, facts: Facts, args: dict) -> Test:
    return _yes(facts.identified[c.col(args["tool"])])


def seen_in_window(c: Candidates, facts: Facts, args: dict) -> Test:
    seen = facts.vocabulary_present.any(axis=2)[c.window, c.col(args["kind"])]
    return Test(seen == c.is_yes(args["truth"]), seen.astype(np.float64), "equals truth")


def seen_at(c: Candidates, facts: Facts, args: dict) -> Test:
    seen = facts.vocabulary_present[c.window, c.col(args["kind"]), c.col(args["at"])]
    return Test(seen == c.is_yes(args["truth"]), seen.astype(np.float64), "equals truth")


def touched_at(c: Candidates, facts: Facts, args: dict) -> Test:
    touched = facts.touched[c.col(args["target"]), c.window, c.col(args["at"])]
    return Test(touched == c.is_yes(args["truth"]), touched.astype(np.float64), "equals truth")


def touched_in_window(c: Candidates, facts: Facts, args: dict) -> Test:
    return _yes(facts.touched.any(axis=2)[c.col(args["target"]), c.window])


def touched_during(c: Candidates, facts: Facts, args: dict) -> Test:
    total = np.zeros((*facts.touched.shape[:2], facts.touched.shape[2] + 1), dtype=np.int32)
    np.cumsum(facts.touched, axis=2, out=total[:, :, 1:])
    first, last = c.ends(args["during"])
    which = c.col(args["target"])
    return _yes(total[which, c.window, last + 1] > total[which, c.window, first])


def only_one_doing(c: Candidates, facts: Facts, args: dict) -> Test:
    samples_of = facts.verb_samples if args["verb"] else facts.target_samples
    which = c.col(args["verb"] or args["target"])
    counts = [c.view.per_instant(flags) for flags in samples_of]
    slot = c.col(args["at"])
    many = np.stack(counts)[which, c.window, slot] if counts else np.zeros(len(c))
    known = c.view.pairs_known[c.window, slot]
    return Test(known & (many == 1), many.astype(np.float64), "== 1")


def not_idle(c: Candidates, facts: Facts, args: dict) -> Test:
    return _yes(_differs(c.view.timeline.verbs, c.col(args["verb"]), "null_verb"))


def not_none(c: Candidates, facts: Facts, args: dict) -> Test:
    return _yes(_differs(c.view.timeline.targets, c.col(args["target"]), "null_target"))


def _differs(names: tuple[str, ...], which: np.ndarray, name: str) -> np.ndarray:
    return which != (names.index(name) if name in names else UNKNOWN)


def idle_around(c: Candidates, facts: Facts, args: dict) -> Test:
    view, tool, slot = c.view, c.col(args["tool"]), c.col(args["at"])
    reach = args["seconds"] * SECOND_US
    moment = c.time(slot)
    whole = (moment - reach >= view.start_us[c.window]) & (moment + reach < view.end_us[c.window])
    near = (np.abs(view.time[c.window] - moment[:, None]) <= reach) & view.inside[c.window]
    first = near.argmax(axis=1)
    last = first + near.sum(axis=1) - 1
    bad = np.zeros((len(view.window), view.row.shape[1] + 1), dtype=np.int32)
    np.cumsum(~view.idle, axis=1, out=bad[:, 1:])
    idle = bad[tool, last + 1] == bad[tool, first]
    edges = (moment - c.time(first) == reach) & (c.time(last) - moment == reach)
    dense = view.timeline.video.period_us <= reach
    return _yes(whole & idle & (edges | dense))


def idle_share_clear(c: Candidates, facts: Facts, args: dict) -> Test:
    tool = c.col(args["tool"])
    share = facts.idle_us[tool] / np.maximum(facts.visible_us[tool], 1)
    margin = np.abs(share[:, None] - np.array(IDLE_BORDERS)).min(axis=1, initial=np.inf)
    return Test(margin > args["by"], margin, f"> {args['by']}")


def inside_window(c: Candidates, facts: Facts, args: dict) -> Test:
    """Distance of the first or last sample from the window's border, in seconds."""
    view = c.view
    there = facts.vocabulary_present[c.window, c.col(args["kind"])]
    if args["end"] == "first":
        away = c.time(there.argmax(axis=1)) - view.start_us[c.window]
    else:
        slot = there.shape[1] - 1 - there[:, ::-1].argmax(axis=1)
        away = view.end_us[c.window] - view.timeline.video.period_us - c.time(slot)
    period = view.timeline.video.period_us
    return Test((away > period) & there.any(axis=1), away / SECOND_US, f"> {period / SECOND_US}")


def first_action_inside(c: Candidates, facts: Facts, args: dict) -> Test:
    view = c.view
    period = view.timeline.video.period_us
    away = np.full(len(view.window), -1, dtype=np.int64)
    for p, blocks in enumerate(facts.blocks):
        real = [b for b in blocks if facts.pair_sets[b.code] != (IDLE,)]
        if real and len(facts.pair_sets[real[0].code]) == 1:
            w = facts.windows_of[p]
            away[p] = facts.times[w][real[0].first] - view.windows[w].start_us
    known = ~((view.pairs == UNKNOWN) & view.present).any(axis=1)
    tool = c.col(args["tool"])
    passed = (away > period) & known
    return Test(passed[tool], away[tool] / SECOND_US, f"> {period / SECOND_US}")


TESTS: dict[str, Tester] = {
    f.__name__: f
    for f in (
        continuous, distance_change_clear, distance_changes, constant_action, constant_target,
        single_actions, speed_word_clear, path_word_clear, interactions_known, boxed,
        identified, seen_in_window, seen_at, touched_at, touched_in_window, touched_during,
        only_one_doing, not_idle, not_none, idle_around, idle_share_clear, inside_window,
        first_action_inside,
    )
}  # fmt: skip
