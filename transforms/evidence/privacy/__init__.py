"""Find and hide what identifies a patient, in images and in transcripts.

Images need OpenCV and the weights of two detectors.  Transcripts need neither, and do not import
them.  Every exported image goes through ``transforms.evidence.privacy.clean.clean``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surgqa.transforms.evidence.privacy.settings import (
    FindSettings,
    PrivacySettings,
    SaidSettings,
    StillSettings,
)

if TYPE_CHECKING:
    from surgqa.transforms.evidence.privacy.clean import Region, require
    from surgqa.transforms.evidence.privacy.finders import faces, overlays
    from surgqa.transforms.evidence.privacy.hiding import blur, erase
    from surgqa.transforms.evidence.privacy.learned import LearnedWords
    from surgqa.transforms.evidence.privacy.masking import MaskedSpan, mask_text
    from surgqa.transforms.evidence.privacy.span_finder import SpanFinders, finder_of
    from surgqa.transforms.evidence.privacy.tagger import Tagger, tagger_of
    from surgqa.transforms.evidence.privacy.utterances import mask_utterances

_HOMES = {
    "Region": "clean",
    "LearnedWords": "learned",
    "MaskedSpan": "masking",
    "SpanFinders": "span_finder",
    "Tagger": "tagger",
    "blur": "hiding",
    "erase": "hiding",
    "faces": "finders",
    "finder_of": "span_finder",
    "mask_text": "masking",
    "mask_utterances": "utterances",
    "overlays": "finders",
    "require": "clean",
    "tagger_of": "tagger",
}

__all__ = [
    "FindSettings",
    "LearnedWords",
    "PrivacySettings",
    "Region",
    "SaidSettings",
    "MaskedSpan",
    "SpanFinders",
    "StillSettings",
    "Tagger",
    "blur",
    "erase",
    "faces",
    "finder_of",
    "mask_text",
    "mask_utterances",
    "overlays",
    "require",
    "tagger_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
