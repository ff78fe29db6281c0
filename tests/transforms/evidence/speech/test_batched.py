"""Windows of speech that are heard at once, and what comes of hearing them so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rapidfuzz.distance import Levenshtein

from surgqa.transforms.evidence.base import Heard
from surgqa.transforms.evidence.speech import Extractor
from surgqa.transforms.evidence.speech.transcribe import WINDOW, windows
from surgqa.transforms.media import Sound
from surgqa.transforms.media.batches import SOUND_RATE

S = SOUND_RATE


def test_windows_end_at_pauses_and_hold_thirty_seconds_at_most() -> None:
    assert windows([]) == []
    assert windows([10 * S, 15 * S, 10 * S]) == [(0, 25 * S), (25 * S, 35 * S)]
    assert windows([WINDOW]) == [(0, WINDOW)]
    assert windows([5 * S, 70 * S, 1 * S]) == [
        (0, 5 * S), (5 * S, 35 * S), (35 * S, 65 * S), (65 * S, 76 * S),
    ]  # fmt: skip


def _words(heard: Heard) -> list[tuple[str, int]]:
    rows = heard.rows.to_pylist()
    return [(w["text"].lower().strip(".,"), w["start_us"]) for r in rows for w in r["words"]]


def test_windows_heard_at_once_give_the_same_words_at_the_same_times(
    extractor: Extractor, opening: np.ndarray, heard_opening: Heard
) -> None:
    batched = Extractor(replace(extractor.settings, batch=4))
    assert batched.digest != extractor.digest
    one, two = _words(heard_opening), _words(batched.hear(Sound(0, opening)))
    assert Levenshtein.normalized_similarity([w for w, _ in one], [w for w, _ in two]) > 0.9
    times = dict(two)
    away = [abs(times[text] - start) for text, start in one if text in times]
    assert np.median(away) < 100_000 and len(away) > 0.9 * len(one)
