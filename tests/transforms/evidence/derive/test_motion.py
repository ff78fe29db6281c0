"""Tips, their speed, its peaks and stops."""

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.observed import MASKS
from surgqa.transforms.evidence.derive.motion import motion_of, peaks, stops, tips
from surgqa.transforms.evidence.derive.settings import MotionLimits
from surgqa.transforms.evidence.derive.tracks import earlier, grid_of, runs, tracks_of

LIMITS = MotionLimits()
NO_MASKS = MASKS.empty_table()


def one(make, time, box, **more):
    return tracks_of(make.boxes(make.box_rows(0, "instrument", "hook", time, box, **more)))[0]


def moved(make, time, x, y=0.5):
    track = one(make, time, make.around(x, np.full(len(time), y)))
    period = int(np.median(np.diff(time)))
    return track, motion_of(track, NO_MASKS, period, LIMITS), period


@pytest.mark.parametrize(
    ("box", "tip"),
    [
        ([0.4, 0.4, 0.6, 0.5], (0.5, 0.45)),  # clear of the edge: a tip box, its centre
        ([0.0, 0.3, 0.4, 0.5], (0.4, 0.4)),  # from the left: middle of the right side
        ([0.6, 0.3, 1.0, 0.5], (0.6, 0.4)),
        ([0.3, 0.6, 0.5, 1.0], (0.4, 0.6)),
        ([0.0, 0.6, 0.4, 1.0], (0.4, 0.6)),  # from the lower left corner: the upper right one
        ([0.7, 0.7, 0.995, 0.995], (0.7, 0.7)),
        ([0.0, 0.4, 1.0, 0.6], (0.5, 0.5)),  # from side to side: no telling, as if a tip box
    ],
)
def test_tip_of_a_box(make, box, tip):
    track = one(make, [0, 200_000], box)
    found, touching = tips(track, NO_MASKS, LIMITS)
    assert found[0] == pytest.approx(tip)
    if box[0] == 0.4 or box[2] - box[0] == 1.0:
        assert touching[0] == pytest.approx(box)
    else:
        assert touching[0] == pytest.approx([*tip, *tip])


def test_one_rule_for_a_whole_track(make):
    """A tip box that leaves over the edge keeps its centre; a shaft that is lost keeps its side."""
    inside, edge = [0.3, 0.3, 0.4, 0.4], [0.0, 0.3, 0.1, 0.4]
    tip_track = one(make, range(0, 1_000_000, 200_000), [inside] * 4 + [edge])
    assert tips(tip_track, NO_MASKS, LIMITS)[0][4] == pytest.approx((0.05, 0.35))
    shaft, lost = [0.0, 0.3, 0.4, 0.5], [0.1, 0.3, 0.4, 0.5]
    whole = one(make, range(0, 1_000_000, 200_000), [lost, shaft, shaft, lost, shaft])
    assert tips(whole, NO_MASKS, LIMITS)[0] == pytest.approx(np.tile([0.4, 0.4], (5, 1)))


