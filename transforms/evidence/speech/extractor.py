"""Recognise speech in a piece of sound: words with times on the video's clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from surgqa.ontology.keys import digest
from surgqa.ontology.observed import UTTERANCES
from surgqa.transforms.evidence.base import Heard, SoundExtractor, is_remote, nothing_heard
from surgqa.transforms.evidence.speech import guards, weights
from surgqa.transforms.evidence.speech.lexicon import hint
from surgqa.transforms.evidence.speech.settings import SpeechSettings
from surgqa.transforms.evidence.speech.tokens import clean
from surgqa.transforms.evidence.speech.words import Word, set_to_sound, utterances
from surgqa.transforms.media.batches import SOUND_RATE, Sound


class Extractor(SoundExtractor):
    """faster-whisper, with voice detection before it and guards after it.

    Args:
        settings: how to recognise speech; the model is looked up when it is first needed.
    """

    version: ClassVar[int] = 2
    Settings: ClassVar[type] = SpeechSettings
    precisions: ClassVar[tuple[str, str, str]] = ("compute_type", "float32", "float16")
    not_counted: ClassVar[tuple[str, ...]] = (
        "model", "sha256", "download", "device", "compute_type", "cpu_isa",
    )  # fmt: skip
    settings: SpeechSettings

    @classmethod
    def pinned(cls, settings: SpeechSettings) -> SpeechSettings:
        """Return the settings with ``sha256`` filled in, if the model is in remote storage."""
        known = settings.sha256 is not None or not is_remote(settings.model)
        return settings if known else replace(settings, sha256=weights.find(settings).digest)

    def basis(self) -> dict[str, Any]:
        """Return the settings, the model's digest, device, arithmetic and versions.

        Raises:
            SourceMissing: the model is not on this machine.
        """
        values = super().basis()["settings"]
        # Unused settings are left out, so that older results keep their key.
        if values["batch"] == 1:
            del values["batch"]
        if values.pop("vocabulary"):
            values["vocabulary"] = [digest("hint", hint(language)) for language in ("en", "zh")]
        return {"settings": values, **weights.find(self.settings).identity}

    def listen(self, sound: Sound) -> Heard:
        """Return utterances of one piece of sound.

        Sound without speech gives no row; the model is then not even loaded.

        Returns:
            Rows in order of time, and all facts of :func:`nothing_heard`.

        Raises:
            SourceMissing: the model is not on this machine.
            UserError: the model cannot be loaded, or does not support the language in the settings.
        """
        parts = self._parts(sound.samples)
        facts = nothing_heard()
        if not parts:
            return Heard(UTTERANCES.empty_table(), facts)
        facts["speech_us"] = sum(b - a for a, b in parts) * 1_000_000 // SOUND_RATE
        words = self._words(sound.samples, parts, sound.start_us, facts)
        volume = guards.measure(sound.start_us, sound.samples, self.settings)
        audible = guards.sounds(volume, self.settings)
        facts["set_to_sound"] = audible is not None
        if audible is not None:
            words = set_to_sound(words, audible, self.settings)
        kept = self._kept(utterances(words, self.settings), volume, facts)
        rows = [_row(said, facts["language"], self.settings) for said in kept]
        return Heard(pa.Table.from_pylist(rows, schema=UTTERANCES), facts)

    def _parts(self, samples: np.ndarray) -> list[tuple[int, int]]:
        """Stretches [first, last) of samples with speech; all samples if voice detection is off."""
        if len(samples) == 0 or not self.settings.vad:
            return [(0, len(samples))] if len(samples) else []
        reply = weights.listen(self.settings).ask(
            {"do": "parts", "settings": asdict(self.settings)}, _bytes(samples)
        )
        return [(first, last) for first, last in reply["parts"]]

    def _words(
        self,
        samples: np.ndarray,
        parts: Sequence[tuple[int, int]],
        start_us: int,
        facts: dict[str, Any],
    ) -> list[Word]:
        """Return the words that the model hears in the parts with speech; times in the video."""
        model = weights.load(weights.find(self.settings))
        reply = weights.listen(self.settings).ask(
            {
                "do": "words", **model, "parts": parts, "start_us": start_us,
                "settings": asdict(self.settings),
            },
            _bytes(np.concatenate([samples[a:b] for a, b in parts])),
        )  # fmt: skip
        facts.update(reply["language"])
        return [Word(*word) for word in reply["words"]]

    def _kept(
        self, said: list[list[Word]], volume: guards.Levels, facts: dict[str, Any]
    ) -> list[list[Word]]:
        """Utterances that no guard rejects; the others are added to the facts."""
        findings = [guards.judge(words, volume, self.settings) for words in said]
        sound = [words for words, finding in zip(said, findings, strict=True) if finding is None]
        rejected = [f.as_row(w) for w, f in zip(said, findings, strict=True) if f is not None]
        texts = [" ".join(map(guards.folded, words)) for words in sound]
        echoed = guards.echoes(texts, self.settings)
        for words, run in zip(sound, echoed, strict=True):
            if run:
                found = guards.GuardResult(
                    "repeated", "the same sentence over and over", run, self.settings.loop_repeats
                )
                rejected.append(found.as_row(words))
        facts["rejected"] = sorted(rejected, key=lambda row: (row["start_us"], row["end_us"]))
        return [words for words, run in zip(sound, echoed, strict=True) if not run]


def _row(words: Sequence[Word], language: str, settings: SpeechSettings) -> dict[str, Any]:
    raw = guards.joined(words)
    sure = guards.confidence(words)
    flags = ["weak"] if sure < settings.weak_confidence else []
    if min(word.probability for word in words) < settings.min_word_probability:
        flags.append("doubtful_word")
    start, end = words[0].start_us, words[-1].end_us
    return {
        # No text in the digest: somebody could find a masked name by trying names.
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


def _bytes(samples: np.ndarray) -> memoryview:
    return memoryview(np.ascontiguousarray(samples, dtype="<i2")).cast("B")
