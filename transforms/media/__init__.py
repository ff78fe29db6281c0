"""The only package that decodes video and sound: facts of a file, frames, batches.

Decoders are imported on first use. Extractors share only the types and can import them without
loading PyAV or OpenCV.

Terms of this room:

- Medium: a video file, a folder of frames, or a still image.
- Sample: a time at which a medium is looked up; its frame is the frame on screen then.
- Trusted frame: a frame that certainly equals the frame of the undamaged file.
- Frame table: the times of all frames of a medium, and what is known about their reliability.
- Entry point: a key frame at which a new decoder can start. A stretch lies between two of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from surgqa.ontology.on_use import on_use
from surgqa.transforms.media.batches import (
    SOUND_RATE,
    FrameBatch,
    FrameTable,
    SampleFault,
    Samples,
    Sound,
)

if TYPE_CHECKING:
    from surgqa.transforms.media.accounts import fault_problems, sample_books
    from surgqa.transforms.media.film import Film, film_of
    from surgqa.transforms.media.probe import Container
    from surgqa.transforms.media.sampling import plan_pieces, sample
    from surgqa.transforms.media.settings import SoundSettings
    from surgqa.transforms.media.sound import open_sound, sound_facts, sound_pieces
    from surgqa.transforms.media.table import frame_table

__all__ = [
    "SOUND_RATE",
    "Container",
    "SampleFault",
    "Film",
    "FrameBatch",
    "FrameTable",
    "Samples",
    "Sound",
    "SoundSettings",
    "fault_problems",
    "film_of",
    "frame_table",
    "open_sound",
    "plan_pieces",
    "sample",
    "sample_books",
    "sound_facts",
    "sound_pieces",
]

__getattr__ = on_use(
    __name__,
    {
        "accounts": "fault_problems sample_books",
        "film": "Film film_of",
        "probe": "Container",
        "sampling": "plan_pieces sample",
        "settings": "SoundSettings",
        "sound": "open_sound sound_facts sound_pieces",
        "table": "frame_table",
    },
)
