"""Settings of sound (what is a gap, quiet, clipped), and the version of all media code."""

from __future__ import annotations

from dataclasses import dataclass

from surgqa.ontology.times import SECOND_US

MEDIA_VERSION = 2
"""Increase it when a file gives other frames, times or sound, or other frames are trusted."""


@dataclass(frozen=True, slots=True)
class SoundSettings:
    """Settings of how sound is placed on the video's clock and cut.

    Attributes:
        hole_us: a jump of the sound's clock above this is a gap (or an overlap). A smaller jump is
            drift, or rounding of the container's time stamps (at most 1 ms, in Matroska).
        longest_hole_us: a jump above this means a broken clock, and reading stops.
        search_us: length of the last part of a piece in which a quiet place for the cut is
            searched; surgeons pause far more often.
        quiet_us: length of the place that must be quiet, about a pause between words.
        hop_us: distance between the places that are tried.
        silent_peak: maximum sample value of a silent track, of 32,767 (-60 dB).
        clipped_peak: samples at or above this are clipped.
        holes_told: maximum number of gaps that the facts list by time; all are counted.
    """

    hole_us: int = 50_000
    longest_hole_us: int = 600 * SECOND_US
    search_us: int = 60 * SECOND_US
    quiet_us: int = 100_000
    hop_us: int = 10_000
    silent_peak: int = 32
    clipped_peak: int = 32_767
    holes_told: int = 100
