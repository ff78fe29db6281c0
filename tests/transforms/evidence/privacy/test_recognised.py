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
RECALL = {
    "tune": (0.995, 0.99),
    "more": (0.995, 0.99),
    "third": (0.995, 0.99),
    "held": (0.995, 0.99),
    "fourth": (0.985, 0.98),
    "fifth": (0.985, 0.98),
    "sixth": (0.985, 0.98),
    "seventh": (0.985, 0.98),
    "eighth": (0.985, 0.98),
    "ninth": (0.985, 0.98),
    "tenth": (0.985, 0.98),
    "eleventh": (0.985, 0.98),
    "twelfth": (0.98, 0.97),
    "thirteenth": (0.97, 0.95),
    "fourteenth": (0.95, 0.92),
}
"""Of all planted, and of those that could be read; rules were corrected on all but the last."""
OFTEN_OVER = ("fifth", "eighth", "eleventh", "twelfth", "thirteenth", "fourteenth")
MOST_OVER = dict.fromkeys(RECALL, 0.02) | dict.fromkeys(OFTEN_OVER, 0.025)
PARTS = [
    pytest.param(part, marks=() if part in (measure.HELD, "tune") else pytest.mark.nightly)
    for part in sorted(RECALL)
]
"""By day the part that no rule was corrected on, and one of the others."""
MOST_OVER_SAID = 0.005
"""Of the other words that were recognised as they were said."""


def test_the_set_is_large_enough():
    recordings = measure.recordings()
    assert set(RECALL) == {*measure.CORRECTED, measure.HELD}
    for part in RECALL:
        voices = {one["voice"] for one in recordings if one["part"] == part}
        assert len(voices) == 8
    held = [one for one in recordings if one["part"] == measure.HELD]
    assert sum(len(one["planted"]) for one in held) >= LEAST_PLANTED


@pytest.mark.parametrize("part", PARTS)
def test_recall_and_over_masking(part: str, record_testsuite_property):
    _, _, whole = measure.totals([part])
    record_testsuite_property(f"recall_{part}", whole.recall)
    record_testsuite_property(f"over_{part}", whole.over_share)
    assert whole.recall >= RECALL[part][0] and whole.of_told >= RECALL[part][1]
    assert whole.over_share < MOST_OVER[part] and whole.over_said < MOST_OVER_SAID


@pytest.mark.parametrize(
    ("said", "heard", "wanted"),
    [
        ("Dragan", ["dragon,"], True),
        ("Lois Deason", ["low", "season?"], True),
        ("Hope", ["hope."], False),
        ("Kowalski", ["Kewalski"], False),
        ("Will Firth", ["will", "further,"], False),
    ],
)
def test_a_name_heard_as_ordinary_words(said: str, heard: list[str], wanted: bool):
    assert measure.ordinary("FULL", said, heard) is wanted


def test_words_recognised_as_they_were_said_are_found_by_the_plan():
    recording = next(one for one in measure.recordings() if one["part"] == "tune")
    lines = [list(measure.words_of(line)) for line in recording["utterances"]]
    words = [(word, number) for line in lines for word, number in line]
    same = measure.as_said(recording, lines)
    heard = [word if said else "-" for (word, _), said in zip(words, same, strict=True)]
    # "Calot's triangle" was heard as "bullets try and go", and "Doctor" is written "Dr.".
    assert " ".join(heard[:15]) == "We expose - - - - and look for the artery. - - will hold"


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("flite") is None, reason="no flite program")
def test_speaking_and_hearing_again_gives_the_same_text():
    sys.path.insert(0, str(measure.FOLDER))
    import make

    stored = {(one["voice"], one["part"]): one for one in measure.recordings()}
    (again,) = make.recordings(["rms", measure.HELD])
    assert again == stored["rms", measure.HELD]
