"""Words on the video's clock: from the model, aligned to the sound, cut into utterances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.base import round_score
from surgqa.transforms.evidence.speech.settings import SpeechSettings

SENTENCE_ENDS = ".?!。？！"
NOT_ENDS = ("dr.", "mr.", "mrs.", "ms.", "prof.", "vs.", "e.g.", "i.e.", "approx.", "no.")


@dataclass(frozen=True, slots=True)
class Word:
    """One word as recognised by the model.

    Attributes:
        start_us, end_us: microseconds from the video's first frame.
        text: with the space before it, if the language uses spaces.
        probability: mean probability of the word's tokens, 0 to 1.
        no_speech: probability that the model's window contains no speech.
        log_probability: mean over the tokens of the model's window.
    """

    start_us: int
    end_us: int
    text: str
    probability: float
    no_speech: float
    log_probability: float


def heard_words(segments: Iterable[Any], start_us: int) -> list[Word]:
    """Return all words of the model's segments in order; none starts before the word before it."""
    out: list[Word] = []
    for segment in segments:
        for word in segment.words or ():
            first = start_us + round(float(word.start) * SECOND_US)
            last = start_us + round(float(word.end) * SECOND_US)
            first = max(first, out[-1].start_us) if out else first
            out.append(
                Word(
                    first,
                    max(first, last),
                    word.word,
                    float(round_score(word.probability)),
                    float(round_score(segment.no_speech_prob)),
                    float(round_score(segment.avg_logprob)),
                )
            )
    return out


def set_to_sound(
    words: Sequence[Word], sounds: Sequence[tuple[int, int]], settings: SpeechSettings
) -> list[Word]:
    """Return the words, moved out of silences into the stretches of sound that they mostly overlap.

    The model's times come from its attention and extend into the pause before a sentence; the sound
    itself shows when someone starts to speak. The first word of a stretch of sound starts with the
    stretch, and the last word ends with it, within the limits of the settings.
    """
    early, late = (round(s * SECOND_US) for s in (settings.early_limit_s, settings.late_limit_s))
    homes = _homes(words, sounds, early)
    least = round(settings.least_word_s * SECOND_US)
    out: list[Word] = []
    for i, (word, home) in enumerate(zip(words, homes, strict=True)):
        start, end = word.start_us, word.end_us
        if home is not None:
            first = i == 0 or homes[i - 1] != home
            last = i + 1 == len(words) or homes[i + 1] != home
            begin, stop = sounds[home]
            if -early <= start - begin <= (late if first else 0):
                start = begin
            if -(late if last else 0) <= end - stop <= early:
                end = stop
            if stop <= word.start_us:  # entirely in the silence after its sentence
                start, end = stop - least, stop
        start = max(start, out[-1].start_us) if out else start
        out.append(replace(word, start_us=start, end_us=max(end, start + least)))
    return _in_turn(out)


def _in_turn(words: Sequence[Word]) -> list[Word]:
    """Return the words, each of which ends no later than the next starts."""
    ends = [max(a.start_us, min(a.end_us, b.start_us)) for a, b in pairwise(words)]
    ends += [word.end_us for word in words[-1:]]
    return [replace(word, end_us=end) for word, end in zip(words, ends, strict=True)]


def _homes(
    words: Sequence[Word], sounds: Sequence[tuple[int, int]], limit: int
) -> list[int | None]:
    """Return, for each word, the index of the stretch of sound to which it belongs.

    A word that is entirely in a silence belongs with the rest of its sentence, if that is near.
    """
    homes = [_home(word, sounds) for word in words]
    for i, word in enumerate(words):
        if homes[i] is None and i and not word_ends(words[i - 1].text):
            before = homes[i - 1]
            if before is not None and word.start_us - sounds[before][1] <= limit:
                homes[i] = before
    for i in range(len(words) - 2, -1, -1):
        if homes[i] is None and not word_ends(words[i].text):
            after = homes[i + 1]
            if after is not None and sounds[after][0] - words[i].end_us <= limit:
                homes[i] = after
    return homes


def _home(word: Word, sounds: Sequence[tuple[int, int]]) -> int | None:
    """Return the stretch of sound that overlaps most with the word; if equal, the later one."""
    shared = [
        (min(word.end_us, end) - max(word.start_us, start), i)
        for i, (start, end) in enumerate(sounds)
    ]
    most, index = max(shared, default=(0, 0))
    return index if most > 0 else None


def utterances(words: Sequence[Word], settings: SpeechSettings) -> list[list[Word]]:
    """Words cut at the ends of sentences and at pauses."""
    pause = round(settings.pause_s * SECOND_US)
    out: list[list[Word]] = [[words[0]]] if words else []
    for before, word in pairwise(words):
        if _ends(before, word) or word.start_us - before.end_us >= pause:
            out.append([])
        out[-1].append(word)
    return out


def word_ends(text: str) -> bool:
    """Return whether a sentence may end with this word."""
    text = text.strip()
    return bool(text) and text[-1] in SENTENCE_ENDS and text.lower() not in NOT_ENDS


def _ends(word: Word, following: Word) -> bool:
    text = word.text.strip()
    if not word_ends(text):
        return False
    first = following.text.strip()[:1]
    return not (first.islower() and text[-1] == ".")
