"""Steps between pictures, cuts, fades and light."""

import cv2
import numpy as np
import pytest

from surgqa.transforms.evidence.derive.settings import ShotLimits
from surgqa.transforms.evidence.derive.shots import changes_of_picture, shots
from surgqa.transforms.evidence.derive.steps import (
    colour_step,
    dhash_distance,
    fill_steps,
    gradient_likeness,
    luma_step,
)

LIMITS = ShotLimits()


def video(make, fps, seconds, share, light=None, **more):
    """Picture A turns into picture B by ``share`` (0 to 1, of time in seconds)."""
    time = make.ticks(seconds, fps)
    a, b = make.thumb(1).astype(float), make.thumb(2).astype(float)
    ha, hb = make.histogram(1).astype(float), make.histogram(2).astype(float)
    mixed = np.array([share(t / 1e6) for t in time])
    lit = np.ones(len(time)) if light is None else np.array([light(t / 1e6) for t in time])
    grey = [
        np.clip((a + (b - a) * s) * g, 0, 255).astype(np.uint8)
        for s, g in zip(mixed, lit, strict=True)
    ]
    colours = [np.floor(ha + (hb - ha) * s).astype(np.uint16) for s in mixed]
    return make.frames(time, grey, colours, **more)


def told(table):
    return [(c.kind, c.label, c.time_us, c.source) for c in changes_of_picture(table, LIMITS)]


def test_steps_by_hand():
    black, white = np.zeros(2304, np.uint8), np.full(2304, 255, np.uint8)
    half = np.concatenate([black[:1152], white[:1152]])
    assert float(luma_step(black, white)) == 1.0
    assert float(luma_step(black, half)) == 0.5
    one, two = np.zeros(256, np.uint16), np.zeros(256, np.uint16)
    one[3], two[[3, 4]] = 65535, (32768, 32767)
    assert float(colour_step(one, one)) == 0.0
    assert float(colour_step(one, np.roll(one, 1))) == 1.0
    assert float(colour_step(one, two)) == pytest.approx(np.sqrt(1 - np.sqrt(0.5)), abs=1e-4)
    assert np.isnan(colour_step(one, one * 0))
    assert dhash_distance(np.array([0, 2**64 - 1], np.uint64), np.uint64(3)).tolist() == [2, 62]


def test_colour_step_is_opencvs(make):
    a, b = make.histogram(4), make.histogram(5)
    theirs = cv2.compareHist(a.astype(np.float32), b.astype(np.float32), cv2.HISTCMP_BHATTACHARYYA)
    assert float(colour_step(a, b)) == pytest.approx(theirs, abs=1e-5)


def test_gradients_know_light_from_another_picture(make):
    picture, darker, other = (make.thumb(*one).ravel() for one in ((1,), (1, 0.5), (2,)))
    assert gradient_likeness(picture, darker) > 0.99
    assert abs(gradient_likeness(picture, other)) < 0.4
    assert gradient_likeness(picture, np.zeros_like(picture)) == 0.0


