"""Windows of stages: as long as they must be, at a drawn place within their limits."""

from __future__ import annotations

import pytest

from ontology.keys import Key
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
