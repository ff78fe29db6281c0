"""Measure sound levels, and reject text that nobody said: silence, loops, too fast words, guesses.

There is no list of suspicious phrases: someone may really have said "thank you for watching".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.base import round_score, rounded
from surgqa.transforms.evidence.speech.settings import SpeechSettings
from surgqa.transforms.evidence.speech.words import Word
from surgqa.transforms.media.batches import SOUND_RATE

DB_DECIMALS = 1


@dataclass(frozen=True, slots=True)
class GuardResult:
    """Why an utterance is rejected: a code such as ``repeated``, a reason and a measure."""

    code: str
    reason: str
    measured: float
    threshold: float

    def as_row(self, words: Sequence[Word]) -> dict[str, Any]:
        """Return the finding as a row of plain JSON with the utterance's time and words."""
        return {
            "start_us": words[0].start_us,
            "end_us": words[-1].end_us,
            "text": joined(words),
            "code": self.code,
            "reason": self.reason,
            "measured": self.measured,
            "threshold": self.threshold,
        }


def joined(words: Sequence[Word]) -> str:
    """Return the words as written by the model."""
    return "".join(word.text for word in words).strip()


def confidence(words: Sequence[Word]) -> float:
    """Mean word probability, rounded."""
    return float(round_score(sum(word.probability for word in words) / len(words)))


def folded(word: Word) -> str:
    """Return a word in lower case without punctuation, for comparing words."""
    return "".join(c for c in word.text.lower() if c.isalnum())


def judge(words: Sequence[Word], levels: Levels, settings: SpeechSettings) -> GuardResult | None:
    """Return the first reason to reject an utterance, or None."""
    return (
        _silent(words, levels, settings)
        or _hurried(words, settings)
        or _looping(words, settings)
        or _no_speech(words, settings)
        or _guessed(words, settings)
    )


def _silent(words: Sequence[Word], levels: Levels, s: SpeechSettings) -> GuardResult | None:
    loud = levels.loudness(words[0].start_us, words[-1].end_us, s.loud_share)
    loud = float(rounded(loud, DB_DECIMALS))
    if loud < s.silence_dbfs:
        return GuardResult("silent", "words where the sound is silent (dBFS)", loud, s.silence_dbfs)
    rise = float(rounded(loud - levels.noise_db, DB_DECIMALS))
    if rise < s.least_rise_db:
        return GuardResult(
            "noise", "words no louder than the noise (dB above it)", rise, s.least_rise_db
        )
    return None


def _hurried(words: Sequence[Word], s: SpeechSettings) -> GuardResult | None:
    if len(words) < s.hurried_words:
        return None
    lasted = max(words[-1].end_us - words[0].start_us, 1)
    rate = float(rounded(len(words) * SECOND_US / lasted, DB_DECIMALS))
    if rate <= s.max_words_per_s:
        return None
    return GuardResult("hurried", "more words a second than are spoken", rate, s.max_words_per_s)


def _looping(words: Sequence[Word], s: SpeechSettings) -> GuardResult | None:
    texts = [text for text in map(folded, words) if text]
    repeats = loop(texts, s)
    if repeats < s.loop_repeats:
        return None
    return GuardResult("repeated", "the same words over and over", repeats, s.loop_repeats)


