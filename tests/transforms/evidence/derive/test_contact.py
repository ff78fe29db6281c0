"""Contacts, onsets and regions, against motion whose times one can compute."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.transforms.evidence.derive.contact import contact_rows, contacts, onsets, switches
from surgqa.transforms.evidence.derive.pairs import Pair
from surgqa.transforms.evidence.derive.settings import ContactLimits, DeriveSettings
from tests.each import cases

ALL = DeriveSettings()
LIMITS = ContactLimits()
TISSUE_BOX = [0.6, 0.3, 0.9, 0.7]


def scene(make, time, right_edge, target=TISSUE_BOX):
    """A tip whose right edge is where it is told, left of a tissue that rests."""
    x = np.asarray(right_edge, float) - 0.04
    return make.boxes(
        make.box_rows(0, "instrument", "hook", time, make.around(x, np.full(len(x), 0.5))),
        make.box_rows(1, "tissue", "gallbladder", time, target),
    )


def there_and_back(time):
    """Right edge: 0.4 at 0 s, reaches the tissue (0.6) at 2 s, rests, parts from 6 s on."""
    now = np.asarray(time) / 1e6
    return np.where(now < 6, np.minimum(0.4 + 0.1 * now, 0.6), 0.6 - 0.1 * (now - 6))


@pytest.mark.parametrize("fps", [1, 5, 12, 25, 30])
def test_contact_begins_and_ends_within_one_sample(make, fps):
    time = make.ticks(9, fps)
    pair = make.paired(scene(make, time, there_and_back(time)))[0]
    rows = list(contact_rows(pair, contacts(pair, LIMITS), LIMITS))
    assert len(rows) == 1
    row, sample = rows[0], 1_000_000 / fps
    # A gap of 0.005 counts as touching, one of more than 0.02 as apart.
    assert 1_950_000 <= row.time_us <= 1_950_000 + sample
    assert 6_200_000 <= row.end_us <= 6_200_000 + 2 * sample
    assert (row.track, row.other_track, row.label) == (0, 1, "gallbladder")
    assert row.value == 0.0
    assert row.resolution_us is None  # they only touch


def into(time):
    """Right edge: 0.4 at 0 s, at the tissue (0.6) at 2 s, 0.06 inside, back at 0.6 at 6 s."""
    now = np.asarray(time) / 1e6
    return 0.4 + 0.1 * np.minimum(2.6, np.minimum(now, 8 - now))


@pytest.mark.parametrize("fps", [1, 5, 12, 25])
@pytest.mark.parametrize("jitter", [0, 0.006])
def test_a_contact_says_how_finely_its_ends_are_known(make, fps, jitter):
    time = make.ticks(8, fps)
    noise = np.random.default_rng(3).uniform(-jitter, jitter, len(time))
    pair = make.paired(scene(make, time, into(time) + noise))[0]
    (row,) = contact_rows(pair, contacts(pair, LIMITS), LIMITS)
    assert row.resolution_us is not None
    assert max(abs(row.time_us - 2_000_000), abs(row.end_us - 6_000_000)) <= row.resolution_us
    assert row.resolution_us <= 400_000 + 20_000_000 * jitter + 2_000_000 / fps


def test_a_contact_that_nobody_saw_begin_or_end_has_no_dates(make):
    time = make.ticks(8, 5)
    for part in (time > 2_500_000, time < 5_500_000, (time > 2_500_000) & (time < 5_500_000)):
        pair = make.paired(scene(make, time[part], into(time)[part]))[0]
        (row,) = contact_rows(pair, contacts(pair, LIMITS), LIMITS)
        assert row.resolution_us is None


def test_a_gap_in_sight_widens_what_is_known_of_the_start(make):
    time = make.ticks(8, 5)
    seen = (time <= 1_000_000) | (time >= 2_400_000)
    pair = make.paired(scene(make, time[seen], into(time)[seen]))[0]
    (row,) = contact_rows(pair, contacts(pair, LIMITS), LIMITS)
    assert (row.time_us, row.resolution_us) == (2_400_000, 1_400_000)


def test_jitter_at_the_edge_is_one_contact(make):
    time = make.ticks(6, 25)
    edge = 0.598 + 0.008 * np.sin(np.arange(len(time)) * 2.1)
    pair = make.paired(scene(make, time, edge))[0]
    assert (pair.gap > LIMITS.touch).any()
    assert len(contacts(pair, LIMITS)) == 1


def test_short_partings_are_bridged_and_long_ones_not(make):
    time = make.ticks(6, 5)
    edge = np.full(len(time), 0.6)
    edge[8] = 0.5  # apart at one look, 0.2 s
    edge[15:20] = 0.5  # apart for a second
    pair = make.paired(scene(make, time, edge))[0]
    spans = [(int(pair.time_us[s.first]), s.end_us) for s in contacts(pair, LIMITS)]
    assert spans == [(0, 3_000_000), (4_000_000, 6_000_000)]


def test_a_contact_ends_where_sight_is_lost(make):
    time = np.array([0, 200_000, 400_000, 3_000_000, 3_200_000])
    pair = make.paired(scene(make, time, [0.6] * 5))[0]
    stays = contacts(pair, LIMITS)
    assert [(s.first, s.last, s.end_us) for s in stays] == [(0, 2, 600_000), (3, 4, 3_400_000)]
    assert not any(s.approached for s in stays)


def test_onset_is_the_first_touch_after_an_approach(make):
    time = make.ticks(9, 25)
    pair = make.paired(scene(make, time, there_and_back(time)))[0]
    found = list(onsets(pair, contacts(pair, LIMITS), ALL))
    assert [(o.time_us, o.source) for o in found] == [(1_960_000, "derive.onset.touch")]
    assert found[0].value == pytest.approx(0.1, abs=1e-6)


def test_no_onset_where_nobody_saw_the_approach(make):
    time = make.ticks(3, 5)
    pair = make.paired(scene(make, time, np.full(len(time), 0.7)))[0]
    assert len(contacts(pair, LIMITS)) == 1
    assert not list(onsets(pair, contacts(pair, LIMITS), ALL))


@pytest.mark.parametrize("fps", [5, 25])
def test_onset_by_deceleration_in_front_of_the_tissue(make, fps):
    """A tip that crosses a tissue's box at 0.2/s and stops at 2 s: no touch to be seen."""
    time = make.ticks(4, fps)
    edge = 0.62 + 0.2 * np.minimum(time / 1e6, 1.2)
    pair = make.paired(scene(make, time, edge))[0]
    found = list(onsets(pair, contacts(pair, LIMITS), ALL))
    assert [o.source for o in found] == ["derive.onset.deceleration"]
    assert abs(found[0].time_us - 1_200_000) <= 350_000
    assert found[0].value == pytest.approx(0.2, abs=0.01)