def test_tip_of_a_mask_is_its_far_end(make):
    """A slanted shaft from the left edge: the box's corner would be off, the mask is not."""
    picture = np.zeros((100, 200), bool)
    for column in range(120):
        picture[20 + column // 2 : 24 + column // 2, column] = True
    times = [0, 200_000, 400_000]
    track = one(make, times, [0.0, 0.2, 0.6, 0.83])
    outlines = make.masks(make.mask_rows(0, "hook", times, [picture] * 3))
    found, touching = tips(track, outlines, LIMITS)
    assert found[0] == pytest.approx((0.6, 0.815), abs=0.02)
    assert (touching[:, :2] == touching[:, 2:]).all()
    other = make.masks(make.mask_rows(0, "grasper", times, [picture] * 3))
    assert tips(track, other, LIMITS)[0][0] == pytest.approx((0.6, 0.515))


def test_masks_clear_of_the_edge_are_tips(make):
    picture = np.zeros((100, 100), bool)
    picture[40:50, 40:60] = True
    track = one(make, [0, 200_000], [0.4, 0.4, 0.6, 0.5])
    outlines = make.masks(make.mask_rows(0, "hook", [0, 200_000], [picture] * 2))
    assert tips(track, outlines, LIMITS)[0][0] == pytest.approx((0.5, 0.45))


@pytest.mark.parametrize("fps", [1, 5, 25])
def test_speed_of_steady_motion(make, fps):
    time = make.ticks(6, fps)
    _, motion, _ = moved(make, time, 0.2 + 0.1 * time / 1e6)
    known = ~np.isnan(motion.speed)
    assert motion.speed[known] == pytest.approx(0.1, abs=1e-6)
    assert known.sum() >= len(time) - 3


def test_one_wild_sample_does_not_move_the_smoothed_speed(make):
    time = make.ticks(4, 5)
    x = np.full(len(time), 0.5)
    x[10] += 0.1
    _, motion, _ = moved(make, time, x)
    # Out and back are two fast steps, of which the median of three keeps those in the middle.
    assert (motion.speed[12:] == 0).all()
    assert (motion.speed[1:10] == 0).all()


def test_no_speed_across_a_gap(make):
    time = np.array([0, 200_000, 400_000, 2_000_000, 2_200_000])
    track, motion, _ = moved(make, time, np.array([0.1, 0.12, 0.14, 0.8, 0.82]))
    assert motion.run.tolist() == [0, 0, 0, 1, 1]
    assert np.isnan(motion.speed).tolist() == [True, False, False, True, False]
    assert motion.speed[4] == pytest.approx(0.1)


@pytest.mark.parametrize("fps", [5, 10, 25])
def test_peak_and_stop(make, fps):
    """Rest, one smooth stroke of 0.3 units between 2 s and 4 s (peak 0.3/s at 3 s), rest."""
    time = make.ticks(8, fps)
    share = np.clip((time / 1e6 - 2) / 2, 0, 1)
    x = 0.3 + 0.3 * (share - np.sin(2 * np.pi * share) / (2 * np.pi))
    track, motion, period = moved(make, time, x)
    top = list(peaks(track, motion, LIMITS))
    assert [p.kind for p in top] == ["speed_peak"]
    assert abs(top[0].time_us - 3_000_000) <= 200_000
    assert top[0].value == pytest.approx(0.3, rel=0.05)
    rest = list(stops(track, motion, period, LIMITS))
    assert len(rest) == 1
    assert abs(rest[0].time_us - 3_900_000) <= 250_000
    assert rest[0].end_us == int(time[-1]) + period
    assert rest[0].value < LIMITS.still


def test_a_short_rest_is_no_stop(make):
    time = make.ticks(5, 5)
    moving = np.ones(len(time)) * 0.02
    moving[10:12] = 0.0
    track, motion, period = moved(make, time, 0.1 + np.cumsum(moving))
    assert not list(stops(track, motion, period, LIMITS))


def test_boxes_of_one_instant_by_origin_then_score(make):
    rows = make.box_rows(0, "instrument", "hook", [0], [0.1, 0.1, 0.2, 0.2], origin="interpolated")
    rows += make.box_rows(0, "instrument", "hook", [0], [0.3, 0.3, 0.4, 0.4], score=0.5)
    rows += make.box_rows(0, "instrument", "grasper", [0], [0.5, 0.5, 0.6, 0.6], score=0.6)
    track = tracks_of(make.boxes(rows))[0]
    assert track.label == "hook"
    assert track.box.tolist() == [[0.5, 0.5, 0.6, 0.6]]


def test_boxes_without_a_track_are_left_out(make):
    table = make.boxes(make.box_rows(None, "instrument", "hook", [0, 1], [0.1, 0.1, 0.2, 0.2]))
    assert tracks_of(table) == []
    assert tracks_of(table.slice(0, 0)) == []


def test_grid(make):
    fine = grid_of({"frames": make.looks(make.ticks(4, 5))})
    assert (fine.period_us, fine.time_us[-1]) == (200_000, 3_800_000)
    coarse = make.boxes(
        make.box_rows(0, "instrument", "hook", [0, 1_000_000, 3_000_000], [0.1, 0.1, 0.2, 0.2])
    )
    grid = grid_of({"frames": make.looks(make.ticks(4, 5)), "boxes": coarse})
    assert (grid.period_us, grid.time_us.tolist()) == (1_000_000, [0, 1_000_000, 3_000_000])
    assert (grid.before(1_000_000), grid.after(1_000_000), grid.after(3_000_000)) == (
        0, 3_000_000, None,
    )  # fmt: skip


def test_earlier_is_the_nearest_before():
    time = np.array([0, 40, 80, 200, 210, 1000])
    assert earlier(time, 100).tolist() == [-1, 0, 0, 2, 2, 4]
    assert earlier(time, 100, runs(time, 300)).tolist() == [-1, 0, 0, 2, 2, -1]
    assert earlier(time[:0], 100).tolist() == []


def test_masks_as_numpy_sees_them(make):
    """Entries and far ends by strips are those of all pixels, runs over line ends included."""
    from surgqa.transforms.evidence.derive import masks as outlines

    dice = np.random.Generator(np.random.PCG64(5))
    pictures = dice.uniform(size=(6, 12, 16)) < 0.4
    pictures[2] = True
    times = list(range(6))
    table = make.masks(make.mask_rows(3, "hook", times, pictures))
    rows = np.arange(6)
    parts = outlines.strips(table, rows)
    for n, picture in enumerate(pictures):
        drawn = np.zeros_like(picture)
        for x1, y1, x2, _ in parts.box[parts.mask == n]:
            drawn[round(y1 * 12), round(x1 * 16) : round(x2 * 16)] = True
        assert (drawn == picture).all()
    target = np.tile([0.3, 0.3, 0.3, 0.3], (6, 1))
    far = outlines.far_ends(table, rows, target[:, :2])
    away = outlines.distance_to(table, rows, target)
    for n, picture in enumerate(pictures):
        ys, xs = np.nonzero(picture)
        dx = np.maximum(np.maximum(xs / 16 - 0.3, 0.3 - (xs + 1) / 16), 0)
        dy = np.maximum(np.maximum(ys / 12 - 0.3, 0.3 - (ys + 1) / 12), 0)
        assert away[n] == pytest.approx(np.sqrt(dx**2 + dy**2).min())
        ends = np.stack([np.concatenate([xs, xs + 1]) / 16, np.tile((ys + 0.5) / 12, 2)], 1)
        most = np.sqrt(((ends - 0.3) ** 2).sum(1)).max()
        assert np.sqrt(((far[n] - 0.3) ** 2).sum()) == pytest.approx(most)


def test_an_empty_mask_is_nowhere(make):
    from surgqa.transforms.evidence.derive import masks as outlines

    row = make.mask_rows(0, "hook", [0], [np.ones((2, 2), bool)])[0] | {"counts": [4]}
    table = pa.Table.from_pylist([row], schema=MASKS)
    rows = np.array([0])
    assert np.isinf(outlines.distance_to(table, rows, np.zeros((1, 4))))
    assert np.isnan(outlines.far_ends(table, rows, np.zeros((1, 2)))).all()
    assert np.isnan(outlines.entries(table, rows, 0.01)).all()
