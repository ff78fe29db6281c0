"""Settings of sound: what counts as a hole, as quiet, as clipped; and the version of all."""

from __future__ import annotations

from dataclasses import dataclass

from ontology.times import SECOND_US

MEDIA_VERSION = 2
"""Raised whenever the same file gives other pictures, times or sound, or trusts other ones."""


@dataclass(frozen=True, slots=True)
class SoundSettings:
    """How sound is laid out on the video's clock and cut.

    Attributes:
        hole_us: a jump of the sound's clock above this is a hole (or an overlap); below
            it is rounding of the container's time stamps, of which Matroska's are
            coarsest at 1 ms, and drift.
        longest_hole_us: a jump above this is a broken clock, and reading stops.
        search_us: length of a piece's last part in which a quiet place to cut is sought;
            surgeons pause far more often.
        quiet_us: length of the place that must be quiet; a gap between words.
        hop_us: distance of the places tried.
        silent_peak: the loudest sample of a silent track, of 32,767 (-60 dB).
        clipped_peak: samples at or above this are clipped.
        holes_told: holes that the facts list by time; all are counted.
    """

    hole_us: int = 50_000
    longest_hole_us: int = 600 * SECOND_US
    search_us: int = 60 * SECOND_US
    quiet_us: int = 100_000
    hop_us: int = 10_000
    silent_peak: int = 32
    clipped_peak: int = 32_767
    holes_told: int = 100
