"""Every limit of curation, with its unit and its source."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """Limits for finding two videos that show the same recording.

    Attributes:
        bits: highest median distance of the frame hashes of two aligned videos, of 64 bits.
            Measured on five real videos: re-encoded, rescaled, blurred, trimmed and shifted
            copies reach 4 (6 at one frame per second under fast motion).  Copies with edges
            cropped by 3 % reach 6, by 5 % up to 8.5.  Other videos, and other parts of the
            same operation, start at 9.
        slack_us: two copies are sampled at different times, so a frame is compared with all
            frames of the other within this time, microseconds.
        overlap_us: least overlap of two copies, microseconds.
        samples: least number of compared frames.
        share: least share of the frames that are compared, in the video with fewer frames.
        contrast: frames with less contrast (standard deviation of grey, [0, 1]) are not
            compared, since their hashes mean little.
        crowd: a part of a hash that more videos share than this is ignored, because it is
            too common; this also bounds the work.
        votes: parts of hashes that must agree on one time shift before two videos are compared.
        shifts: number of time shifts tried for each pair, those with most agreement first.
    """

    bits: int = 6
    slack_us: int = 1_000_000
    overlap_us: int = 8_000_000
    samples: int = 6
    share: float = 0.5
    contrast: float = 0.05
    crowd: int = 40
    votes: int = 2
    shifts: int = 3


@dataclass(frozen=True, slots=True)
class CurateSettings:
    """Limits for single frames and whole videos; shares are in [0, 1].

    All limits are our choice; "measured" states the data on which a limit is based.

    Attributes:
        blurred: a frame with lower sharpness is blurred.  Measured: real frames have 65 to
            over 900, 1 % of them below 100; the same frames blurred at sigma 3 are below 30.
        dark: a frame with at least this share of nearly black pixels is dark.  Measured:
            frames from inside reach 0.81 if the endoscope's circle is small.
        outside: a frame with a lower likeness to the inside of a body, and not dark, is from
            outside.  Measured error rates are in ``docs/curation.md``.
        least_stretch_us: shorter stretches are not reported, microseconds.
        complete: least share of the stated length that can be read.
        damaged: highest share of samples without a trusted frame.
        short_us: least length of a video, microseconds.
        side: least short side of the frame, pixels.
        rate: least rate of a video file, frames per second; folders of frames are already
            sampled and have no rate of their own.
        sharp_share: least share of sharp frames among the frames not dark or from outside.
        dark_share, outside_share: highest share of dark frames, and of frames from outside.
        outside_us: longest allowed stretch from outside, microseconds.
        overlay: highest mean share of the frame that drawn overlays cover.
        speech: least share of the time with speech.
        metadata: fields that a video's metadata must have.
        drops: rules whose failure drops a video; remove a name to disable that rule. Narration and
            metadata are only reported by default, since videos without them are still useful.
        duplicates: limits for near-duplicates.
    """

    blurred: float = 60.0
    dark: float = 0.95
    outside: float = 0.15
    least_stretch_us: int = 2_000_000
    complete: float = 0.95
    damaged: float = 0.05
    short_us: int = 5_000_000
    side: int = 240
    rate: float = 10.0
    sharp_share: float = 0.5
    dark_share: float = 0.3
    outside_share: float = 0.3
    outside_us: int = 60_000_000
    overlay: float = 0.15
    speech: float = 0.1
    metadata: tuple[str, ...] = ("procedure", "specialty")
    drops: tuple[str, ...] = (
        "complete",
        "damaged",
        "dark",
        "length",
        "near_duplicate",
        "outside",
        "rate",
        "resolution",
        "sharp",
    )
    duplicates: DuplicateSettings = field(default_factory=DuplicateSettings)