def test_filled_steps(make):
    time = make.ticks(1, 5)
    grey = [make.thumb(n // 2) for n in range(5)]
    colours = [make.histogram(n // 2) for n in range(5)]
    table = make.frames(time, grey, colours, trusted=[True, True, False, True, True])
    expected = [None, 0.0, None, None, float(luma_step(grey[3].ravel(), grey[4].ravel()))]
    assert table["luma_step"].to_pylist() == expected
    assert table["colour_step"].to_pylist()[1] == 0.0
    assert table["colour_step"].to_pylist()[4] == float(colour_step(colours[3], colours[4]))
    # The same whether the table comes in one piece or in several.
    pieces = [table.slice(0, 2), table.slice(2, 1), table.slice(3)]
    import pyarrow as pa

    assert fill_steps(pa.concat_tables(pieces)).equals(table)
    assert len(fill_steps(table.slice(0, 0))) == 0


@pytest.mark.parametrize("fps", [1, 5, 25])
def test_a_cut_is_found_once(make, fps):
    table = video(make, fps, 12, lambda t: float(t >= 6))
    assert told(table) == [("cut", None, 6_000_000, "derive.cut.sudden")]
    stored = table.drop_columns(["thumb", "histogram"])
    stored = stored.append_column("thumb", [[None] * len(table)]).append_column(
        "histogram", [[None] * len(table)]
    )
    stored = stored.select(table.schema.names).cast(table.schema)
    assert told(stored) == told(table)


@pytest.mark.parametrize("fps", [5, 25])
@pytest.mark.parametrize("length", [0.6, 1.2])
def test_a_fade_is_found_in_its_middle(make, fps, length):
    table = video(make, fps, 12, lambda t: min(max((t - 5) / length, 0), 1))
    assert [one[:2] + one[3:] for one in told(table)] == [("cut", None, "derive.cut.gradual")]
    assert abs(told(table)[0][2] - (5 + length / 2) * 1e6) <= 200_000


@pytest.mark.parametrize("fps", [1, 5, 25])
def test_light_that_goes_down_is_no_cut(make, fps):
    table = video(make, fps, 12, lambda t: 0.0, lambda t: 1.0 if t < 6 else 0.35)
    assert told(table) == [("illumination", "darker", 6_000_000, "derive.illumination.sudden")]


def test_light_that_goes_down_slowly(make):
    table = video(make, 25, 12, lambda t: 0.0, lambda t: 1 - 0.65 * min(max(t - 6, 0), 1))
    found = told(table)
    assert [one[:2] for one in found] == [("illumination", "darker")]
    assert abs(found[0][2] - 6_500_000) <= 200_000


def test_other_colours_on_the_same_structure(make):
    time = make.ticks(6, 5)
    colours = [make.histogram(1 if t < 3e6 else 2) for t in time]
    table = make.frames(time, [make.thumb(1)] * len(time), colours)
    assert [one[:3] for one in told(table)] == [("illumination", "colour", 3_000_000)]


def test_black_is_another_picture(make):
    time = make.ticks(6, 5)
    grey = [make.thumb(1) if t < 3e6 else np.zeros((36, 64), np.uint8) for t in time]
    table = make.frames(time, grey, [make.histogram(1 if t < 3e6 else 2) for t in time])
    assert [one[:3] for one in told(table)] == [("cut", None, 3_000_000)]


def test_a_cut_behind_damaged_frames(make):
    time = make.ticks(6, 5)
    grey = [make.thumb(1 if t < 3e6 else 2) for t in time]
    colours = [make.histogram(1 if t < 3e6 else 2) for t in time]
    short = make.frames(time, grey, colours, [not 2.9e6 < t < 3.3e6 for t in time])
    found = told(short)
    assert [one[0] for one in found] == ["cut"]
    assert abs(found[0][2] - 3_000_000) <= 600_000
    long = make.frames(time, grey, colours, [not 2.1e6 < t < 4.5e6 for t in time])
    assert told(long) == []  # too far apart to be compared


def test_pictures_far_apart_are_not_compared(make):
    assert told(video(make, 0.5, 40, lambda t: float(t >= 20))) == []


def test_shots_tile_the_video(make):
    cuts = changes_of_picture(video(make, 5, 12, lambda t: float(t >= 6)), LIMITS)
    spans = [(s.start_us, s.end_us, s.kind, s.level) for s in shots(cuts, 12_000_000)]
    assert spans == [(0, 6_000_000, "shot", 1), (6_000_000, 12_000_000, "shot", 1)]
    assert [(s.start_us, s.end_us) for s in shots([], 5)] == [(0, 5)]


def test_rendered_cuts_and_no_other(scenes, make):
    """Two cuts to other tissue, moving tools, flickering light: the cuts that exceed the limit."""
    scene = scenes.Scene(11, seconds=12, fps=5, cuts_s=(4.0, 8.0), tools=("hook", "grasper"))
    grey, colours = [], []
    for frame in range(scene.frames):
        picture = scene.picture(frame)
        small = cv2.resize(picture, (64, 36), interpolation=cv2.INTER_AREA)
        grey.append(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY))
        hsv = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV)
        counts = np.histogram2d(
            hsv[..., 0].ravel(), hsv[..., 1].ravel(), bins=16, range=((0, 180), (0, 256))
        )[0].ravel()
        colours.append(np.floor(counts / counts.sum() * 65535).astype(np.uint16))
    table = make.frames(scene.times_us(), grey, colours)
    steps = np.array(table["colour_step"].to_pylist()[1:])
    at = np.array(table["time_us"].to_pylist()[1:])
    true = np.isin(at, [4_000_000, 8_000_000])
    assert steps[true].min() > 2 * steps[~true].max()
    expected = at[true & (steps > LIMITS.colour_step)].tolist()
    assert [c.time_us for c in changes_of_picture(table, LIMITS) if c.kind == "cut"] == expected
