"""Speech: utterances with their times, the terms in them, and anchors of phase, action and tool."""

from surgqa.transforms.evidence.speech.anchors import anchors
from surgqa.transforms.evidence.speech.context import WordContext
from surgqa.transforms.evidence.speech.extractor import Extractor
from surgqa.transforms.evidence.speech.phases import phase_anchors, phases
from surgqa.transforms.evidence.speech.settings import SpeechSettings

__all__ = [
    "WordContext",
    "Extractor",
    "SpeechSettings",
    "anchors",
    "phase_anchors",
    "phases",
]
