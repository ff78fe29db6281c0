"""Units: what each question of a template is about, and the window that it may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontology.records import Window
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Range, Stretch, Value
from transforms.timeline.relation import Relation, on_axis


@dataclass(frozen=True, slots=True)
class Units:
    """Places at which a template may ask.

    Attributes:
        windows: of each unit, in microseconds of its recording.
        video: int64 (n,), index of each unit's recording.
    """

    windows: tuple[Window, ...]
    video: np.ndarray


def clips(windows: Sequence[tuple[int, Window]]) -> Units:
    """Units of questions about clips: (video, window) pairs."""
    return Units(tuple(w for _, w in windows), np.array([v for v, _ in windows], np.int64))


def rows_of(relation: Relation, units: Units) -> Rows:
    """One row for each unit, with what every unit knows: ``window`` and ``video``.

    A window of labels ends one microsecond after its last annotated instant: what follows nobody
    looked at.
    """
    start = on_axis(units.video, np.array([w.start_us for w in units.windows], np.int64))
    end = on_axis(units.video, np.array([w.end_us for w in units.windows], np.int64))
    end = np.array([_last(relation, v, a, b) for v, a, b in
                    zip(units.video.tolist(), start.tolist(), end.tolist(), strict=True)], np.int64)  # fmt: skip
    names: dict[str, Value] = {
        "window": Stretch(Range.exact(start), Range.exact(end)),
        "video": _recordings(relation, units.video),
    }
    return Rows(relation, units.video, names)


def _last(relation: Relation, video: int, start: int, end: int) -> int:
    grid = relation.instants.get(video, np.zeros(0, np.int64))
    place = int(np.searchsorted(grid, end, "left")) - 1
    return int(grid[place]) + 1 if place >= 0 and grid[place] >= start else end


def _recordings(relation: Relation, video: np.ndarray) -> Stretch:
    length = np.array([one.duration_us for one in relation.recordings], np.int64)
    start = on_axis(video, 0)
    return Stretch(Range.exact(start), Range.exact(start + length[video]))