def test_a_camera_that_pans_makes_no_tool_brake(make):
    """Tool and tissue move together and stop together: at rest on each other throughout."""
    time = make.ticks(4, 5)
    shift = 0.15 * np.minimum(time / 1e6, 1.2)
    target = np.array(TISSUE_BOX) + shift[:, None] * [1, 0, 1, 0] - [0.1, 0, 0.1, 0]
    pair = make.paired(scene(make, time, 0.65 + shift, target))[0]
    assert np.nanmax(pair.speed) == 0.0
    assert not list(onsets(pair, contacts(pair, LIMITS), ALL))


def test_contact_with_a_mask_is_nearer_than_with_its_box(make):
    """A disc in a box: the tip in the box's corner touches the box and not the disc."""
    time = make.ticks(1, 5)
    y, x = np.mgrid[0:100, 0:100]
    disc = (x - 50) ** 2 + (y - 50) ** 2 <= 20**2
    table = make.boxes(
        make.box_rows(0, "instrument", "hook", time, [0.28, 0.28, 0.32, 0.32]),
        make.box_rows(1, "tissue", "gallbladder", time, [0.3, 0.3, 0.71, 0.71]),
    )
    assert make.paired(table)[0].gap.tolist() == [0.0] * 5
    outlines = make.masks(make.mask_rows(1, "gallbladder", time, [disc] * 5))
    away = make.paired(table, outlines)[0].gap
    assert away == pytest.approx(np.hypot(0.18, 0.18) - 0.20, abs=0.015)


def two_regions(make, time, boundary_us, gap_us=0):
    """A tip on the gallbladder (small, inside the liver's box), then on the liver alone."""
    time = time[(time < boundary_us) | (time >= boundary_us + gap_us)]
    x = np.where(time < boundary_us, 0.3, 0.7)
    return make.boxes(
        make.box_rows(0, "instrument", "hook", time, make.around(x, np.full(len(x), 0.5))),
        make.box_rows(1, "tissue", "liver", time, [0.1, 0.1, 0.9, 0.9]),
        make.box_rows(2, "tissue", "gallbladder", time, [0.2, 0.4, 0.4, 0.6]),
    )


def switched(make, table):
    pairs = make.paired(table)
    return list(switches(pairs, [contacts(p, LIMITS) for p in pairs], LIMITS))


@pytest.mark.parametrize("fps", [1, 5, 25])
def test_region_is_the_most_particular_tissue(make, fps):
    found = switched(make, two_regions(make, make.ticks(8, fps), 4_000_000))
    assert [(s.time_us, s.label, s.track, s.other_track) for s in found] == [
        (4_000_000, "liver", 0, 1)
    ]


