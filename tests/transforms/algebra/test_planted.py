"""Every mistake of a comparison is found: by an example of a border, and most by random worlds."""

from __future__ import annotations

import random

import pytest

from surgqa.transforms.algebra.worlds.force import hold
from tests.transforms.algebra import drawn, test_borders
from tests.transforms.algebra.planted import MISTAKES, Mistake

IDS = [f"{n}-{mistake.module.split('.')[1]}" for n, mistake in enumerate(MISTAKES)]


@pytest.mark.parametrize("mistake", MISTAKES, ids=IDS)
def test_an_example_finds_a_mistake(mistake: Mistake, monkeypatch: pytest.MonkeyPatch):
    example = getattr(test_borders, f"test_{mistake.found}")
    example()
    mistake.plant(monkeypatch)
    with pytest.raises(AssertionError):
        example()


@pytest.mark.nightly
@pytest.mark.parametrize("mistake", [m for m in MISTAKES if m.worlds], ids=lambda m: m.right[:40])
def test_random_worlds_find_a_mistake(mistake: Mistake, monkeypatch: pytest.MonkeyPatch):
    mistake.plant(monkeypatch)
    for seed in range(60):
        rng = random.Random(seed)
        relation = drawn.relation(rng, 4)
        programs = [drawn.program(rng) for _ in range(40)]
        if hold(rng, relation, programs, times=6, worlds=15)[1]:
            return
    pytest.fail("no random world contradicts it")
