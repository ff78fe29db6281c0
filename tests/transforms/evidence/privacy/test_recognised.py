"""Planted identifiers in recognised speech, eight voices: how many are masked, and what else is.

``python tests/transforms/evidence/privacy/measure.py`` prints the figures by kind and voice.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

import measure  # noqa: E402

LEAST_PLANTED = 400
MOST_OVER = 0.02
RECALL = {
    "tune": (0.97, 0.995),
    "more": (0.96, 0.96),
    "third": (0.98, 0.995),
    "held": (0.96, 0.98),
}
"""Of what is told, and of what is left as it was said; rules were corrected on all but the last."""


def test_the_set_is_large_enough():
    recordings = measure.recordings()
    for part in RECALL:
        voices = {one["voice"] for one in recordings if one["part"] == part}
        assert len(voices) == 8
    assert sum(len(one["planted"]) for one in recordings) >= LEAST_PLANTED


@pytest.mark.parametrize("part", sorted(RECALL))
def test_recall_and_over_masking(part: str, record_testsuite_property):
    _, _, whole = measure.totals([part])
    as_said = 1 - whole.plain / whole.told
    record_testsuite_property(f"recall_{part}", whole.recall)
    record_testsuite_property(f"over_{part}", whole.over_share)
    assert whole.recall >= RECALL[part][0] and as_said >= RECALL[part][1]
    assert whole.over_share < MOST_OVER


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("flite") is None, reason="no flite program")
def test_speaking_and_hearing_again_gives_the_same_text():
    sys.path.insert(0, str(measure.FOLDER))
    import make

    stored = {(one["voice"], one["part"]): one for one in measure.recordings()}
    (again,) = make.recordings(["rms", "tune"])
    assert again == stored["rms", "tune"]
