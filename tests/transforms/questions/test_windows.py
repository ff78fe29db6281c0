"""Windows of stages: as long as they must be, at a drawn place within their limits."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ontology.keys import Key
from transforms.algebra.operators.near.times import rows_around
from transforms.questions.stages import _beyond, _joined
from transforms.questions.windows import PLACES, placed, width

S = 1_000_000


def test_a_window_is_as_long_as_it_must_be():
    assert width((0, 4 * S), 20 * S, 10 * S) == 20 * S
    assert width((0, 14 * S), 20 * S, 10 * S) == 24 * S


@pytest.mark.parametrize("salt", range(10))
def test_a_window_holds_what_it_is_around_and_keeps_to_its_limits(salt):
    found = set()
    for turn in range(len(PLACES)):
        start, end = placed((40 * S, 44 * S), 20 * S, (0, 100 * S), Key(salt), turn)
        assert end - start == 20 * S and start < 40 * S and end > 44 * S
        found.add(start)
    assert len(found) == len(PLACES)
    assert placed((1 * S, 5 * S), 20 * S, (0, 100 * S), Key(salt)) == (0, 20 * S)
    assert placed((97 * S, 99 * S), 20 * S, (0, 100 * S), Key(salt)) == (80 * S, 100 * S)


@pytest.mark.parametrize(("before", "after"), [(0, 0), (1, 9), (12, 1), (30, 0)])
def test_around_a_row_a_window_is_the_same_whichever_of_its_times_is_right(before, after):
    """What it holds, an action say, begins so long before the right time and ends so long after."""
    found = set()
    for place in range(4):
        at = (40 + 2 * place) * S
        held = at - before * S, at + after * S
        drawn = rows_around(at, 3, [place], 2 * S, Fraction(25))
        found.add(_joined(held, drawn, _beyond(held, (at, at), S)))
    assert len(found) == 1
