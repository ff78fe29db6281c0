"""Hears a piece of sound: what is said, word by word, on the video's clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from ontology.errors import UserError
from ontology.keys import digest
from ontology.observed import UTTERANCES
from transforms.evidence.base import Heard, SoundExtractor, round_score
from transforms.evidence.speech import guards, levels, weights
from transforms.evidence.speech.clean import clean
from transforms.evidence.speech.settings import SpeechSettings
from transforms.evidence.speech.words import Word, heard_words, set_to_sound, utterances
from transforms.media.batches import SOUND_RATE, Sound

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

ENGLISH_ONLY = "the model is English-only: the language was not detected"
FULL_SCALE = 32768.0
SHOWN_ALTERNATIVES = 3
PLACES = ("model", "download", "device", "compute_type")
"""Settings that say where a model is; its digest and how it runs are told instead."""


class Extractor(SoundExtractor):
    """faster-whisper with voice detection before it and measured guards behind it.

    Args:
        settings: how to hear; the model is looked for when it is first needed.
    """

    name: ClassVar[str] = "speech"
    version: ClassVar[int] = 1
    kind: ClassVar[str] = "utterances"

    def __init__(self, settings: SpeechSettings | None = None) -> None:
        self.settings = settings or SpeechSettings()

    @property
    def identity(self) -> dict[str, Any]:
        """Settings, the model's digest, device, arithmetic and versions.

        Raises:
            SourceMissing: the model is not on this machine.
        """
        told = {key: value for key, value in asdict(self.settings).items() if key not in PLACES}
        return {"settings": told, **weights.find(self.settings).identity}

    def hear(self, sound: Sound) -> Heard:
        """Utterances of one piece.

        Sound without speech gives no row, and then the model is not even loaded.

        Returns:
            Rows in order of time; facts with ``language``, ``language_probability``,
            ``alternatives``, ``notes``, ``speech_us`` (time that was listened to),
            ``set_to_sound`` (whether word times could be) and ``rejected``, one row each
            with time, text, code, reason, measure and threshold.

        Raises:
            SourceMissing: the model is not on this machine.
            UserError: it cannot be loaded, or does not know the language that was set.
        """
        samples = sound.samples.astype(np.float32) / np.float32(FULL_SCALE)
        parts = _speech(samples, self.settings)
        facts: dict[str, Any] = {
            "language": None, "language_probability": None, "alternatives": [], "notes": [],
            "speech_us": 0, "set_to_sound": None, "rejected": [],
        }  # fmt: skip
        if not parts:
            return Heard(UTTERANCES.empty_table(), facts)
        facts["speech_us"] = sum(b - a for a, b in parts) * 1_000_000 // SOUND_RATE
        words = self._words(samples, parts, sound.start_us, facts)
        volume = levels.measure(sound.start_us, sound.samples, self.settings)
        audible = levels.sounds(volume, self.settings)
        facts["set_to_sound"] = audible is not None
        if audible is not None:
            words = set_to_sound(words, audible, self.settings)
        kept = self._kept(utterances(words, self.settings), volume, facts)
        rows = [_row(said, facts["language"], self.settings) for said in kept]
        return Heard(pa.Table.from_pylist(rows, schema=UTTERANCES), facts)

    def _words(
        self,
        samples: np.ndarray,
        parts: Sequence[tuple[int, int]],
        start_us: int,
        facts: dict[str, Any],
    ) -> list[Word]:
        """The model's words, put back from the speech alone to the piece's clock."""
        model = weights.load(weights.find(self.settings))
        from faster_whisper.transcribe import restore_speech_timestamps

        speech = np.concatenate([samples[a:b] for a, b in parts])
        facts.update(_language(model, speech, self.settings))
        segments, _ = model.transcribe(
            speech,
            language=facts["language"],
            beam_size=self.settings.beam_size,
            temperature=0.0,  # one number: the default falls back to drawing lots
            condition_on_previous_text=False,
            word_timestamps=True,
            no_speech_threshold=None,  # the guards leave out, and say so
            vad_filter=False,
        )
        chunks = [{"start": a, "end": b} for a, b in parts]
        return heard_words(restore_speech_timestamps(segments, chunks, SOUND_RATE), start_us)

    def _kept(
        self, said: list[list[Word]], volume: levels.Levels, facts: dict[str, Any]
    ) -> list[list[Word]]:
        """Utterances that nothing speaks against; the others go to the facts."""
        findings = [guards.judge(words, volume, self.settings) for words in said]
        sound = [words for words, finding in zip(said, findings, strict=True) if finding is None]
        rejected = [f.told(w) for w, f in zip(said, findings, strict=True) if f is not None]
        texts = [" ".join(map(guards.folded, words)) for words in sound]
        echoed = guards.echoes(texts, self.settings)
        for words, run in zip(sound, echoed, strict=True):
            if run:
                found = guards.Finding(
                    "repeated", "the same sentence over and over", run, self.settings.loop_repeats
                )
                rejected.append(found.told(words))
        facts["rejected"] = sorted(rejected, key=lambda row: (row["start_us"], row["end_us"]))
        return [words for words, run in zip(sound, echoed, strict=True) if not run]


def _speech(samples: np.ndarray, settings: SpeechSettings) -> list[tuple[int, int]]:
    """Stretches of samples [first, last) that hold speech; all, where that is not asked."""
    if len(samples) == 0:
        return []
    if not settings.vad:
        return [(0, len(samples))]
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(
        threshold=settings.vad_threshold,
        min_silence_duration_ms=settings.vad_pause_ms,
        speech_pad_ms=settings.vad_pad_ms,
    )
    found = get_speech_timestamps(samples, options, SOUND_RATE)
    return [(int(part["start"]), int(part["end"])) for part in found]


def _language(model: WhisperModel, speech: np.ndarray, settings: SpeechSettings) -> dict[str, Any]:
    """The language set, or the likeliest of those allowed."""
    known = model.supported_languages
    if settings.language is not None:
        if settings.language not in known:
            raise UserError(
                f"the speech model does not know the language {settings.language!r}",
                expected=", ".join(sorted(known)),
                found=settings.language,
                where="language",
                fix="name a model for several languages, such as large-v3, or set no language",
            )
        return {"language": settings.language, "language_probability": None}
    if not model.model.is_multilingual:
        return {"language": "en", "language_probability": None, "notes": [ENGLISH_ONLY]}
    _, _, everything = model.detect_language(
        speech, language_detection_segments=settings.language_windows
    )
    allowed = settings.languages or tuple(known)
    ranked = sorted((-float(round_score(p)), code) for code, p in everything if code in allowed)
    if not ranked:
        raise UserError(
            "the speech model knows none of the allowed languages",
            expected=", ".join(sorted(known)),
            found=", ".join(allowed),
            where="languages",
        )
    best = -ranked[0][0]
    unsure = best < settings.min_language_probability
    others = sorted((-float(round_score(p)), code) for code, p in everything)
    return {
        "language": ranked[0][1],
        "language_probability": best,
        "alternatives": [[code, -p] for p, code in others[:SHOWN_ALTERNATIVES]],
        "notes": ["the language is unsure"] if unsure else [],
    }


def _row(words: Sequence[Word], language: str, settings: SpeechSettings) -> dict[str, Any]:
    raw = guards.joined(words)
    sure = guards.confidence(words)
    flags = ["weak"] if sure < settings.weak_confidence else []
    if min(word.probability for word in words) < settings.min_word_probability:
        flags.append("doubtful_word")
    start, end = words[0].start_us, words[-1].end_us
    return {
        # Of the time alone: a digest of the text would let a masked name be found by trial.
        "utterance_id": digest("utterance", start, end),
        "start_us": start,
        "end_us": end,
        "text": clean(raw, language),
        "raw_text": raw,
        "language": language,
        "confidence": sure,
        "no_speech": max(word.no_speech for word in words),
        "words": [
            {
                "start_us": word.start_us,
                "end_us": word.end_us,
                "text": word.text.strip(),
                "probability": word.probability,
            }
            for word in words
        ],
        "flags": flags,
    }
