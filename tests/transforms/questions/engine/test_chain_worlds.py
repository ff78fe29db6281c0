"""No answer of a chain changes, and no wrong option is right, in any world of the labels."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from .chain_worlds import held
from .operations import drawn, programs, sample

LONG = bool(os.environ.get("SURGQA_LONG"))
WORLDS, MOST = (200, 60) if LONG else (6, 8)


@pytest.mark.parametrize("seed", range(60) if LONG else range(2))
def test_chains_about_drawn_operations_hold_in_every_world(seed):
    relation, tally = drawn(seed), Counter()
    for program in programs():
        found, bad = held(program, relation, random.Random(seed), WORLDS, MOST)
        assert not bad, f"{program.id}: {bad[:3]}"
        tally += found
    assert tally["chains"] >= 2


@pytest.mark.parametrize("name", ["unified", "cholect50"])
def test_chains_about_the_samples_hold_in_every_world(name, tmp_path_factory):
    relation = sample(name, tmp_path_factory.mktemp(name))
    total = Counter()
    for program in programs():
        found, bad = held(program, relation, random.Random(1), WORLDS, MOST)
        assert not bad, f"{program.id}: {bad[:3]}"
        total[program.id] = found["chains"]
    assert sum(total.values()) >= 6
