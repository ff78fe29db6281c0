"""When a detector's silence may be believed, against cases worked out by hand."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest

from surgqa.ontology.fitness import ClassFitness
from surgqa.transforms.labelling.fitness import Entitling, ReviewedVideo, fitness_of, lower, upper
from tests.transforms.labelling.conftest import SECOND

BLOCK = 30
SETTINGS = Entitling(risk=0.1, guards_us=(10 * SECOND, 3 * SECOND, 0))
"""At a risk of 10 % it takes 29 blocks without a mistake, since 0.9 ** 29 < 0.05."""


def film(
    blocks: int, true: Collection[int] = (), seen: Collection[int] = (), *,
    reviewed: Collection[int] | None = None, other: Collection[int] = (), more: int = 1,
) -> ReviewedVideo:  # fmt: skip
    """Blocks of 30 s at one instant a second; seconds with a hook, and with it seen.

    Args:
        reviewed: seconds; all of them where it is left out.
        other: seconds with an instrument that the detector does not know.
        more: hooks in view where there are some.
    """
    times = np.arange(blocks * BLOCK)
    looked = np.array(sorted(times.tolist() if reviewed is None else reviewed), np.int64)

    def at(seconds: Collection[int], within: np.ndarray, count: int = 1) -> np.ndarray:
        return np.isin(within, sorted(seconds)).astype(np.int64) * count

    return ReviewedVideo("A", times * SECOND, {"hook": at(seen, times)}, looked,
                {"hook": at(true, looked, more), "stapler": at(other, looked)})  # fmt: skip


def hook(made: ReviewedVideo, settings: Entitling = SETTINGS) -> ClassFitness:
    return fitness_of([made], ["hook"], "x", settings).fitness.of("hook")


def test_bounds_of_a_share():
    assert upper(0, 598, 0.95) == pytest.approx(0.005, abs=5e-6)
    assert upper(1, 20, 0.95) == pytest.approx(0.2161, abs=1e-4)
    assert lower(3, 20, 0.95) == pytest.approx(0.0422, abs=1e-4)
    assert (upper(0, 0, 0.95), upper(3, 3, 0.95), lower(0, 9, 0.95)) == (1, 1, 0)


def test_without_enough_reviewed_frames_nothing_is_absent():
    assert hook(film(28)).guard_us is None
    assert hook(film(29)).guard_us == 0


def test_frames_of_one_block_count_once():
    assert hook(film(29, reviewed=[*range(28 * BLOCK)])).guard_us is None


def test_the_guard_is_as_wide_as_what_was_missed_beside_a_presence():
    """The hook is there for 10 s in every block and seen 2 s late: 2 s are missed, no more."""
    true = [b * BLOCK + s for b in range(60) for s in range(5, 15)]
    assert hook(film(60, true, [t for t in true if t % BLOCK >= 7])).guard_us == 3 * SECOND
    assert hook(film(60, true, true)).guard_us == 0
    assert hook(film(60, true, [t for t in true if t % BLOCK >= 11])).guard_us == 10 * SECOND
    assert hook(film(60, true, [t for t in true if t % BLOCK >= 8])).guard_us == 3 * SECOND


def test_presences_that_were_never_seen_forbid_absence():
    assert hook(film(60, range(10 * BLOCK, 13 * BLOCK))).guard_us is None


def test_single_frames_allow_instants_and_whole_blocks_stretches():
    single = fitness_of([film(60, reviewed=range(7, 60 * BLOCK, BLOCK))], ["hook"], "x", SETTINGS)
    assert (single.fitness.of("hook").guard_us, single.fitness.reach_us) == (0, 0)
    whole = fitness_of([film(60)], ["hook"], "x", SETTINGS).fitness
    assert whole.reach_us == int(BLOCK * SECOND * 0.1 / upper(0, 60, 0.95)) > 2 * BLOCK * SECOND


def test_more_of_a_class_in_view_than_seen():
    every = range(60 * BLOCK)
    assert hook(film(60, every, every)).alone
    assert not hook(film(60, every, every, more=2)).alone


def test_a_class_that_is_seen_where_it_is_not_is_not_believed():
    seen = range(60 * BLOCK)
    assert hook(film(60, seen, seen)).believed
    assert not hook(film(60, range(30 * BLOCK), seen)).believed


def test_few_frames_disprove_nothing():
    assert hook(film(2, (), range(BLOCK)), Entitling()).believed is False
    assert hook(film(1), Entitling()).believed is True


def test_instruments_that_the_detector_does_not_know():
    assert fitness_of([film(60)], ["hook"], "x", SETTINGS).fitness.complete
    found = fitness_of([film(60, other=range(10 * BLOCK))], ["hook"], "x", SETTINGS).fitness
    assert not found.complete
    assert found.of("hook").guard_us == 0


def test_classes_that_together_are_missed_too_often_lose_the_worst():
    """Each is missed in 5 of 120 blocks, never in the same one: 10 of 120 are too many."""
    one = film(120, range(0, 5 * BLOCK, BLOCK))
    other = np.roll(one.true["hook"], 60 * BLOCK)
    both = ReviewedVideo(
        "A", one.times_us, {}, one.reviewed, {"hook": one.true["hook"], "clipper": other}
    )
    found = fitness_of([both], ["hook", "clipper"], "x", SETTINGS).fitness
    assert upper(5, 120, 0.95) < 0.1 < upper(10, 120, 0.95)
    assert sum(found.of(name).guard_us is not None for name in ("hook", "clipper")) == 1
