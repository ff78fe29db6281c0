"""Every limit of curation, with its unit and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """When two videos show the same recording.

    Attributes:
        bits: highest median distance of two aligned videos' picture codes, of 64 bits.
            Measured on five real videos: re-encoded, rescaled, blurred, trimmed and shifted
            copies reach 4 (6 at one picture a second under fast motion), copies whose edges
            were cropped by 3 % reach 6, by 5 % up to 8.5; other videos, and other parts of
            the same operation, start at 9.
        slack_us: pictures of two copies are sampled at different instants; each is compared
            with those within this time, microseconds.
        overlap_us: two videos must share at least this much, microseconds.
        samples: and at least this many pictures.
        share: and this share of the shorter one's pictures.
        contrast: pictures with less contrast (standard deviation of grey, [0, 1]) have no
            code worth comparing.
        crowd: a piece of code that more pictures share than this is said too often to say
            anything; it also bounds the work.
        votes: pieces of code that must agree on one shift before two videos are compared.
        shifts: how many shifts of a pair are tried, most agreed first.
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
    """Limits of single pictures and of whole videos; shares are in [0, 1].

    All are our choice; "measured" says on what.

    Attributes:
        blurred: a picture whose sharpness is below is blurred.  Measured: real frames 65 to
            over 900, of them 1 % below 100; the same blurred at sigma 3 below 30.
        dark: a picture with at least this share of nearly black pixels is dark.  Measured:
            frames from inside reach 0.81 where the endoscope's circle is small.
        outside: a picture less like the inside of a body than this, and not dark, is from
            outside.  Measured error rates are in ``docs/curation.md``.
        least_stretch_us: shorter stretches are not told, microseconds.
        complete: least share of the promised length that can be read.
        damaged: highest share of samples that rest on damaged data.
        short_us: a video below this is too short to ask about, microseconds.
        side: least short side of the picture, pixels.
        rate: least rate of a video file, frames a second; folders of frames are sampled
            already and have no rate of their own.
        sharp_share: least share of sharp pictures among those that are neither dark nor
            from outside.
        dark_share, outside_share: highest share of such pictures.
        outside_us: longest stretch from outside, microseconds.
        overlay: highest mean share of the picture under drawn overlays.
        speech: least share of the time with speech.
        metadata: fields that a video's metadata must have.
        drops: rules whose failure drops a video; take a name out to switch it off.
            Narration and metadata are told and drop nothing by default, since pictures
            without them still serve.
        duplicates: limits of near-duplicates.
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
