"""What single parts of the rendered scene look like."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.pipeline.demo.anatomy import HEIGHT, POOL, POOL_AXES, WIDTH
from surgqa.pipeline.demo.scene import _draw_pool
from surgqa.pipeline.demo.script import scripts


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
