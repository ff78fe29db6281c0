"""Shared code of extractors: base classes, rounding, and models loaded once per process."""

from surgqa.transforms.evidence.base.contract import (
    SECTIONS,
    Extractor,
    FrameExtractor,
    Heard,
    Seen,
    SoundExtractor,
    nothing_heard,
)
from surgqa.transforms.evidence.base.devices import device_of
from surgqa.transforms.evidence.base.fetched import (
    at_hand,
    check,
    file_digest,
    is_remote,
    shared,
    weights_digest,
)
from surgqa.transforms.evidence.base.rounding import round_box, round_score, rounded

__all__ = [
    "SECTIONS",
    "Extractor",
    "FrameExtractor",
    "Heard",
    "Seen",
    "SoundExtractor",
    "at_hand",
    "check",
    "device_of",
    "file_digest",
    "is_remote",
    "nothing_heard",
    "round_box",
    "round_score",
    "rounded",
    "shared",
    "weights_digest",
]
