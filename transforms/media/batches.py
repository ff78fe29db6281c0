"""What decoding hands on: tables of frames, batches of pictures, pieces of sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

SOUND_RATE = 16_000
"""Samples a second of all sound: what the speech models were trained on."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """When each frame of a medium is on screen; F frames in presentation order.

    Attributes:
        starts_us: int64 (F,), strictly ascending; the first is 0, but for a folder whose
            numbers begin later.
        ticks: int64 (F,), presentation times in the stream's time base; a folder's file
            numbers.
        key: bool (F,), decoding can start here.
        end_us: end of the last frame.
        promised_us: length that the container's header states, or None.
        stopped_us: where reading broke off before the promised end, or None.
        damaged: packets that could not be read or placed; a folder's files that are no
            frames.
        stopped_why: what was met there, in words; empty where reading did not break off.
        promised: frames that the header states, or None.
        doubled: frames left out because another is shown at the same time.
        unshown: frames before the first that any decoder shows (their references were
            cut away).
        absent: frames that are missing by the clock of an otherwise steady recording.
        step: ticks from frame to frame of a steady recording; 0 where the rate varies.
        period_us: how long a frame stays on screen at most; None: until the next.
        restarts: ascending indices of frames at which a fresh decoder can begin and to
            which the file can be sought, verified; None: every frame stands by itself.
        places: packet number of each frame, for a file whose packets carry no usable
            presentation times; else None.
        gaps: packet numbers before which some are missing, where ``places`` says so.
        strict: the decoder may be strict: the file's beginning passes.
        unsure: indices of frames whose time cannot be vouched for.
        unsure_why: what contradicts all times, in words; empty where single ones are unsure.
        bad: ranges [first, last) of bytes that are damaged.
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


class Fault(IntEnum):
    """Why a sample has no picture."""

    NONE = 0
    DAMAGED = 1
    """Decoded from data that cannot be trusted."""
    MISSING = 2
    """The decoder gave nothing for it."""
    OTHER_SIZE = 3
    """Not of the size of the medium's first frame."""
    UNSURE = 4
    """Not surely of that time."""


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
        pictures: B of uint8 (H, W, 3), RGB, upright; black where not trusted.  Not to be
            written to: samples of one frame share its picture.
        trusted: bool (B,), decoded from undamaged data.
        faults: uint8 (B,), a :class:`Fault` each; 0 where trusted.
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
        start_us: time of the first sample; the video's first frame is 0, so that sound
            which starts before the picture has negative times.
        samples: int16 (N,), mono, ``SOUND_RATE`` a second; holes are silence.
    """

    start_us: int
    samples: np.ndarray
