"""Cues before an action: approach, positioning, speech, a camera that moves in."""

import numpy as np
import pytest

from surgqa.ontology.observed import BOXES
from surgqa.transforms.evidence.derive.camera import camera_moves
from surgqa.transforms.evidence.derive.cues import approaches, intents, positioned
from surgqa.transforms.evidence.derive.settings import (
    ContactLimits,
    CueLimits,
    DeriveSettings,
    MotionLimits,
)
from surgqa.transforms.evidence.derive.tracks import grid_of, tracks_of

CONTACT, CUES = ContactLimits(), CueLimits()
STRICT = CueLimits(smooth_us=0, jitter=0.0)


def pair_of(make, time, x, y=None):
    """A tip at x, and a tissue whose centre is (0.8, 0.5) and whose left edge is at 0.7."""
    y = np.full(len(time), 0.5) if y is None else y
    return make.paired(make.boxes(
        make.box_rows(0, "instrument", "hook", time, make.around(np.asarray(x, float), y)),
        make.box_rows(1, "tissue", "gallbladder", time, [0.7, 0.4, 0.9, 0.6]),
    ))[0]  # fmt: skip


def found(pair, limits=CUES):
    return [(a.time_us, a.end_us, a.value) for a in approaches(pair, CONTACT, limits)]


@pytest.mark.parametrize("fps", [5, 10, 25])
def test_approach_from_rest_until_touch(make, fps):
    """Rests at 0.3 until 2 s, then 0.1/s; its edge touches at 0.66, that is at 5.6 s."""
    time = make.ticks(8, fps)
    x = np.minimum(0.3 + 0.1 * np.maximum(time / 1e6 - 2, 0), 0.7)
    cues = found(pair_of(make, time, x))
    assert len(cues) == 1
    start, end, fall = cues[0]
    sample = 1_000_000 // fps
    # The start is the last instant within the jitter (0.01: 0.1 s) of the top.
    assert 2_000_000 - sample <= start <= 2_100_000
    assert 5_550_000 - sample <= end < 5_600_000
    assert fall == pytest.approx((end - start) / 1e7, abs=0.01)
    strict = found(pair_of(make, time, x), STRICT)
    assert [(a, f) for a, _, f in strict] == [(2_000_000, pytest.approx((end - 2e6) / 1e7))]


@pytest.mark.parametrize(
    ("rate", "seconds", "said"),
    [
        (0.10, 0.6, 1),  # by 0.06 in 0.6 s
        (0.10, 0.5, 1),  # exactly the limits: at least 0.05 over at least 0.5 s
        (0.20, 0.4, 0),  # too short, though by 0.08
        (0.06, 0.7, 0),  # too little
    ],
)
def test_limits_of_the_rule(make, rate, seconds, said):
    time = make.ticks(4, 10)
    going = np.clip(time / 1e6 - 1, 0, seconds)
    assert len(found(pair_of(make, time, 0.3 + rate * going), STRICT)) == said


def test_a_step_back_ends_it(make):
    time = make.ticks(3, 5)
    x = 0.3 + 0.1 * time / 1e6
    x[8:] -= 0.04  # 0.02 more than it goes on in one sample
    assert [(a, b) for a, b, _ in found(pair_of(make, time, x))] == [
        (0, 1_400_000), (1_600_000, 2_800_000)
    ]  # fmt: skip
    x[8:] += 0.015  # less than the jitter
    pair = pair_of(make, time, x)
    assert [(a, b) for a, b, _ in found(pair)] == [(0, 2_800_000)]
    assert [(a, b) for a, b, _ in found(pair, STRICT)] == [(0, 1_400_000), (1_600_000, 2_800_000)]


def test_a_standstill_ends_it(make):
    time = make.ticks(8, 10)
    way = np.clip(time / 1e6, 0, 1) + np.clip(time / 1e6 - 5, 0, 1)
    assert [(a, b) for a, b, _ in found(pair_of(make, time, 0.3 + 0.1 * way), STRICT)] == [
        (0, 1_000_000), (5_000_000, 6_000_000)
    ]  # fmt: skip


def test_touching_is_no_approach(make):
    time = make.ticks(3, 10)
    assert not found(pair_of(make, time, 0.66 + 0.04 * time / 1e6))


