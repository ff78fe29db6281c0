"""Tables of frames from a few columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.observed import FRAMES


@pytest.fixture(scope="session")
def frames() -> Callable[..., pa.Table]:
    """Rows of ``FRAMES``: good pictures, one a second, but for the columns that are given."""

    def make(count: int, step_us: int = 1_000_000, **columns: Any) -> pa.Table:
        values = {
            "time_us": np.arange(count) * step_us, "frame": np.arange(count),
            "trusted": np.ones(count, bool), "luma": np.full(count, 0.4),
            "contrast": np.full(count, 0.2), "sharpness": np.full(count, 400.0),
            "dark_share": np.full(count, 0.1), "inside": np.full(count, 0.9),
            "overlay_share": np.zeros(count), "dhash": np.arange(count),
        } | columns  # fmt: skip
        arrays = [
            pa.array(values[f.name], f.type, from_pandas=True)
            if f.name in values
            else pa.nulls(count, f.type)
            for f in FRAMES
        ]
        return pa.Table.from_arrays(arrays, schema=FRAMES)

    return make
