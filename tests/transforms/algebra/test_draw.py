"""Possible worlds that are drawn: what excludes each other never overlaps."""

from __future__ import annotations

import random

from surgqa.transforms.algebra.worlds.draw import Drawer
from tests.each import cases
from tests.transforms.algebra import drawn


@cases("seed", range(4))
def test_phases_follow_each_other_whatever_their_borders_are(seed: int):
    rng = random.Random(seed)
    relation = drawn.relation(rng, 1)
    drawer, phase = Drawer(relation, 0), relation.codes.code("phase")
    for _ in range(20):
        found = [one for one in drawer.draw(rng).facts if one.kind == phase]
        spans = sorted((one.s, one.e) for one in found)
        assert len(spans) > 2 and all(s < e for s, e in spans)
        assert all(e <= s for (_, e), (s, _) in zip(spans, spans[1:], strict=False))
