"""Linking against the written rule in plain loops, and its edges one by one."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.ontology.records import UNKNOWN, InstrumentTable
from surgqa.transforms.timeline import LinkLimits
from surgqa.transforms.timeline.link import link
from tests.transforms.timeline.videos import S, Seen, box_at, table

NAMES = ("grasper", "hook", "scissors")
PERIODS = {"1 s": S, "0.5 s": S // 2, "0.04 s": S // 25}


# -- the rule once more, with exact numbers -------------------------------------------------------


def reference(rows: InstrumentTable, period_us: int) -> tuple[list[int], list[str], list[str]]:
    """Track of each row, numbered by first row; ids; how each track was linked."""
    keys: list[tuple] = [()] * len(rows.sample)
    for code in range(len(rows.labels)):
        mine = [r for r in range(len(keys)) if rows.label[r] == code]
        sourced = [r for r in mine if rows.track[r] != UNKNOWN]
        for r in sourced:
            keys[r] = (code, "source", int(rows.track[r]))
        free = [r for r in mine if r not in sourced]
        for r, number in by_centroid(rows, free, period_us).items():
            keys[r] = (code, "nearest_centroid", number)
        for r, number in by_class(rows, free, period_us).items():
            keys[r] = (code, "class", number)
    order = list(dict.fromkeys(keys))
    names = [rows.labels[key[0]] for key in order]
    ids = [f"{name}-{names[: k + 1].count(name)}" for k, name in enumerate(names)]
    return [order.index(key) for key in keys], ids, [key[1] for key in order]


def by_centroid(rows: InstrumentTable, free: list[int], period_us: int) -> dict[int, int]:
    """Rows with boxes: every open track with every detection, the nearest pair first."""
    limit = max(S, Fraction(3, 2) * period_us)
    tracks: list[int] = []  # last row of each
    out: dict[int, int] = {}
    boxed = [r for r in free if has_box(rows, r)]
    for now in instants(rows, boxed):
        pairs = []
        for number, last in enumerate(tracks):
            dt = time(rows, now[0]) - time(rows, last)
            gate = Fraction(6, 10) * Fraction(dt, S) + Fraction(5, 100)
            for r in now:
                d2 = squared_distance(rows, last, r)
                if dt <= limit and d2 <= gate * gate:
                    pairs.append((d2, number, r))
        for _, number, r in sorted(pairs):
            if r not in out and number not in [out.get(other) for other in now]:
                out[r] = number
        for r in now:
            if r not in out:
                out[r] = len(tracks)
                tracks.append(r)
            tracks[out[r]] = r
    return out


def by_class(rows: InstrumentTable, free: list[int], period_us: int) -> dict[int, int]:
    """Rows without boxes: joined to the class's instant before where both are alone."""
    out: dict[int, int] = {}
    before: list[int] = []
    for now in instants(rows, free):
        for r in now:
            if has_box(rows, r):
                continue
            near = before and time(rows, r) - time(rows, before[0]) <= Fraction(3, 2) * period_us
            if near and len(now) == len(before) == 1 and not has_box(rows, before[0]):
                out[r] = out[before[0]]
            else:
                out[r] = max(out.values(), default=-1) + 1
        before = now
    return out


def instants(rows: InstrumentTable, chosen: list[int]) -> list[list[int]]:
    return [
        [r for r in chosen if rows.sample[r] == sample]
        for sample in sorted({int(rows.sample[r]) for r in chosen})
    ]


def time(rows: InstrumentTable, r: int) -> int:
    return int(rows.instants_us[rows.sample[r]])


def has_box(rows: InstrumentTable, r: int) -> bool:
    return bool(rows.box_xyxy[r, 0] == rows.box_xyxy[r, 0])


def squared_distance(rows: InstrumentTable, a: int, b: int) -> Fraction:
    p, q = (([Fraction(v) for v in rows.box_xyxy[r].tolist()]) for r in (a, b))
    dx, dy = (p[0] + p[2] - q[0] - q[2]) / 2, (p[1] + p[3] - q[1] - q[3]) / 2
    return dx * dx + dy * dy


@st.composite
def detections(draw, period: int) -> dict[int, list[Seen]]:
    """Up to four instruments at once on a fine grid, near enough to be confused."""
    spread = draw(st.sampled_from([3, 10, 50]))
    place = st.integers(4, 4 + spread)
    one = st.builds(
        Seen,
        label=st.sampled_from(NAMES[: draw(st.integers(1, 3))]),
        box=st.builds(lambda x, y: box_at(x / 64, y / 64), place, place)
        | (st.none() if draw(st.booleans()) else st.nothing()),
        track=st.just(UNKNOWN) | (st.integers(0, 2) if draw(st.booleans()) else st.nothing()),
    )
    at_once = st.lists(one, max_size=4, unique_by=lambda seen: (seen.label, seen.box))
    now, out = 0, {}
    for seen in draw(st.lists(at_once, min_size=1, max_size=12)):
        out[now] = seen
        now += int(draw(st.sampled_from([0.5, 1, 1, 1, 1, 1.5, 2, 30])) * period)
    return out