def test_approach_at_one_frame_a_second(make):
    time = make.ticks(5, 1)
    assert found(pair_of(make, time, [0.3, 0.3, 0.4, 0.5, 0.66])) == [(1_000_000, 3_000_000, 0.2)]


def test_positioned_not_engaged(make):
    """At rest from 2 s to 4 s, its edge 0.02 from the tissue; then it touches."""
    time = make.ticks(6, 10)
    now = time / 1e6
    x = np.where(now < 4, np.minimum(0.44 + 0.1 * now, 0.64), 0.67)
    rows = list(positioned(pair_of(make, time, x), DeriveSettings()))
    assert len(rows) == 1
    assert abs(rows[0].time_us - 2_100_000) <= 200_000
    assert rows[0].end_us == 3_900_000
    assert rows[0].value == pytest.approx(0.02)
    assert not list(positioned(pair_of(make, time, x - 0.1), DeriveSettings()))


def test_spoken_intent(make):
    said = make.anchors(
        (1_000_000, 2_000_000, "dissection", "clip", True),
        (3_000_000, 4_000_000, "dissection", "cut", False),
        (5_000_000, 6_000_000, "dissection", None, True),
        (7_000_000, 8_000_000, None, "cut", None),
    )
    rows = [(r.time_us, r.end_us, r.label, r.track) for r in intents(said, CUES)]
    assert rows == [(1_000_000, 2_000_000, "clip", None)]


def zoomed(make, fps, centres, zoom, kinds=("tissue", "tissue")):
    """Boxes of half size 0.05 about their centres, scaled about the frame's middle."""
    time = make.ticks(8, fps)
    scale = zoom(time / 1e6)
    parts = []
    for n, ((x, y), kind) in enumerate(zip(centres, kinds, strict=True)):
        box = make.around(0.5 + (x - 0.5) * scale, 0.5 + (y - 0.5) * scale, 0.05 * scale)
        parts.append(make.box_rows(n, kind, f"thing{n}", time, box))
    table = make.boxes(*parts)
    return list(
        camera_moves(tracks_of(table), grid_of({"boxes": table}).period_us, MotionLimits(), CUES)
    )


def around_half(x, y, half):
    return np.stack([x - half, y - half, x + half, y + half], axis=-1)


@pytest.mark.parametrize("fps", [2, 5, 25])
def test_camera_moves_in_and_out(make, fps):
    """From 2 s to 4 s everything grows by 20 % a second, from 5 s to 6 s it shrinks again."""
    way = [(0.3, 0.4), (0.6, 0.6)]

    def zoom(now):
        return 1.2 ** (np.clip(now - 2, 0, 2) - 2 * np.clip(now - 5, 0, 1))

    rows = zoomed(make, fps, way, zoom)
    assert [r.kind for r in rows] == ["camera_in", "camera_out"]
    inward, outward = rows
    assert abs(inward.time_us - 2_000_000) <= 800_000
    assert abs(inward.end_us - 4_000_000) <= 1_000_000
    assert inward.value == pytest.approx(1.2, abs=0.01)
    assert abs(outward.time_us - 5_000_000) <= 1_000_000
    assert outward.value < 1


def test_one_box_that_grows_is_no_camera(make):
    def zoom(now):
        return 1.2 ** np.clip(now - 2, 0, 2)

    assert not zoomed(make, 5, [(0.4, 0.4)], zoom, ("tissue",))
    assert not zoomed(make, 5, [(0.4, 0.4), (0.6, 0.6)], zoom, ("instrument", "instrument"))
    assert zoomed(make, 5, [(0.4, 0.4), (0.6, 0.6)], zoom, ("instrument", "tissue"))
    time = make.ticks(8, 5)
    size = 0.05 * zoom(time / 1e6)
    table = make.boxes(
        make.box_rows(0, "tissue", "liver", time, make.around(0.4, 0.4, size)),
        make.box_rows(1, "tissue", "gallbladder", time, make.around(0.7, 0.7, size * 0 + 0.05)),
    )
    assert not list(camera_moves(tracks_of(table), 200_000, MotionLimits(), CUES))


def test_no_tracks_no_camera():
    assert not list(camera_moves(tracks_of(BOXES.empty_table()), 200_000, MotionLimits(), CUES))
