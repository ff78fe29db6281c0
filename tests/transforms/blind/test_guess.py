"""The guesser finds planted shortcuts, and finds none where there is none."""

from __future__ import annotations

import pytest

from surgqa.transforms.blind.guess import MARGIN, guess
from tests.transforms.blind.worlds import (
    PLAIN,
    SHORTCUTS,
    often_low,
    said_before,
    same_as_before,
    world,
)


@pytest.mark.parametrize("maker", SHORTCUTS, ids=lambda maker: maker.__name__)
def test_a_planted_shortcut_is_found(maker):
    least, structural, rules = SHORTCUTS[maker]
    asks = world(maker)
    found = guess(said_before(asks) if maker is same_as_before else asks)
    assert found.best >= least
    assert max(share for name, share in found.rules if name in rules) >= least
    assert dict(found.rules)[found.rule] >= least
    assert found.sure == structural
    if structural:
        assert found.structural >= least
        assert dict(found.rules)[found.structural_rule] >= least
        assert found.excess > MARGIN


def test_of_lists_that_are_offered_whole_the_world_alone_tells():
    assert guess(world(often_low)).structural is None


def shown(maker, worlds: int) -> tuple[int, int, float]:
    """Of so many worlds of a kind: intervals without chance, findings, and the mean excess."""
    found = [guess(world(maker, key)) for key in range(worlds)]
    outside = sum(not one.interval[0] <= one.chance <= one.interval[1] for one in found)
    mean = sum(one.best - one.chance for one in found) / worlds
    return outside, sum(one.sure for one in found), mean


@pytest.mark.parametrize("maker", PLAIN, ids=lambda maker: maker.__name__)
def test_where_nothing_can_be_guessed_nothing_is(maker):
    outside, findings, mean = shown(maker, 6)
    assert outside <= 1
    assert findings == 0
    assert abs(mean) < 0.03


@pytest.mark.nightly
@pytest.mark.parametrize("maker", PLAIN, ids=lambda maker: maker.__name__)
def test_of_many_worlds_few_intervals_miss_chance(maker):
    """Of 95 % intervals 2 of 40 miss, and half of those above; a finding lies beyond the margin."""
    outside, findings, mean = shown(maker, 40)
    assert outside <= 5
    assert findings <= 1
    assert abs(mean) < 0.012
