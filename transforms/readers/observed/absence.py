"""Find where an object that a detector did not see is known to be absent."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from surgqa.ontology.absence import Absence
from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.fitness import Fitness
from surgqa.ontology.records import Books, Code, InstrumentTable, Rejected
from surgqa.transforms.readers.observed.facts import ObservedVideo

CLASSES = "classes known to be absent"
UNMEASURED = "how often the detector misses {} was not measured: its absence is unknown"
MISSES = "the detector was not shown to miss {} seldom enough: its absence is unknown"
WRONG = "reviewers found other things in boxes of this class"


def absence_of(
    table: InstrumentTable, classes: Collection[str], fitness: Fitness,
    reviewed_us: Collection[int], period_us: int,
) -> Absence:  # fmt: skip
    """Return, for each instant and instrument of the ontology, whether absence is known.

    At instants that a person reviewed, everything in view is listed. At other instants, a class
    counts as absent if its measured fitness allows this. A class that the detector does not know,
    and that a person drew somewhere in the video, never counts as absent there.

    Args:
        classes: instruments that the detector knows.
        reviewed_us: instants that a person reviewed.
    """
    labels = tuple(sorted({*vocabulary("instruments"), *table.labels}))
    times = table.instants_us
    gone = np.zeros((len(times), len(labels)), bool)
    alone = np.zeros_like(gone)
    whole = stretched(times, fitness.reach_us, period_us)
    for column, name in enumerate(labels):
        code = table.labels.index(name) if name in table.labels else len(table.labels)
        seen = times[np.unique(table.sample[table.label == code])]
        known = fitness.of(name)
        if name in classes and known.guard_us is not None:
            gone[:, column] = whole & (away(times, seen) > known.guard_us)
            alone[:, column] = known.alone
        elif name not in classes and fitness.complete and not len(seen):
            gone[:, column] = whole
    here = np.isin(times, np.array(sorted(reviewed_us), np.int64))
    gone[here] = alone[here] = True
    return Absence(labels, gone, alone)


def away(times_us: np.ndarray, seen_us: np.ndarray) -> np.ndarray:
    """Return int64 (T,), the distance of each time from the nearest of some other times.

    Without other times, the distance is unlimited.

    Args:
        times_us: int64 (T,).
        seen_us: int64 (S,), ascending.
    """
    far = np.iinfo(np.int64).max
    if not len(seen_us):
        return np.full(len(times_us), far)
    place = np.searchsorted(seen_us, times_us)
    before = times_us - seen_us[np.maximum(place - 1, 0)]
    after = seen_us[np.minimum(place, len(seen_us) - 1)] - times_us
    return np.minimum(np.where(place > 0, before, far), np.where(place < len(seen_us), after, far))


def stretched(times_us: np.ndarray, reach_us: int, period_us: int) -> np.ndarray:
    """Return bool (T,), True for all instants except the first in each period of ``reach_us``.

    A run of True instants is therefore shorter than ``reach_us``, the longest interval for which
    absence was measured. If only single instants were measured (0), every second instant is False.
    """
    if not len(times_us):
        return np.zeros(0, bool)
    cell = times_us // max(reach_us, 2 * period_us)
    return np.append(False, cell[1:] == cell[:-1])


def doubts(
    key: str, facts: ObservedVideo, fitness: Fitness, boxes: Books
) -> tuple[Rejected, ...]:  # fmt: skip
    """Return rejections that state what is not concluded from a detector's boxes, and why.

    These are the classes that are never known to be absent, and boxes of classes that are often
    wrong (``boxes`` counts them).
    """
    out = []
    measured = fitness.classes is not None
    for name in facts.classes or ():
        if fitness.of(name).guard_us is None:
            why = MISSES.format(name) if measured else UNMEASURED.format(name)
            out.append(Rejected("read", key, Code.UNMEASURED, why, CLASSES))
    if boxes.rejected:
        out.append(Rejected("read", key, Code.UNMEASURED, WRONG, "boxes", boxes.rejected))
    return tuple(out)
