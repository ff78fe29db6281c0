"""Where what a detector did not see is known to be absent."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.fitness import ClassFitness, Fitness
from surgqa.ontology.records import InstrumentTable
from surgqa.transforms.readers.observed.absence import absence_of, away, stretched
from tests.each import cases
from tests.transforms.timeline.videos import Seen, box_at, table

S = 1_000_000
LONG = 3600 * S
HOOK = Seen("hook", box_at(0.5, 0.5))
CLASSES = ("grasper", "hook")


def looked(*seconds: int, length: int = 12) -> InstrumentTable:
    """Twelve seconds of which some show the hook."""
    return table({t * S: [HOOK] if t in seconds else [] for t in range(length)})


def gone(made: InstrumentTable, fitness: Fitness, name: str = "hook",
         reviewed: tuple[int, ...] = ()) -> list[int]:  # fmt: skip
    """Seconds at which the class is known to be absent where it is not seen."""
    found = absence_of(made, CLASSES, fitness, [t * S for t in reviewed], S)
    return np.flatnonzero(found.gone[:, found.labels.index(name)]).tolist()


def measured(**more: object) -> Fitness:
    told = {"classes": {"hook": ClassFitness(2 * S)}, "reach_us": LONG, **more}
    return Fitness("x", **told)  # type: ignore[arg-type]


def test_nothing_is_absent_that_was_not_measured():
    assert gone(looked(), Fitness()) == []
    assert gone(looked(), measured(), "grasper") == []


def test_a_measured_class_is_absent_away_from_where_it_is_seen():
    assert gone(looked(4), measured()) == [1, 7, 8, 9, 10, 11]


def test_a_person_saw_all_that_is_in_view():
    assert gone(looked(4), Fitness(), reviewed=(3, 9)) == [3, 9]
    assert gone(looked(4), Fitness(), "stapler", reviewed=(3,)) == [3]
    found = absence_of(looked(4), CLASSES, Fitness(), [4 * S], S)
    assert np.flatnonzero(found.alone[:, found.labels.index("hook")]).tolist() == [4]


def test_a_class_that_the_detector_does_not_know():
    """It is absent where that was measured, unless a person drew one in this video."""
    assert gone(looked(), measured(), "stapler") == []
    assert gone(looked(), measured(complete=True), "stapler") == list(range(1, 12))
    drawn = table({t * S: [Seen("stapler", box_at(0.5, 0.5))] if t == 4 else [] for t in range(9)})
    assert gone(drawn, measured(complete=True), "stapler", reviewed=(4, 5)) == [4, 5]


def test_absence_at_instants_says_nothing_of_the_time_between():
    assert gone(looked(), measured(reach_us=0)) == [1, 3, 5, 7, 9, 11]


def test_a_stretch_of_absence_is_no_longer_than_was_measured():
    whole = stretched(np.arange(100) * S, 30 * S, S)
    assert np.flatnonzero(~whole).tolist() == [0, 30, 60, 90]


@cases(("seen", "far"), [([], [2**63 - 1] * 3), ([5], [5, 0, 4]), ([3, 8], [3, 2, 1])])
def test_how_far_away(seen: list[int], far: list[int]):
    found = away(np.array([0, 5, 9]), np.array(seen, np.int64))
    assert found.tolist() == far
