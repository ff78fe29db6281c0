"""Windows of stages: as long as they must be, at a drawn place within their limits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from surgqa.ontology.keys import Key
from surgqa.transforms.algebra.operators.pools.times import rows_around
from surgqa.transforms.questions.stages import _beyond, _joined
from surgqa.transforms.questions.windows import PLACES, placed, shares_of
from tests.each import cases

S = 1_000_000


def around(held: tuple[int, int], share: int) -> tuple[int, int]:
    """A window of 20 s in 100 s around something, at a share of its free time."""
    found = placed(np.array([held]) * S, np.array([20 * S]), np.array([[0, 100 * S]]),
                   np.array([share]))  # fmt: skip
    ((start, end),) = found.tolist()
    return start, end


@cases("salt", range(10))
def test_a_window_holds_what_it_is_around_and_keeps_to_its_limits(salt):
    found, shares = set(), shares_of(Key(salt))
    for share in shares:
        start, end = around((40, 44), share)
        assert end - start == 20 * S and start < 40 * S and end > 44 * S
        found.add(start)
    assert len(found) == len(PLACES)
    assert around((1, 5), shares[0]) == (0, 20 * S)
    assert around((97, 99), shares[0]) == (80 * S, 100 * S)


@cases(("before", "after"), [(0, 0), (1, 9), (12, 1), (30, 0)])
def test_around_a_row_a_window_is_the_same_whichever_of_its_times_is_right(before, after):
    """What it holds, an action say, begins so long before the right time and ends so long after."""
    found = set()
    for place in range(4):
        at = (40 + 2 * place) * S
        held = at - before * S, at + after * S
        drawn = rows_around(at, 3, [place], 2 * S, Fraction(25))
        found.add(_joined(held, drawn, _beyond(held, (at, at), S)))
    assert len(found) == 1
