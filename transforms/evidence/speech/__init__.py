"""Speech: what is said and when, the terms in it, and anchors of phase, action and tool."""

from transforms.evidence.speech.anchors import anchors
from transforms.evidence.speech.context import Context
from transforms.evidence.speech.extractor import Extractor
from transforms.evidence.speech.phases import phase_anchors, phases
from transforms.evidence.speech.settings import AnchorSettings, SpeechSettings

__all__ = [
    "AnchorSettings",
    "Context",
    "Extractor",
    "SpeechSettings",
    "anchors",
    "phase_anchors",
    "phases",
]