def loop(texts: Sequence[str], s: SpeechSettings) -> int:
    """Maximum number of consecutive repetitions of any run of words; short loops do not count."""
    best = 0
    for length in range(1, min(s.loop_length, len(texts) // 2) + 1):
        run = 0  # consecutive words that equal the word one length before
        for i in range(length, len(texts)):
            run = run + 1 if texts[i] == texts[i - length] else 0
            repeats = run // length + 1
            if repeats * length >= s.loop_words:
                best = max(best, repeats)
    return best


def _no_speech(words: Sequence[Word], s: SpeechSettings) -> GuardResult | None:
    worst = max(word.no_speech for word in words)
    if worst <= s.no_speech_limit:
        return None
    if max(word.log_probability for word in words) >= s.min_log_probability:
        return None
    return GuardResult("no_speech", "the model itself doubts that it is speech", worst,
                   s.no_speech_limit)  # fmt: skip


def _guessed(words: Sequence[Word], s: SpeechSettings) -> GuardResult | None:
    mean = confidence(words)
    if mean >= s.reject_confidence:
        return None
    return GuardResult("unsure", "mean word probability too low", mean, s.reject_confidence)


def echoes(texts: Sequence[str], settings: SpeechSettings) -> list[int]:
    """Return, for each utterance, the length of the run of equal utterances that it repeats.

    The value is 0 for the first utterance of a run, and in runs too short to be a model's error.
    """
    out = [0] * len(texts)
    first = 0
    for i in range(1, len(texts) + 1):
        if i < len(texts) and texts[i] and texts[i] == texts[first]:
            continue
        if i - first >= settings.loop_repeats:
            out[first + 1 : i] = [i - first] * (i - first - 1)
        first = i
    return out


FULL_SCALE = 32768.0
MS_US = 1000
FLOOR_DB = -120.0
"""Level used for digital silence, whose level in decibels is not defined."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Levels of one piece of sound; F frames.

    Attributes:
        start_us: time of the first frame.
        frame_us: length of a frame.
        power: float64 (F,), mean square of each frame; full scale is 1.
        noise_db: level of the quiet frames, decibels of full scale.
        loud_db: level of the loud frames.
        still_share: share of frames that are digital silence.
    """

    start_us: int
    frame_us: int
    power: np.ndarray
    noise_db: float
    loud_db: float
    still_share: float

    def loudness(self, start_us: int, end_us: int, share: float) -> float:
        """Level that ``share`` of the frames between two times do not exceed, in decibels."""
        first = max((start_us - self.start_us) // self.frame_us, 0)
        last = max(-((self.start_us - end_us) // self.frame_us), first + 1)
        return _decibels(_ranked(self.power[first:last], share))


def measure(start_us: int, samples: np.ndarray, settings: SpeechSettings) -> Levels:
    """Return levels of int16 samples; an incomplete last frame is left out."""
    size = SOUND_RATE * settings.frame_ms // 1000
    count = len(samples) // size
    frames = samples[: count * size].astype(np.int64).reshape(count, size)
    power = (frames * frames).sum(axis=1) / (size * FULL_SCALE**2)
    heard = power[power > 0.0]  # zeros that fill gaps contain no noise
    return Levels(
        start_us,
        settings.frame_ms * MS_US,
        power,
        _decibels(_ranked(heard, settings.quiet_share)),
        _decibels(_ranked(heard, settings.loud_share)),
        1.0 - len(heard) / count if count else 1.0,
    )


def sounds(levels: Levels, settings: SpeechSettings) -> list[tuple[int, int]] | None:
    """Return stretches [start, end) that are not silent, separated by long enough silences.

    Returns:
        Times in microseconds, ascending; None if noise is too close to the level of speech.
    """
    highest = levels.loud_db - settings.below_loud_db
    limit_db = max(settings.silence_dbfs, levels.noise_db + settings.above_noise_db)
    if limit_db > highest and levels.still_share >= settings.quiet_share:
        limit_db = settings.silence_dbfs  # a noise gate mutes the pauses between words
    if limit_db > highest:
        return None
    loud = levels.power > 10.0 ** (limit_db / 10.0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], loud, [False]]).astype(np.int8)))
    runs = edges.reshape(-1, 2)
    frame_s = levels.frame_us / 1_000_000
    joined = _joined(runs, round(settings.least_silence_s / frame_s))
    least = round(settings.least_sound_s / frame_s)
    return [
        (levels.start_us + first * levels.frame_us, levels.start_us + last * levels.frame_us)
        for first, last in joined
        if last - first >= least
    ]


def _joined(runs: np.ndarray, gap: int) -> list[tuple[int, int]]:
    """Return the runs of frames, joined over gaps shorter than ``gap``."""
    if len(runs) == 0:
        return []
    cuts = [i + 1 for i, (a, b) in enumerate(pairwise(runs)) if b[0] - a[1] >= gap]
    bounds = [0, *cuts, len(runs)]
    return [(int(runs[a][0]), int(runs[b - 1][1])) for a, b in pairwise(bounds)]


def _ranked(power: np.ndarray, share: float) -> float:
    """The value that ``share`` of the values do not exceed; always one of them, not a mean."""
    if len(power) == 0:
        return 0.0
    return float(np.sort(power)[min(int(share * len(power)), len(power) - 1)])


def _decibels(power: float) -> float:
    return max(10.0 * math.log10(power), FLOOR_DB) if power > 0.0 else FLOOR_DB
