"""No answer of a chain changes, and no wrong option is right, in any world of the labels."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from transforms.questions import pools

from .chain_worlds import held
from .operations import drawn, program, programs, sample

LONG = bool(os.environ.get("SURGQA_LONG"))
WORLDS, MOST = (200, 60) if LONG else (6, 8)


@pytest.mark.parametrize("seed", range(60) if LONG else range(2))
def test_chains_about_drawn_operations_hold_in_every_world(seed):
    relation, tally = drawn(seed), Counter()
    for one in programs():
        found, bad = held(one, relation, random.Random(seed), WORLDS, MOST)
        assert not bad, f"{one.id}: {bad[:3]}"
        tally += found
    assert tally["chains"] >= 2


@pytest.mark.parametrize("name", ["unified", "cholect50"])
def test_chains_about_the_samples_hold_in_every_world(name, tmp_path_factory):
    relation = sample(name, tmp_path_factory.mktemp(name))
    total = Counter()
    for one in programs():
        found, bad = held(one, relation, random.Random(1), WORLDS, MOST)
        assert not bad, f"{one.id}: {bad[:3]}"
        total[one.id] = found["chains"]
    assert sum(total.values()) >= 6


def test_worlds_tell_where_conditions_on_options_are_not_kept(monkeypatch):
    monkeypatch.setattr(pools, "ruled_out", lambda unless, alias, offered, of, rows: offered)
    found = [held(program(name), drawn(seed), random.Random(seed), WORLDS, MOST)[1]
             for name in ("affordance", "micro_transition") for seed in range(2)]  # fmt: skip
    assert {what for bad in found for _, what, _ in bad} == {"a wrong option may be right"}
