"""Shared code of extractors: base classes, rounding, and models loaded once per process."""

from surgqa.transforms.evidence.base.contract import FrameExtractor, Heard, Seen, SoundExtractor
from surgqa.transforms.evidence.base.fetched import at_hand, check, is_remote, weights_digest
from surgqa.transforms.evidence.base.models import file_digest, loaded, shared
from surgqa.transforms.evidence.base.rounding import round_box, round_score, rounded

__all__ = [
    "FrameExtractor",
    "Heard",
    "Seen",
    "SoundExtractor",
    "at_hand",
    "check",
    "file_digest",
    "is_remote",
    "loaded",
    "round_box",
    "round_score",
    "rounded",
    "shared",
    "weights_digest",
]
