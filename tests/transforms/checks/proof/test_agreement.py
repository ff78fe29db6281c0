"""The proof agrees with the engine: every shipped template over every reader's sample."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from surgqa.transforms.checks.codes import CODES, Severity
from surgqa.transforms.checks.run import check_output
from surgqa.transforms.registry import datasets
from tests.transforms.checks.proof.outputs import OF_THE_FOLDER, built, shipped

LONG = bool(os.environ.get("SURGQA_LONG"))
BENCHMARKS = ("surgstu", "medstream", "sapbench", "surgveo", "surgcot", "examples")
SHORT = {
    "cholect50": ("target_now", "targets_touched", "touch_while_in_view", "dominant_verb"),
    "unified": ("tool_left",),
    "autolaparo": ("frame_order", "longest_pause"),
}
"""Sample -> templates that it is asked when time is short: what was once told otherwise."""


@pytest.mark.parametrize("reading", ["worlds", "labels"])
@pytest.mark.parametrize("name", sorted(datasets()) if LONG else sorted(SHORT))
def test_no_difference(name: str, reading: str, tmp_path: Path):
    files = [file for file in shipped(*BENCHMARKS) if LONG or file.stem in SHORT[name]]
    report = check_output(str(built(tmp_path, name, files, reading).path))
    told = {code for code in report.counts if CODES[code][0] is not Severity.INFO}
    assert not told - set(OF_THE_FOLDER)
    assert sum(report.recomputed.values()) == report.items
    assert report.items or LONG
