"""Data types that decoding passes on: frame tables, batches of frames, pieces of sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

MEDIA_VERSION = 2
"""Increase it when a file gives other frames, times or sound, or other frames are trusted."""
SOUND_RATE = 16_000
"""Samples per second of all sound; the rate the speech models were trained on."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """The times at which each frame of a medium is on screen, for F frames in presentation order.

    Attributes:
        starts_us: int64 (F,), strictly ascending; the first is 0, except for a folder whose
            numbers begin later.
        ticks: int64 (F,), presentation times in the stream's time base, or the file numbers of
            a folder.
        key: bool (F,), decoding can start here.
        end_us: end of the last frame.
        promised_us: length that the container's header states, or None.
        stopped_us: time at which reading stopped before the stated end, or None.
        damaged: number of packets that could not be read or have no time.
        stopped_why: reason why reading stopped, as text; empty if it did not.
        promised: number of frames that the header states, or None.
        doubled: number of frames left out because another frame has the same time.
        unshown: number of frames before the first frame that any decoder shows. The frames on which
            they depend were cut off.
        absent: number of frames that are missing from a video of steady rate, by its clock.
        step: ticks between frames of a steady video; 0 if the rate varies.
        period_us: longest time for which a frame stays on screen; None: until the next frame.
        restarts: ascending indices of the entry points: frames to which the file can be sought and
            from which a new decoder can start. Each was verified. None: every frame is independent.
        places: packet number of each frame if packets have no usable presentation times,
            otherwise None.
        gaps: packet numbers before which packets are missing; only with ``places``.
        strict: True if a decoder that never repairs damage may be used, because it decodes the
            beginning of the file.
        unsure: indices of frames whose time is unreliable.
        unsure_why: why all times are unreliable, as text; empty if at most single times are.
        bad: ranges [first, last) of damaged bytes.
    """

    starts_us: np.ndarray
    ticks: np.ndarray
    key: np.ndarray
    end_us: int
    promised_us: int | None = None
    stopped_us: int | None = None
    damaged: int = 0
    stopped_why: str = ""
    promised: int | None = None
    doubled: int = 0
    unshown: int = 0
    absent: int = 0
    step: int = 0
    period_us: int | None = None
    restarts: Sequence[int] | None = None
    places: Sequence[int] | None = None
    gaps: Sequence[int] = ()
    strict: bool = False
    unsure: Sequence[int] = ()
    unsure_why: str = ""
    bad: Sequence[Sequence[int]] = ()


class SampleFault(IntEnum):
    """The reason why a sample has no usable frame; NONE if it has one."""

    NONE = 0
    DAMAGED = 1
    """Decoded from data that cannot be trusted."""
    MISSING = 2
    """The decoder gave no frame."""
    OTHER_SIZE = 3
    """Its size differs from that of the medium's first frame."""
    UNSURE = 4
    """Its time is unreliable."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The times at which a medium is sampled; S samples.

    Attributes:
        times_us: int64 (S,), strictly ascending.  Sample k is for the time k / rate: its time is
            the start of the frame on screen then, or k / rate if sample k - 1 has the same frame.
        frames: int64 (S,), index into the frame table.
    """

    times_us: np.ndarray
    frames: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class FrameBatch:
    """B consecutive samples with their frames.

    Batch n has the samples n * size to (n + 1) * size - 1; only a video's last batch is smaller.

    Attributes:
        number: index of the batch in the video (n).
        size: number of samples of a full batch.
        times_us: int64 (B,).
        frames: int64 (B,), index into the frame table, or file numbers of a folder.
        pictures: B of uint8 (H, W, 3), RGB, upright; black if not trusted.  Do not modify
            them: samples of one frame share one array.
        trusted: bool (B,), decoded from undamaged data.
        faults: uint8 (B,), a :class:`SampleFault` each; 0 if trusted.
    """

    number: int
    size: int
    times_us: np.ndarray
    frames: np.ndarray
    pictures: Sequence[np.ndarray]
    trusted: np.ndarray
    faults: np.ndarray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """A piece of a video's sound on the video's own clock.

    Attributes:
        start_us: time of the first sample.  The video's first frame is at 0, so sound that
            starts before it has negative times.
        samples: int16 (N,), mono, ``SOUND_RATE`` per second; gaps are silence.
    """

    start_us: int
    samples: np.ndarray
