"""What is left out, with the measure that speaks against it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from surgqa.transforms.evidence.speech.guards import (
    Levels,
    confidence,
    echoes,
    judge,
    loop,
    measure,
)
from surgqa.transforms.evidence.speech.settings import SpeechSettings
from surgqa.transforms.evidence.speech.words import Word
from surgqa.transforms.media.batches import SOUND_RATE
from tests.each import cases

S = SpeechSettings()


def said(text: str, seconds: float = 4.0, **more: float) -> list[Word]:
    """Words evenly spread over the first seconds."""
    parts = text.split()
    step = round(seconds * 1e6 / len(parts))
    values = {"probability": 0.9, "no_speech": 0.1, "log_probability": -0.3, **more}
    return [Word(i * step, (i + 1) * step, f" {part}", **values) for i, part in enumerate(parts)]


@pytest.fixture(scope="module")
def voiced() -> Levels:
    """Four seconds of speech-like sound, then four of quiet noise."""
    rng = np.random.default_rng(5)
    loud = rng.normal(0, 3000, 4 * SOUND_RATE)
    quiet = rng.normal(0, 20, 4 * SOUND_RATE)
    return measure(0, np.rint(np.concatenate([loud, quiet])).astype(np.int16), S)


def test_ordinary_speech_passes(voiced: Levels) -> None:
    assert judge(said("we clip the cystic artery twice"), voiced, S) is None


def test_a_phrase_of_hallucinations_passes_when_it_was_said(voiced: Levels) -> None:
    assert judge(said("thank you for watching"), voiced, S) is None


def test_words_over_silence(voiced: Levels) -> None:
    late = [replace(w, start_us=w.start_us + 4_000_000, end_us=w.end_us + 4_000_000)
            for w in said("thank you for watching")]  # fmt: skip
    found = judge(late, voiced, S)
    assert found is not None
    assert (found.code, found.threshold) == ("silent", S.silence_dbfs)
    assert found.measured < S.silence_dbfs


def test_words_no_louder_than_the_noise() -> None:
    rng = np.random.default_rng(6)
    noise = np.rint(rng.normal(0, 900, 8 * SOUND_RATE)).astype(np.int16)
    found = judge(said("i am going to take a look"), measure(0, noise, S), S)
    assert found is not None
    assert found.code == "noise"
    assert found.measured < found.threshold == S.least_rise_db


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (said("cut " * 7), "repeated"),
        (said("we clip the duct " * 4), "repeated"),
        (said("one two three four five six seven", seconds=0.5), "hurried"),
        (said("you know", no_speech=0.95, log_probability=-1.4), "no_speech"),
        (said("mumble mumble", probability=0.1), "unsure"),
    ],
)
def test_each_guard_says_what_it_measured(voiced: Levels, words: list[Word], code: str) -> None:
    found = judge(words, voiced, S)
    assert found is not None
    assert found.code == code
    row = found.as_row(words)
    assert row["code"] == code
    assert row["text"].split() == [w.text.strip() for w in words]
    assert (row["start_us"], row["end_us"]) == (0, words[-1].end_us)
    assert row["reason"]


def test_doubt_alone_is_no_reason(voiced: Levels) -> None:
    assert judge(said("you know", no_speech=0.95, log_probability=-0.4), voiced, S) is None
    assert judge(said("cut cut cut cut"), voiced, S) is None
    assert judge(said("go on now", seconds=0.2), voiced, S) is None


@cases(
    ("text", "repeats"),
    [
        ("a b a b a b a b", 4), ("a b c d", 0), ("a a a a a", 0), ("a a a a a a", 6),
        ("x a b c a b c y", 2), ("", 0), ("a", 0), ("a b c a b d a b e", 0),
    ],
)  # fmt: skip
def test_loops_are_counted(text: str, repeats: int) -> None:
    assert loop(text.split(), S) == repeats


def test_echoes_keep_the_first_of_a_run() -> None:
    assert echoes(["a", "b", "b", "b", "b", "c"], S) == [0, 0, 4, 4, 4, 0]
    assert echoes(["b", "b", "b"], S) == [0, 0, 0]
    assert echoes(["", "", "", "", ""], S) == [0] * 5
    assert echoes([], S) == []


def test_confidence_is_the_mean() -> None:
    words = said("a b")
    assert confidence([words[0], replace(words[1], probability=0.4)]) == 0.65
