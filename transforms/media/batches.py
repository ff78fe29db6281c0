"""What decoding hands on: tables of frames, batches of pictures, pieces of sound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SOUND_RATE = 16_000
"""Samples a second of all sound: what the speech models were trained on."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """When each frame of a medium is on screen; F frames in presentation order.

    Attributes:
        starts_us: int64 (F,), strictly ascending; the first is 0.
        ticks: int64 (F,), presentation times in the stream's time base; a folder's file
            numbers.
        key: bool (F,), decoding can start here.
        end_us: end of the last frame.
        promised_us: length that the container's header states, or None.
        stopped_us: where reading broke off before the promised end, or None.
        damaged: packets that could not be read.
    """

    starts_us: np.ndarray
    ticks: np.ndarray
    key: np.ndarray
    end_us: int
    promised_us: int | None = None
    stopped_us: int | None = None
    damaged: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The instants that are looked at; S samples.

    Attributes:
        times_us: int64 (S,), strictly ascending.  The start of the frame that is on screen
            at the grid time, or the grid time where it is the frame of the sample before.
        frames: int64 (S,), index into the frame table.
    """

    times_us: np.ndarray
    frames: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class FrameBatch:
    """B consecutive samples with their pictures.

    Batch n holds the samples n * size up to (n + 1) * size, whoever decodes it; only the
    last batch of a video is smaller.

    Attributes:
        number: n.
        size: samples of a full batch.
        times_us: int64 (B,).
        frames: int64 (B,), index into the frame table; a folder's file numbers.
        pictures: uint8 (B, H, W, 3), RGB, upright; black where not trusted.
        trusted: bool (B,), decoded from undamaged data.
    """

    number: int
    size: int
    times_us: np.ndarray
    frames: np.ndarray
    pictures: np.ndarray
    trusted: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """A piece of a video's sound on the video's own clock.

    Attributes:
        start_us: time of the first sample; the video's first frame is 0, so that sound
            which starts before the picture has negative times.
        samples: int16 (N,), mono, ``SOUND_RATE`` a second; holes are silence.
    """

    start_us: int
    samples: np.ndarray
