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
from surgqa.transforms.media.batches import FrameBatch, FrameTable, SampleFault, Samples, Sound

if TYPE_CHECKING:
    from surgqa.transforms.media.film import Film, film_of

__all__ = ["SampleFault", "Film", "FrameBatch", "FrameTable", "Samples", "Sound", "film_of"]

__getattr__ = on_use(__name__, {"film": "Film film_of"})
