"""Boxes in motion, made by hand, for the tests of linking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.observed import BOXES

ASPECT = 16 / 9


@dataclass
class Film:
    """Rows of boxes; see ``add``."""

    fps: float = 25.0
    instants: int = 50
    rows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def times_us(self) -> np.ndarray:
        return np.round(np.arange(self.instants) * 1e6 / self.fps).astype(np.int64)

    def add(
        self, at: int, x: float, y: float, label: str = "grasper", *, score: float = 0.8,
        size: float = 0.1, kind: str = "instrument", origin: str = "detector",
        looks: bytes | None = None,
    ) -> None:  # fmt: skip
        """A square box with its centre at (x, y)."""
        half = size / 2
        self.rows.append({
            "time_us": int(self.times_us[at]), "frame": at, "kind": kind, "label": label,
            "x1": x - half, "y1": y - half, "x2": x + half, "y2": y + half, "score": score,
            "visibility": None, "state": None, "appearance": looks, "track": None,
            "origin": origin,
        })  # fmt: skip

    def table(self) -> pa.Table:
        return pa.Table.from_pylist(self.rows, schema=BOXES)


@pytest.fixture
def film() -> Callable[..., Film]:
    """Makes an empty film: frames a second, number of instants."""
    return Film


@pytest.fixture
def tracked() -> Callable[..., pa.Table]:
    """``link_table`` with one frame an instant and default settings, or others."""
    from surgqa.transforms.evidence.link import LinkSettings, link_table

    def run(made: Film, table: pa.Table | None = None, **settings: Any) -> pa.Table:
        boxes = made.table() if table is None else table
        numbers = np.arange(made.instants)
        return link_table(boxes, made.times_us, numbers, LinkSettings(**settings), ASPECT)

    return run