@pytest.mark.parametrize("period", PERIODS.values(), ids=PERIODS.keys())
@settings(max_examples=150)
@given(data=st.data())
def test_links_are_those_of_the_written_rule(period, data):
    rows = table(data.draw(detections(period)))
    tracks = link(rows, period, LinkLimits())
    of_row, ids, linked_by = reference(rows, period)
    assert tracks.of_row.tolist() == of_row
    assert list(tracks.ids) == ids
    assert list(tracks.linked_by) == linked_by
    assert [rows.labels[code] for code in tracks.label] == [t.rsplit("-", 1)[0] for t in ids]


# -- edges ----------------------------------------------------------------------------------------


def links(detections: dict[int, list[Seen]], period: int = S) -> list[str]:
    """Track id of each row in the order of the table."""
    tracks = link(table(detections), period, LinkLimits())
    return [tracks.ids[k] for k in tracks.of_row]


def hook(x: float, y: float = 0.5, **more) -> Seen:
    return Seen("hook", box_at(x, y), **more)


def test_of_two_tracks_equally_near_the_earlier_one_goes_on():
    assert links({0: [hook(0.25), hook(0.75)], S: [hook(0.5)]}) == ["hook-1", "hook-2", "hook-1"]


def test_of_two_detections_equally_near_the_one_whose_box_sorts_first_goes_on():
    assert links({0: [hook(0.5)], S: [hook(0.25), hook(0.75)]}) == ["hook-1", "hook-1", "hook-2"]


def test_the_nearest_pair_is_taken_first_even_if_another_then_loses_its_track():
    found = links({0: [hook(0.25), hook(0.5)], S: [hook(0.46875), hook(0.9375)]})
    assert found == ["hook-1", "hook-2", "hook-2", "hook-3"]


def test_tracks_are_numbered_by_class_and_first_appearance():
    other = Seen("grasper", box_at(0.5, 0.5))
    found = links({0: [hook(0.9)], 5 * S: [hook(0.1), other], 20 * S: [hook(0.1)]})
    assert found == ["hook-1", "grasper-1", "hook-2", "hook-3"]


@pytest.mark.parametrize(
    ("wait", "period", "same"),
    [
        pytest.param(1_500_000, S, True, id="one-and-a-half-periods"),
        pytest.param(1_500_001, S, False, id="just-longer"),
        pytest.param(1_000_000, S // 25, True, id="dense-labels-one-second"),
        pytest.param(1_000_001, S // 25, False, id="dense-labels-just-longer"),
    ],
)
def test_a_track_stays_open_for_a_second_or_one_and_a_half_periods(wait, period, same):
    assert links({0: [hook(0.5)], wait: [hook(0.5)]}, period) == [
        "hook-1",
        "hook-1" if same else "hook-2",
    ]


@pytest.mark.parametrize(
    ("x", "same"),
    [pytest.param(0.84, True, id="inside-the-gate"), pytest.param(0.86, False, id="outside")],
)
def test_the_gate_is_speed_times_time_and_some_slack(x, same):
    """0.6 units in one second and 0.05 beside: from 0.2 to at most 0.85."""
    found = links({0: [hook(0.2)], S: [hook(x)]})
    assert (found[0] == found[1]) is same


def test_boxless_detections_go_on_only_where_the_class_is_alone():
    bare = Seen("hook")
    assert links({0: [bare], S: [bare]}) == ["hook-1", "hook-1"]
    assert links({0: [bare], S: [bare, Seen("hook", box_at(0.5, 0.5))], 2 * S: [bare]}) == [
        "hook-1",
        "hook-2",
        "hook-3",
        "hook-4",
    ]
    assert links({0: [bare], 2 * S: [bare]}) == ["hook-1", "hook-2"], "too long ago"


def test_a_boxless_detection_is_not_joined_across_one_with_a_box():
    bare = Seen("hook")
    assert links({0: [bare], S // 2: [hook(0.5)], S: [bare]}) == ["hook-1", "hook-2", "hook-3"]


def test_source_ids_are_kept_even_over_long_gaps_and_across_the_frame():
    first, later = hook(0.1, track=7), hook(0.9, track=7)
    assert links({0: [first], 60 * S: [later]}) == ["hook-1", "hook-1"]


def test_one_source_id_in_two_classes_is_two_tracks():
    assert links({0: [hook(0.1, track=7)], S: [Seen("grasper", box_at(0.1, 0.5), track=7)]}) == [
        "hook-1",
        "grasper-1",
    ]


def test_nothing_seen_gives_no_track():
    tracks = link(table({0: [], S: []}), S, LinkLimits())
    assert (tracks.ids, tracks.of_row.tolist(), tracks.linked_by) == ((), [], ())
