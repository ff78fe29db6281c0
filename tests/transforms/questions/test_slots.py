"""Every slot kind: exactly the values the window admits, coded by content."""

from itertools import combinations

import pytest

from ontology.keys import h64
from ontology.records import Window
from tests.transforms.questions.plain import Plain
from tests.transforms.questions.tables import SEEDS, bound, evaluator, plain, slots
from tests.transforms.timeline.videos import Seen, made_up, timeline, windows_over
from transforms.language.operators import operators
from transforms.questions.evaluate import Evaluator
from transforms.questions.facts import Facts
from transforms.questions.slots import name_codes
from transforms.windows import view_windows

S = 1_000_000


def askable(p: Plain, smallest_gap: int) -> list[int]:
    """The first instant of each second whose printed time is nearest to no other instant."""
    out, seconds = [], set()
    for time in p.instants:
        offset = time - p.window.start_us
        printed = (offset + 5_000) // 10_000 * 10_000
        first = offset // S not in seconds
        seconds.add(offset // S)
        if first and 2 * abs(printed - offset) < smallest_gap:
            out.append(time)
    return out


def instants(p, gap, classes=0, boxed=False, known=False):
    for time in askable(p, gap):
        seen = p.in_view(time).values()
        if len({s.label for s in seen}) < classes:
            continue
        if (
            boxed
            and any(s.box is None for s in seen)
            or known
            and any(s.pairs is None for s in seen)
        ):
            continue
        yield (time,)


def tools(p, gap):
    return [(track,) for track in p.tracks]


def tools_with_box(p, gap):
    return [(track,) for track, by_time in p.tracks.items() if any(s.box for s in by_time.values())]


def tools_there(p, gap):
    for (time,) in instants(p, gap):
        yield from ((time, track) for track in p.in_view(time))


def boxed_there(p, gap):
    yield from ((t, track) for t, track in tools_there(p, gap) if p.in_view(t)[track].box)


def two_tools(p, gap):
    yield from ((a, b) for a in p.tracks for b in p.tracks if a != b)


def unordered(p, gap):
    yield from (frozenset(pair) for pair in combinations(p.tracks, 2))


def intervals(p, gap, shortest=2.0, longest=1e9):
    for a, b in combinations(askable(p, gap), 2):
        if shortest * S <= b - a <= longest * S:
            yield ((a, b),)


def there_all_along(p, track, a, b, boxed):
    samples = [p.tracks[track].get(t) for t in p.between(a, b)]
    near = all(p.near(s, t) for s, t in p.neighbours if a <= s and t <= b)
    return near and all(s is not None and (not boxed or s.box is not None) for s in samples)


def seen_intervals(p, gap, boxed):
    for track in p.tracks:
        for ((a, b),) in intervals(p, gap, 1.0):
            if there_all_along(p, track, a, b, boxed):
                yield (track, (a, b))


def classes(p, gap, keep):
    return [(label,) for label in p.vocabulary if keep(bool(p.seen(label)))]


def done(p, gap, part):
    for track, samples in p.tracks.items():
        names = {pair[part] for s in samples.values() for pair in s.pairs or ()}
        yield from ((track, name) for name in names)


def done_there(p, gap, part):
    for time, track in tools_there(p, gap):
        yield from ((time, track, pair[part]) for pair in p.in_view(time)[track].pairs or ())


def done_together(p, gap):
    for track, samples in p.tracks.items():
        pairs = {pair for s in samples.values() for pair in s.pairs or ()}
        yield from ((track, *pair) for pair in pairs)


def touched(p, gap):
    pairs = {
        pair for by_time in p.tracks.values() for s in by_time.values() for pair in s.pairs or ()
    }
    return {(target,) for _, target in pairs}


def changes(p, gap, longest=1.0):
    good = askable(p, gap)
    for track, samples in p.tracks.items():
        for a, b in p.neighbours:
            if a not in samples or b not in samples or b not in good:
                continue
            verbs = samples[a].single(0), samples[b].single(0)
            if None in verbs or verbs[0] == verbs[1]:
                continue
            if p.near(a, b) and b - a - p.period <= longest * S:
                yield (track, b)


def boxes(p, gap):
    yield from ((t, track, p.in_view(t)[track].box) for t, track in boxed_there(p, gap))


MOMENT = {"moment": {"kind": "instant"}}
TOOL = {"tool": {"kind": "instrument"}}
AT = {**MOMENT, "tool": {"kind": "instrument", "at": "moment"}}
BOXED_AT = {**MOMENT, "tool": {"kind": "instrument", "at": "moment", "boxed": True}}

CASES = {
    "instant": (MOMENT, instants),
    "instant-two-classes": (
        {"moment": {"kind": "instant", "classes": 2}},
        lambda p, g: instants(p, g, classes=2),
    ),
    "instant-boxed": (
        {"moment": {"kind": "instant", "boxed": True}},
        lambda p, g: instants(p, g, boxed=True),
    ),
    "instant-known": (
        {"moment": {"kind": "instant", "interactions_known": True}},
        lambda p, g: instants(p, g, known=True),
    ),
    "instrument": (TOOL, tools),
    "instrument-with-a-box": ({"tool": {"kind": "instrument", "boxed": True}}, tools_with_box),
    "instrument-at": (AT, tools_there),
    "instrument-boxed-at": (BOXED_AT, boxed_there),
    "instrument-another": (
        {**TOOL, "other": {"kind": "instrument", "differs_from": "tool"}},
        two_tools,
    ),
    "instrument-after": ({**TOOL, "other": {"kind": "instrument", "after": "tool"}}, unordered),
    "interval": ({"span": {"kind": "interval"}}, intervals),
    "interval-lengths": (
        {"span": {"kind": "interval", "min_seconds": 1.5, "max_seconds": 3.5}},
        lambda p, g: intervals(p, g, 1.5, 3.5),
    ),
    "interval-seen": (
        {**TOOL, "span": {"kind": "interval", "of": "tool", "min_seconds": 1}},
        lambda p, g: seen_intervals(p, g, False),
    ),
    "interval-boxed": (
        {**TOOL, "span": {"kind": "interval", "of": "tool", "boxed": True, "min_seconds": 1}},
        lambda p, g: seen_intervals(p, g, True),
    ),
    "class": ({"kind": {"kind": "instrument_class"}}, lambda p, g: classes(p, g, lambda s: True)),
    "class-seen": (
        {"kind": {"kind": "instrument_class", "seen": "yes"}},
        lambda p, g: classes(p, g, lambda seen: seen),
    ),
    "class-absent": (
        {"kind": {"kind": "instrument_class", "seen": "no"}},
        lambda p, g: classes(p, g, lambda seen: not seen),
    ),
    "verb": ({**TOOL, "verb": {"kind": "verb", "of": "tool"}}, lambda p, g: done(p, g, 0)),
    "verb-at": (
        {**AT, "verb": {"kind": "verb", "of": "tool", "at": "moment"}},
        lambda p, g: done_there(p, g, 0),
    ),
    "target": ({**TOOL, "target": {"kind": "target", "of": "tool"}}, lambda p, g: done(p, g, 1)),
    "target-at": (
        {**AT, "target": {"kind": "target", "of": "tool", "at": "moment"}},
        lambda p, g: done_there(p, g, 1),
    ),
    "target-doing": (
        {
            **TOOL,
            "verb": {"kind": "verb", "of": "tool"},
            "target": {"kind": "target", "of": "tool", "doing": "verb"},
        },
        done_together,
    ),
    "target-touched": ({"target": {"kind": "target"}}, touched),
    "choice": (
        {"axis": {"kind": "choice", "from": ["horizontal", "vertical"]}},
        lambda p, g: [("horizontal",), ("vertical",)],
    ),
    "change-soon": (
        {**TOOL, "ended": {"kind": "change", "of": "tool", "max_gap_seconds": 0.1}},
        lambda p, g: changes(p, g, 0.1),
    ),
    "change": ({**TOOL, "ended": {"kind": "change", "of": "tool"}}, changes),
    "box": ({**BOXED_AT, "box": {"kind": "box", "of": "tool", "at": "moment"}}, boxes),
}


def by_window(seed: int, needs) -> list[list[tuple]]:
    """The engine's fillings of every window, in plain values."""
    table, _ = evaluator(seed).table(slots(**needs))
    out: list[list[tuple]] = [[] for _ in plain(seed)]
    for row in range(len(table)):
        out[table.window[row]].append(tuple(bound(table, row).values()))
    return out


@pytest.mark.parametrize(("needs", "expected"), CASES.values(), ids=CASES.keys())
def test_fillings_are_those_of_the_window_each_once(needs, expected):
    total = 0
    for seed in SEEDS[:12]:
        gap = min(S, *made_up(seed).table.instants_us[1:] - made_up(seed).table.instants_us[:-1])
        for p, found in zip(plain(seed), by_window(seed, needs), strict=True):
            wanted = set(expected(p, gap)) if p.instants or "axis" in needs else set()
            got = {frozenset(v) if expected is unordered else v for v in found}
            assert got == wanted, (seed, p.window.window_id)
            assert len(found) == len(wanted), "a filling comes twice"
            total += len(found)
    assert total > 20


def test_every_slot_kind_has_a_case():
    kinds = {spec["kind"] for needs, _ in CASES.values() for spec in needs.values()}
    assert kinds | {"point"} == set(operators("slot"))


def test_points_lie_one_in_each_cell_away_from_its_border():
    table, _ = evaluator(0).table(
        slots(**MOMENT, point={"kind": "point", "at": "moment", "cells": 5})
    )
    cells: dict[tuple, set] = {}
    for row in range(len(table)):
        values = bound(table, row)
        x, y = values["point"]
        inside = [(v * 5) % 1 for v in (x, y)]
        assert all(0.19 <= share <= 0.81 for share in inside)
        place = (int(table.window[row]), values["moment"])
        cells.setdefault(place, set()).add((int(x * 5), int(y * 5)))
    assert cells
    assert all(len(found) == 25 for found in cells.values())


def test_points_differ_from_moment_to_moment():
    table, _ = evaluator(0).table(
        slots(**MOMENT, point={"kind": "point", "at": "moment", "cells": 2})
    )
    drawn = [tuple(values) for values in table.columns["point"].tolist()]
    assert len(set(drawn)) > len(drawn) / 2


@pytest.mark.parametrize("needs", [needs for needs, _ in CASES.values()], ids=CASES.keys())
def test_a_filling_has_the_same_code_whatever_other_windows_are_asked(needs):
    """Codes come from content alone, so that a draw cannot change with its surroundings."""
    for seed in SEEDS[:4]:
        made, windows = made_up(seed), windows_over(made_up(seed))
        together, _ = evaluator(seed).table(slots(**needs))
        for w, window in enumerate(windows):
            alone, _ = Evaluator(Facts(view_windows(made, (window,)))).table(slots(**needs))
            codes = [(str(bound(alone, r)), int(alone.codes[r])) for r in range(len(alone))]
            rows = [r for r in range(len(together)) if together.window[r] == w]
            assert codes == [(str(bound(together, r)), int(together.codes[r])) for r in rows]


def test_an_instant_whose_printed_time_could_be_anothers_is_not_asked_about():
    """Labels every 4 ms: 1.00 s is the instant at 1.000 s, 2.01 s could be 2.008 or 2.012 s."""
    times = [S, S + 4_000, 2 * S + 8_000, 2 * S + 12_000]
    made = timeline({time: [Seen("hook", track=1)] for time in times}, 4_000)
    view = view_windows(made, (Window("clip", "w", 0, 3 * S),))
    table, _ = Evaluator(Facts(view)).table(slots(**MOMENT))
    assert [bound(table, row)["moment"] for row in range(len(table))] == [S]


def test_names_are_coded_by_their_digest():
    table, _ = evaluator(0).table(slots(kind={"kind": "instrument_class"}))
    assert name_codes(["hook"]).tolist() == [h64("name", "hook")]
    assert len(set(table.codes.tolist())) == len(made_up(0).video.vocabulary)
