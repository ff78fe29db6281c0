"""Recognise speech with the model: the parts with speech, the language and the words.

Only the speech process loads a model (see :mod:`.hearing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surgqa.ontology.errors import Unsupported, WeightsBroken
from surgqa.ontology.plugins import needed as needed_package
from surgqa.transforms.evidence.base import round_score
from surgqa.transforms.evidence.speech.lexicon import hint
from surgqa.transforms.evidence.speech.settings import SpeechSettings
from surgqa.transforms.evidence.speech.words import Word, heard_words
from surgqa.transforms.media.batches import SOUND_RATE

if TYPE_CHECKING:
    from faster_whisper import WhisperModel


ENGLISH_ONLY = "the model is English-only: the language was not detected"
SHOWN_ALTERNATIVES = 3
WINDOW = 30 * SOUND_RATE
"""Samples that a Whisper model processes at once."""
needed = partial(needed_package, "speech recognition", "faster-whisper", "asr")
"""Context manager for imports of the packages."""


def load(folder: Path, device: str, compute_type: str) -> WhisperModel:
    """Return the model in a folder, with one thread, so that results are the same bit for bit.

    Raises:
        UserError: the folder is not a model, or the device does not have this arithmetic.
    """
    with needed():
        from faster_whisper import WhisperModel

    try:
        return WhisperModel(
            str(folder),
            device=device,
            compute_type=compute_type,
            cpu_threads=1,
            num_workers=1,
            local_files_only=True,
        )
    except (RuntimeError, ValueError) as error:
        raise WeightsBroken(
            "the speech model cannot be loaded",
            expected=f"a CTranslate2 Whisper model that runs as {compute_type} on {device}",
            found=str(error).strip().split("\n")[0],
            where=str(folder),
            fix="check the folder, or set another device, compute_type or cpu_isa",
        ) from None


def speech_parts(samples: np.ndarray, settings: SpeechSettings) -> list[tuple[int, int]]:
    """Return stretches [first, last) of samples that contain speech.

    Args:
        samples: float32 (N,), -1 to 1, 16 kHz.
    """
    with needed():
        from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(
        threshold=settings.vad_threshold,
        min_silence_duration_ms=settings.vad_pause_ms,
        speech_pad_ms=settings.vad_pad_ms,
    )
    found = get_speech_timestamps(samples, options, SOUND_RATE)
    return [(int(part["start"]), int(part["end"])) for part in found]


def words_of(
    model: WhisperModel,
    speech: np.ndarray,
    parts: Sequence[tuple[int, int]],
    start_us: int,
    settings: SpeechSettings,
) -> tuple[dict[str, Any], list[Word]]:
    """Recognise speech; return facts about the language, and words with times in the video.

    Args:
        speech: float32, the samples of ``parts`` joined together.
        parts: positions of the parts in the sound, samples [first, last).
        start_us: time of the sound's first sample.
    """
    from faster_whisper.transcribe import restore_speech_timestamps

    facts = spoken_language(model, speech, settings)
    asked: dict[str, Any] = {
        "language": facts["language"],
        "beam_size": settings.beam_size,
        "temperature": 0.0,  # a single number: the default falls back to random sampling
        "condition_on_previous_text": False,
        "hotwords": hint(facts["language"]) if settings.vocabulary else None,
        "word_timestamps": True,
        "no_speech_threshold": None,  # the guards reject instead, and report it
        "vad_filter": False,
    }
    if settings.batch > 1:
        from faster_whisper import BatchedInferencePipeline

        asked |= {"batch_size": settings.batch, "clip_timestamps": _clips(parts)}
        model = BatchedInferencePipeline(model)
    segments, _ = model.transcribe(speech, **asked)
    chunks = [{"start": a, "end": b} for a, b in parts]
    return facts, heard_words(restore_speech_timestamps(segments, chunks, SOUND_RATE), start_us)


def windows(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return windows [first, last) of speech processed at once, none longer than the model's 30 s.

    Args:
        lengths: samples of each part of speech; the parts follow one another. A window contains as
            many parts as fit, so that it ends at a pause.
    """
    out: list[tuple[int, int]] = []
    first = last = 0
    for length in lengths:
        if last > first and last + length - first > WINDOW:
            out.append((first, last))
            first = last
        last += length
        while last - first > WINDOW:
            out.append((first, first + WINDOW))
            first += WINDOW
    return [*out, (first, last)] if last > first else out


def _clips(parts: Sequence[tuple[int, int]]) -> list[dict[str, float]]:
    """The windows in seconds, plus half a sample, because the library rounds down to samples."""
    lengths = [last - first for first, last in parts]
    return [
        {"start": (first + 0.5) / SOUND_RATE, "end": (last + 0.5) / SOUND_RATE}
        for first, last in windows(lengths)
    ]


def spoken_language(
    model: WhisperModel, speech: np.ndarray, settings: SpeechSettings
) -> dict[str, Any]:
    """Return the language of the settings, or the most probable allowed language."""
    known = model.supported_languages
    if settings.language is not None:
        if settings.language not in known:
            raise Unsupported(
                f"the speech model does not know the language {settings.language!r}",
                expected=", ".join(sorted(known)),
                found=settings.language,
                where="language",
                fix="use a model for several languages, such as large-v3, or set no language",
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
        raise Unsupported(
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


LIBRARIES = ("ctranslate2", "faster-whisper", "numpy", "onnxruntime")
"""Packages whose arithmetic affects the words."""


def versions() -> dict[str, str]:
    """Return the version of each of LIBRARIES.

    Raises:
        UserError: a package is not installed.
    """
    with needed():
        return {name: metadata.version(name) for name in LIBRARIES}
