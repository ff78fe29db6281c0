"""Sound levels, frame by frame, and which parts are not silent.

Sums of squares of int16 samples are integers, so levels are the same on every machine.  Limits in
decibels are converted to squares and compared there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from surgqa.transforms.evidence.speech.settings import SpeechSettings
from surgqa.transforms.media.batches import SOUND_RATE

FULL_SCALE = 32768.0
MS_US = 1000
FLOOR_DB = -120.0
"""Level used for digital silence, whose level in decibels is not defined."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Levels of one piece of sound; F frames.

    Attributes:
        start_us: time of the first frame.
        frame_us: length of a frame.
        power: float64 (F,), mean square of each frame; full scale is 1.
        noise_db: level of the quiet frames, decibels of full scale.
        loud_db: level of the loud frames.
        still_share: share of frames that are digital silence.
    """

    start_us: int
    frame_us: int
    power: np.ndarray
    noise_db: float
    loud_db: float
    still_share: float

    def loudness(self, start_us: int, end_us: int, share: float) -> float:
        """Level that ``share`` of the frames between two times do not exceed, in decibels."""
        first = max((start_us - self.start_us) // self.frame_us, 0)
        last = max(-((self.start_us - end_us) // self.frame_us), first + 1)
        return _decibels(_ranked(self.power[first:last], share))


def measure(start_us: int, samples: np.ndarray, settings: SpeechSettings) -> Levels:
    """Return levels of int16 samples; an incomplete last frame is left out."""
    size = SOUND_RATE * settings.frame_ms // 1000
    count = len(samples) // size
    frames = samples[: count * size].astype(np.int64).reshape(count, size)
    power = (frames * frames).sum(axis=1) / (size * FULL_SCALE**2)
    heard = power[power > 0.0]  # zeros that fill gaps contain no noise
    return Levels(
        start_us,
        settings.frame_ms * MS_US,
        power,
        _decibels(_ranked(heard, settings.quiet_share)),
        _decibels(_ranked(heard, settings.loud_share)),
        1.0 - len(heard) / count if count else 1.0,
    )


def sounds(levels: Levels, settings: SpeechSettings) -> list[tuple[int, int]] | None:
    """Return stretches [start, end) that are not silent, separated by long enough silences.

    Returns:
        Times in microseconds, ascending; None if noise is too close to the level of speech.
    """
    highest = levels.loud_db - settings.below_loud_db
    limit_db = max(settings.silence_dbfs, levels.noise_db + settings.above_noise_db)
    if limit_db > highest and levels.still_share >= settings.quiet_share:
        limit_db = settings.silence_dbfs  # a noise gate mutes the pauses between words
    if limit_db > highest:
        return None
    loud = levels.power > 10.0 ** (limit_db / 10.0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], loud, [False]]).astype(np.int8)))
    runs = edges.reshape(-1, 2)
    frame_s = levels.frame_us / 1_000_000
    joined = _joined(runs, round(settings.least_silence_s / frame_s))
    least = round(settings.least_sound_s / frame_s)
    return [
        (levels.start_us + first * levels.frame_us, levels.start_us + last * levels.frame_us)
        for first, last in joined
        if last - first >= least
    ]


def _joined(runs: np.ndarray, gap: int) -> list[tuple[int, int]]:
    """Return the runs of frames, joined over gaps shorter than ``gap``."""
    if len(runs) == 0:
        return []
    cuts = [i + 1 for i, (a, b) in enumerate(pairwise(runs)) if b[0] - a[1] >= gap]
    bounds = [0, *cuts, len(runs)]
    return [(int(runs[a][0]), int(runs[b - 1][1])) for a, b in pairwise(bounds)]


def _ranked(power: np.ndarray, share: float) -> float:
    """The value that ``share`` of the values do not exceed; always one of them, not a mean."""
    if len(power) == 0:
        return 0.0
    return float(np.sort(power)[min(int(share * len(power)), len(power) - 1)])


def _decibels(power: float) -> float:
    return max(10.0 * math.log10(power), FLOOR_DB) if power > 0.0 else FLOOR_DB
