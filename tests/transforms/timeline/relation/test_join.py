"""Joining recordings: each of them is in the whole what it is alone."""

from __future__ import annotations

import random

import numpy as np
import pytest

from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation import SHIFT, Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from surgqa.transforms.timeline.relation.join import MARKS, TIMES, joined
from surgqa.transforms.timeline.relation.table import CODES, NONE
from tests.transforms.algebra.drawn import evidence


@pytest.fixture(scope="module")
def alone() -> list[Relation]:
    rng = random.Random(7)
    found = [evidence(rng, f"v{k}") for k in range(4)]
    return [relation_of([(one, build_timeline(one))]) for one in found]


def _named(relation: Relation, codes: np.ndarray) -> list[str]:
    return [relation.codes.name(code) for code in codes.tolist()]


@pytest.mark.parametrize("table", ["facts", "holes"])
def test_each_recording_has_the_rows_that_it_has_alone(alone, table):
    whole = joined(alone)
    for k, one in enumerate(alone):
        mine, own = getattr(whole, table), getattr(one, table)
        mine = mine.take(mine.video == k)
        assert len(mine) == len(own) > 0
        for name in own.__slots__:
            a, b = getattr(mine, name), getattr(own, name)
            if name in CODES:
                assert _named(whole, a) == _named(one, b), name
            elif name in TIMES:
                assert np.array_equal(a - (k << SHIFT), b), name
            elif name not in ("video", "proof", "grp", *MARKS):
                assert np.array_equal(a, b, equal_nan=b.dtype.kind == "f"), name


def test_facts_and_holes_are_in_order_of_time(alone):
    whole = joined(alone)
    assert (np.diff(whole.facts.s0) >= 0).all()
    assert (np.diff(whole.holes.u0) >= 0).all()
    keys = whole.samples["track"].astype(np.int64), whole.samples["t"]
    assert np.array_equal(np.lexsort(keys[::-1]), np.arange(len(keys[0])))


def test_what_facts_share_they_share_with_no_other_recording(alone):
    facts = joined(alone).facts
    for name in ("grp", "proof", "s_mark"):
        column = getattr(facts, name)
        owners: dict[int, set[int]] = {}
        for number, video in zip(column.tolist(), facts.video.tolist(), strict=True):
            if number != NONE:
                owners.setdefault(number, set()).add(video)
        assert owners and all(len(videos) == 1 for videos in owners.values()), name
    marks = [getattr(facts, name) for name in MARKS]
    for k in range(len(alone) - 1):
        before = max(int(m[facts.video <= k].max()) for m in marks)
        after = [m[(facts.video > k) & (m != NONE)] for m in marks]
        assert min(int(m.min()) for m in after if len(m)) > before


def test_proofs_samples_and_instants_are_those_of_each(alone):
    whole = joined(alone)
    for k, one in enumerate(alone):
        mine = np.flatnonzero(whole.facts.video == k).tolist()
        assert [whole.proofs[whole.facts.proof[i]] for i in mine] == [
            one.proofs[p] for p in one.facts.proof.tolist()]  # fmt: skip
        here = whole.samples["t"] >> SHIFT == k
        assert sorted(map(tuple, whole.samples["box"][here].tolist())) == sorted(
            map(tuple, one.samples["box"].tolist()))  # fmt: skip
        assert np.array_equal(whole.instants[k] - (k << SHIFT), one.instants[0])
        assert {kind for v, kind in whole.looked if v == k} == {kind for _, kind in one.looked}
        assert {kind: f for (v, kind), f in whole.looked_for.items() if v == k} == {
            kind: f for (_, kind), f in one.looked_for.items()}  # fmt: skip
    assert [r for one in alone for r in one.recordings] == list(whole.recordings)


def test_one_alone_is_itself(alone):
    assert joined(alone[:1]) is alone[0]
