"""Right chains of every task pass, alone and as a dataset."""

from __future__ import annotations

import pytest

from transforms.checks import Severity

from .right_chains import RIGHT
from .world import ChainWorld

DIFFERENT = [name for name in RIGHT if name != "anomaly with places"]
"""No two of them are about one event."""


@pytest.fixture
def world(tmp_path) -> ChainWorld:
    return ChainWorld(tmp_path / "out")


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_chain_passes(world, name):
    assert world.problems(world.chain(RIGHT[name]())) == []


def test_all_right_chains_pass_as_a_dataset(world):
    for name in DIFFERENT:
        world.chain(RIGHT[name]())
    report = world.check()
    assert [f"{f.code}: {f.detail}" for f in report.findings if f.severity is Severity.ERROR] == []
    assert sum(report.recomputed.values()) == 4 * len(DIFFERENT)
    assert report.recomputed["surgcot/causal_action_ordering/q3"] == 2
    assert set(report.templates) >= {"surgcot.cue_action_alignment/main",
                                     "surgcot.cue_action_alignment/q1"}  # fmt: skip
