"""Facts that are certainly near enough are one."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.merge import merged
from tests.each import cases
from tests.transforms.questions.made import relation
from tests.transforms.timeline.videos import RETRACT, Seen, box_at

S = 1_000_000
APART_US = 5 * S - 1
"""From when the hook is last seen to when it is seen again, which both are certain."""


@cases(
    ("gap", "ends"),
    [(0, [3.5, 11.5]), (APART_US - 1, [3.5, 11.5]), (APART_US, [11.5]), (9 * S, [11.5])],
)
def test_a_gap_is_bridged_where_it_is_certainly_no_longer(gap: int, ends: list[float]):
    hook = [Seen("hook", box_at(0.3, 0.5), RETRACT)]
    known = relation({t: hook if t < 4 or 8 <= t < 12 else [] for t in range(20)})
    facts = known.facts.take(np.flatnonzero(known.facts.kind == known.codes.code("instrument")))
    found = merged(facts, ("label",), gap, known.holes, known.codes)
    assert (found.e / S).tolist() == ends