def test_switch_needs_a_short_way(make):
    time = make.ticks(12, 5)
    assert len(switched(make, two_regions(make, time, 4_000_000, 1_500_000))) == 1
    assert not switched(make, two_regions(make, time, 4_000_000, 2_500_000))


def test_a_passing_touch_is_no_region(make):
    time = make.ticks(8, 25)
    x = np.full(len(time), 0.7)
    x[100:105] = 0.3  # 0.2 s on the gallbladder
    table = make.boxes(
        make.box_rows(0, "instrument", "hook", time, make.around(x, np.full(len(x), 0.5))),
        make.box_rows(1, "tissue", "liver", time, [0.1, 0.1, 0.9, 0.9]),
        make.box_rows(2, "tissue", "gallbladder", time, [0.2, 0.4, 0.4, 0.6]),
    )
    assert not switched(make, table)


@settings(max_examples=25)
@given(
    speed=st.floats(0.04, 0.25), amplitude=st.floats(0.05, 0.2), phase=st.floats(0, 6.28),
    shift=st.integers(0, 10**9),
)  # fmt: skip
def test_contacts_do_not_depend_on_rate_or_clock(make, speed, amplitude, phase, shift):
    """At 5 fps as at 25 fps within one sample of 5 fps; later by what the clock is later."""

    def spans(fps, late=0):
        time = make.ticks(12, fps)
        edge = 0.52 + amplitude * np.sin(speed * 20 * time / 1e6 + phase)
        pair = make.paired(scene(make, time + late, edge))[0]
        return [(int(pair.time_us[s.first]), s.end_us) for s in contacts(pair, LIMITS)]

    coarse, fine = spans(5), spans(25)
    assert spans(5, shift) == [(a + shift, b + shift) for a, b in coarse]
    long = [one for one in fine if one[1] - one[0] > 700_000 and one[0] > 0]
    for start, end in long:
        near = [one for one in coarse if one[0] < end and one[1] > start]
        assert near
        assert min(abs(one[0] - start) for one in near) <= 200_000


def drawn_pair(gap, speed=None) -> Pair:
    """A tool and a tissue every 100 ms, with their distances and the tip's speeds."""
    n = len(gap)
    tool, tissue = (SimpleNamespace(number=k, label="x") for k in range(2))
    zero = np.zeros(n)
    return Pair(tool, tissue, 100_000, np.arange(n) * 100_000, np.tile([0.0, 0, 1, 1], (n, 1)),
                np.zeros(n, int), np.array(gap), zero, zero,
                zero if speed is None else np.array(speed))  # fmt: skip


TOUCH, PART, REACH = LIMITS.touch, LIMITS.part, LIMITS.reach
MORE = 1.001


@cases(
    ("gap", "found"),
    [
        ([PART, TOUCH, PART, PART * MORE], [(1, 2, 300_000, False)]),
        ([PART * MORE, TOUCH * MORE, TOUCH], [(2, 2, 300_000, True)]),
        ([1, 0, 1, 1, 1, 0], [(1, 5, 600_000, True)]),
        ([1, 0, 1, 1, 1, 1, 0], [(1, 1, 200_000, True), (6, 6, 700_000, True)]),
    ],
)
def test_a_contact_whose_limits_are_met_exactly(gap, found):
    assert [(one.first, one.last, one.end_us, one.approached)
            for one in contacts(drawn_pair(gap), LIMITS)] == found  # fmt: skip


@pytest.mark.parametrize(("apart", "found"), [(9, [100_000]), (10, [100_000, 1_200_000])])
def test_touches_exactly_one_second_apart_are_one_onset(apart, found):
    pair = drawn_pair([1, 0, *[1] * apart, 0])
    stays = contacts(pair, LIMITS)
    assert [one.time_us for one in onsets(pair, stays, ALL)] == found


FAST, SLOW = LIMITS.brake_from, ALL.motion.slow


@cases(
    ("gap", "speed", "count"),
    [
        (REACH, [FAST, SLOW / MORE], 1), (REACH * MORE, [FAST, SLOW / MORE], 0),
        (REACH, [FAST, SLOW], 0), (REACH, [FAST / MORE, SLOW / MORE], 0),
        (REACH, [FAST, SLOW, SLOW / MORE], 1), (REACH, [FAST, *[SLOW / MORE] * 12], 1),
        (REACH, [FAST, *[SLOW] * 9, 0], 1), (REACH, [FAST, *[SLOW] * 10, 0], 0),
    ],
)  # fmt: skip
def test_a_deceleration_whose_limits_are_met_exactly(gap, speed, count):
    pair = drawn_pair([gap] * len(speed), speed)
    found = [one.value for one in onsets(pair, [], ALL)]
    assert found == [FAST] * count
