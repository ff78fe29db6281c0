"""What single parts of the rendered scene look like."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.pipeline.demo.anatomy import HEIGHT, POOL, POOL_AXES, WIDTH
from surgqa.pipeline.demo.scene import _draw_pool, prepare, render
from surgqa.pipeline.demo.script import DemoScript, scripts
from tests.each import cases


def pool_at(time_s: float) -> np.ndarray:
    """(columns, rows) where the pool is drawn; no columns where there is none."""
    (script,) = [one for one in scripts() if any(act.verb == "irrigate" for role in one.roles
                                                 for act in role.acts)]  # fmt: skip
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    _draw_pool(image, script, time_s)
    return np.array(np.nonzero(image.any(axis=2))[::-1])


def test_irrigation_fills_a_pool_around_its_place():
    assert not pool_at(27.0).size
    half, whole = pool_at(30.0), pool_at(33.0)
    assert 0 < half.shape[1] < whole.shape[1]
    middle = (whole.min(axis=1) + whole.max(axis=1)) / 2
    assert middle == pytest.approx(POOL, abs=2)
    assert np.ptp(whole[0]) == pytest.approx(2 * POOL_AXES[0] * 0.85**0.5, abs=6)


WEIGHTS = np.random.default_rng(0).random((HEIGHT, WIDTH, 3))
DESIGNED = {
    "VID901": [35260508, 34788653, 34964103, 34914167, 35053898, 35088062, 35010471, 35124021,
               34671870, 34673576, 34970213, 35026168, 35041142],
    "VID902": [34648812, 35294010, 34842968, 35297930, 34785868, 34809277, 34786699, 34836750,
               34554529, 34761624, 35036948, 34409933, 34704019, 35011697],
    "VID903": [37746796, 37561236, 36931859, 35807547, 35939150, 35943681, 36326654, 35359758,
               35786161, 35799825, 35414245, 35665168],
}  # fmt: skip
"""Sum of a picture's values, each with its own weight, every 4.7 s: changed only on purpose."""


@cases("script", scripts(), ids=lambda script: script.video_id)
def test_pictures_are_those_that_were_designed(script: DemoScript):
    """Drawn backwards, and with room for the rounding of other processors, which adds up to 8."""
    stage = prepare(script)
    times = np.arange(0.3, script.seconds, 4.7)
    sums = [float((render(stage, time) * WEIGHTS).sum()) for time in times[::-1]]
    assert sums[::-1] == pytest.approx(DESIGNED[script.video_id], abs=40)
