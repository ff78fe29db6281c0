"""Shipped templates ask only what is so in every world that the labels allow."""

from __future__ import annotations

import os
import random
from functools import cache
from pathlib import Path

import pytest

from ontology.records import Window
from tests.transforms.algebra import drawn
from tests.transforms.questions.shipped import hold
from transforms.language.load import load_programs
from transforms.language.program import Program
from transforms.places import place
from transforms.questions.units import Units, clips
from transforms.registry import datasets, load_reader, load_sample
from transforms.timeline import build_timeline
from transforms.timeline.relation import Relation
from transforms.timeline.relation.gather import relation_of
from transforms.windows.clips import cut_clips

SEEDS = range(100) if os.environ.get("SURGQA_LONG") else range(2)
CLIP = 20_000_000


@cache
def programs() -> list[Program]:
    return [one for one in load_programs() if one.unit.kind != "chain"]


def cut(relation: Relation) -> Units:
    """Clips of twenty seconds, one after the other."""
    return clips([
        (video, Window("clip", f"{video} {start}", start, start + CLIP))
        for video, one in enumerate(relation.recordings)
        for start in range(0, one.duration_us - CLIP, CLIP)
    ])  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_no_world_contradicts_what_shipped_templates_ask(seed: int) -> None:
    rng = random.Random(seed)
    relation = drawn.relation(rng, 4)
    tally = hold(rng, relation, cut(relation), programs(), fillings=4, worlds=12)
    assert tally.bad == []
    assert tally.held.total() > 500
    assert len(tally.held) > 20


SAMPLES = ("cholect50", "multibypass140", "unified")
if os.environ.get("SURGQA_LONG"):
    SAMPLES = tuple(datasets())


@pytest.mark.parametrize("name", SAMPLES)
def test_no_world_contradicts_what_is_asked_of_samples(name: str, tmp_path: Path) -> None:
    load_sample(name)(tmp_path)
    reader = load_reader(name)(place(tmp_path))
    known = [(one, build_timeline(one)) for one in map(reader.read, reader.videos())]
    relation = relation_of(known)
    windows = [
        (video, window)
        for video, (one, timeline) in enumerate(known)
        if timeline is not None
        for window in cut_clips(one.video, timeline.table.instants_us).windows
    ]
    tally = hold(random.Random(0), relation, clips(windows), programs(), fillings=3, worlds=6)
    assert tally.bad == []
