"""Reject text that nobody said: from silence, loops, too fast words, guesses; each is measured.

There is no list of suspicious phrases: someone may really have said "thank you for watching".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.base import round_score, rounded
from surgqa.transforms.evidence.speech.levels import Levels
from surgqa.transforms.evidence.speech.settings import SpeechSettings
from surgqa.transforms.evidence.speech.words import Word

DB_DECIMALS = 1


@dataclass(frozen=True, slots=True)
class GuardResult:
    """Why an utterance is rejected: a code of a closed list, a reason and a measure."""

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
    """Return the first finding against one utterance, or None."""
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
    """Return, for each utterance, how often its text was repeated in a row, if it is a repetition.

    Returns:
        The length of the run for all utterances of it but the first, if the run is long enough to
        be a loop of the model; else 0.
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
