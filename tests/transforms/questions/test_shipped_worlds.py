"""Shipped templates ask only what is so in every world that the labels allow.

By day one drawn recording and two samples in a few worlds; with SURGQA_LONG more than 200,000
worlds of items.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from surgqa.transforms.language.program import Program
from surgqa.transforms.questions import pools
from surgqa.transforms.registry import datasets
from tests.transforms.questions import every_kind
from tests.transforms.questions.item_worlds import Tally, asked, hold
from tests.transforms.questions.shipped import Known, cut, programs, recordings, sample

LONG = bool(os.environ.get("SURGQA_LONG"))
DRAWN, WORLDS, MOST = (range(60), 30, 3) if LONG else (range(1), 4, 1)
SAMPLES = tuple(datasets()) if LONG else ("cholect50", "multibypass140")
OFTEN = 20_000_000
REAL = ("VID68", "VID73", "VID74")
NO_CASE = ("aixsuture", "colonoscopic_web", "cvc_clinicdb", "endovis17_vqla")
"""Samples of single pictures, or of films that are not there and have no known length: of them
no shipped template asks anything."""


def films(rng: random.Random, quiet: bool = False) -> Known:
    """Drawn recordings, and clips of them."""
    relation = every_kind.relation(rng, 3, every_kind.labels_named(programs()), quiet)
    return relation, cut(relation)


@cache
def often() -> tuple[Program, ...]:
    """The templates as asked every 20 s: drawn recordings are short."""
    return tuple(
        replace(one, unit=replace(one.unit, every=min(one.unit.every, OFTEN)))
        if one.unit.every else one for one in programs()
    )  # fmt: skip


def drawn(
    seed: int, templates: Sequence[Program], worlds: int, most: int, quiet: bool = False
) -> Tally:
    """What is asked of drawn recordings, held."""
    rng = random.Random(seed)
    return hold(rng, *films(rng, quiet), templates, worlds, most)


@pytest.mark.parametrize("seed", DRAWN)
def test_no_world_contradicts_what_is_asked_of_drawn_recordings(seed: int):
    tally = drawn(seed, often(), WORLDS, MOST)
    assert tally.bad == []
    assert len(tally.pairs) > 60
    assert sum(tally.pairs.values()) > 300
    assert tally.options > 200


@pytest.mark.parametrize("seed", DRAWN)
def test_no_world_contradicts_an_alert(seed: int):
    streams = [one for one in programs() if one.unit.kind == "stream"]
    tally = drawn(seed, streams, WORLDS, MOST, quiet=True)
    assert tally.bad == []
    assert len(tally.pairs) > 3


@pytest.mark.parametrize("name", SAMPLES)
def test_no_world_contradicts_what_is_asked_of_samples(name: str, tmp_path: Path):
    tally = hold(random.Random(0), *sample(name, tmp_path), programs(), WORLDS, MOST)
    assert tally.bad == []
    assert tally.pairs or name in NO_CASE


@pytest.mark.nightly
@pytest.mark.parametrize("video", REAL)
def test_no_world_contradicts_what_is_asked_of_real_operations(video: str, real_dataset):
    (known,) = recordings("cholect50", real_dataset("cholect50-challenge-val"), (video,))
    tally = hold(random.Random(0), *known, programs(), WORLDS, MOST)
    assert tally.bad == []
    assert len(tally.pairs) > 5


@pytest.mark.nightly
def test_every_template_is_held_against_worlds(tmp_path: Path):
    """Each has an item in a recording of the tests above, but for what these are too short for."""
    left = {one.id: one for one in often()}
    known = [films(random.Random(seed), quiet) for quiet in (False, True) for seed in range(60)]
    for name in datasets():
        (tmp_path / name).mkdir()
        known.append(sample(name, tmp_path / name))
    for relation, units in known:
        for one in list(left.values()):
            if asked(one, relation, units)[0]:
                del left[one.id]
    assert sorted(left) == ["medstream.state_next.gesture"]


def test_worlds_tell_where_conditions_on_options_are_not_kept(monkeypatch):
    monkeypatch.setattr(pools, "ruled_out", lambda unless, alias, offered, of, rows: offered)
    chains = [one for one in programs() if one.unit.kind == "chain"]
    told = [line for seed in ((6, 8) if LONG else (6,)) for line in drawn(seed, chains, 6, 2).bad]
    assert told and all("a wrong option" in line or "the wrong option" in line for line in told)
