"""The renderer itself: what tests take for the truth must be in the pictures."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from surgqa.ontology.observed import BOXES


def test_a_seed_decides_all(scenes: ModuleType) -> None:
    first, again, other = (scenes.Scene(seed, 4, 2) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.picture(3), again.picture(3))
    np.testing.assert_array_equal(first.truth.box_px, again.truth.box_px)
    assert (first.picture(3) != other.picture(3)).mean() > 0.5


def test_other_rates_show_the_same_motion(scenes: ModuleType) -> None:
    slow, fast = scenes.Scene(8, 10, 1).truth, scenes.Scene(8, 10, 25).truth
    seconds = fast.where(np.isin(fast.time_us, slow.time_us))
    for name in ("time_us", "label", "track", "box_px", "tip_xy", "visible"):
        np.testing.assert_array_equal(getattr(slow, name), getattr(seconds, name))


@pytest.mark.parametrize("seed", range(3))
def test_masks_lie_in_boxes_and_instruments_hide_one_another(scenes: ModuleType, seed: int) -> None:
    scene = scenes.Scene(seed, 10, 1, busy=1.0, targets=("gallbladder", "liver"))
    truth, hidden = scene.truth, 0
    for row in range(len(truth.frame)):
        mask = scene.mask(int(truth.frame[row]), int(truth.track[row]))
        assert mask.any() == (truth.visible[row] > 0)
        ys, xs = np.nonzero(mask)
        x1, y1, x2, y2 = truth.box_px[row]
        if len(xs):
            assert xs.min() >= x1 - 1.5
            assert xs.max() <= x2 + 1.5
            assert ys.min() >= y1 - 1.5
            assert ys.max() <= y2 + 1.5
        hidden += truth.visible[row] < 0.9
    assert hidden > 5
    for frame in range(scene.frames):
        tools = truth.track[(truth.frame == frame) & (truth.kind == "instrument")]
        cover = sum(scene.mask(frame, t).astype(int) for t in tools)
        assert np.max(cover) <= 1


def test_who_comes_back_after_long_has_a_new_track(scenes: ModuleType) -> None:
    truth = scenes.Scene(3, 60, 5).truth
    assert len(np.unique(truth.track)) > len(np.unique(truth.instance))
    for instance in np.unique(truth.instance):
        own = truth.where(truth.instance == instance)
        gaps = np.diff(own.time_us)[np.diff(own.track) != 0]
        assert (gaps >= 4_000_000).all()


def test_the_table_is_one_of_observed_boxes(scenes: ModuleType) -> None:
    table = scenes.Scene(3, 10, 2, targets=("gallbladder",)).boxes()
    assert table.schema.equals(BOXES)
    assert {"instrument", "tissue"} == set(table["kind"].to_pylist())
    times = table["time_us"].to_numpy()
    assert (np.diff(times) >= 0).all()


def test_a_film_shows_the_pictures(scenes: ModuleType, tmp_path: Path) -> None:
    import av

    scene = scenes.Scene(3, 2, 5)
    scene.write(tmp_path / "film.mp4")
    with av.open(str(tmp_path / "film.mp4")) as film:
        shown = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(shown) == scene.frames
    for number, picture in enumerate(shown):
        assert np.abs(picture.astype(int) - scene.picture(number)).mean() < 6
