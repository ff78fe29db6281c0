"""Planted identifiers in recognised speech, eight voices: how many are masked, and what else is.

Masked by the rules alone, and by the rules and the learned model, which is the default.

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

from surgqa.ontology.keys import digest  # noqa: E402
from surgqa.transforms.evidence.privacy import (  # noqa: E402
    SaidSettings,
    finder_of,
    mask_text,
)

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
    "fifteenth": (0.965, 0.94),
    "sixteenth": (0.93, 0.88),
    "seventeenth": (0.92, 0.87),
    "eighteenth": (0.94, 0.9),
    "nineteenth": (0.945, 0.9),
}
"""By the rules alone: of all planted, and of those that could be read.

Rules were corrected on all but the last six.
"""
OFTEN_OVER = ("fifth", "eighth", "eleventh", "twelfth", "thirteenth", "fourteenth")
LATEST = ("fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth")
MOST_OVER = (
    dict.fromkeys(RECALL, 0.02) | dict.fromkeys(OFTEN_OVER, 0.025) | dict.fromkeys(LATEST, 0.03)
)
MOST_OVER_SAID = (
    dict.fromkeys(RECALL, 0.005)
    | dict.fromkeys(LATEST, 0.007)
    | {"seventeenth": 0.014}
    | {"eighteenth": 0.012}
)
"""Of the other words that were recognised as they were said."""
LEARNED = dict.fromkeys(measure.HELD, (0.985, 0.975))
"""By the rules and the learned model, for parts that neither was corrected or trained on."""
TRAINED = (0.985, 0.975)
MOST_OVER_LEARNED = dict.fromkeys(RECALL, 0.047) | dict.fromkeys(LEARNED, 0.05)
MOST_OVER_SAID_LEARNED = dict.fromkeys(RECALL, 0.012) | dict.fromkeys(LEARNED, 0.02)
PARTS = [
    pytest.param(part, marks=() if part in (*measure.HELD, "tune") else pytest.mark.nightly)
    for part in sorted(RECALL)
]
"""By day the parts that no rule was corrected on, and one of the others."""


def test_the_set_is_large_enough():
    recordings = measure.recordings()
    assert set(RECALL) == {*measure.TRAINED, *measure.HELD}
    for part in RECALL:
        voices = {one["voice"] for one in recordings if one["part"] == part}
        assert len(voices) == 8
    for part in measure.HELD:
        held = [one for one in recordings if one["part"] == part]
        assert sum(len(one["planted"]) for one in held) >= LEAST_PLANTED


@pytest.mark.parametrize("part", PARTS)
def test_recall_and_over_masking_of_the_rules(part: str):
    _, _, whole = measure.totals([part])
    assert whole.recall >= RECALL[part][0] and whole.of_told >= RECALL[part][1]
    assert whole.over_share < MOST_OVER[part] and whole.over_said < MOST_OVER_SAID[part]


@pytest.mark.parametrize("part", PARTS)
def test_recall_and_over_masking_with_the_learned_model(part: str, record_testsuite_property):
    _, _, whole = measure.totals([part], finder_of(SaidSettings()))
    record_testsuite_property(f"recall_{part}", whole.recall)
    record_testsuite_property(f"over_{part}", whole.over_share)
    least = LEARNED.get(part, TRAINED)
    assert whole.recall >= least[0] and whole.of_told >= least[1]
    assert whole.over_share < MOST_OVER_LEARNED[part]
    assert whole.over_said < MOST_OVER_SAID_LEARNED[part]


def test_the_rules_mask_as_they_did_when_they_were_measured():
    """Every fourth utterance of all parts."""
    lines = [line for one in measure.recordings() for line in one["utterances"]][::4]
    texts = [" ".join(word for word, _ in measure.words_of(line)) for line in lines]
    found = digest(*(mask_text(text)[0] for text in texts))[:12]
    assert found == "6752535bc736", "measure recall again, and say so in CHANGELOG"


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
    (again,) = make.recordings(["rms", measure.TRAINED[-1]])
    assert again == stored["rms", measure.TRAINED[-1]]
