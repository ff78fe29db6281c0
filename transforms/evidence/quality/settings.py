"""Settings of the picture measures."""

from __future__ import annotations

from dataclasses import dataclass, field

from transforms.evidence.privacy.settings import StillSettings


@dataclass(frozen=True, slots=True)
class QualitySettings:
    """Fixed sizes and limits; hues run from 0 to 179, the other values from 0 to 255.

    Attributes:
        width, height: pixels at which all is measured, shrunk by area averaging.  Sharpness
            depends on both, so thresholds hold for this size alone.
        dark_value: grey below this is nearly black.  Black level of video is 16.
        lit_value: HSV value from which a pixel's colour is told; the dark surround of the
            endoscope's circle lies below it.
        lit_share: share of the picture that must be lit for its colour to say anything.
        tissue_hue_to, tissue_hue_from: tissue is red to orange, so its hue lies up to the
            first or from the second on.
        tissue_saturation: least saturation of tissue.
        foreign_hue_from, foreign_hue_to: green to blue, which drapes, gloves and clothes
            have and the inside of a body hardly has.
        foreign_saturation: least saturation of such colours.
        foreign_share: share of the lit pixels at which green to blue alone means outside.
            The highest among 496 real frames from inside is 0.08.
        still: limits of the search for drawn overlays.
    """

    width: int = 320
    height: int = 180
    dark_value: int = 16
    lit_value: int = 40
    lit_share: float = 0.03
    tissue_hue_to: int = 18
    tissue_hue_from: int = 165
    tissue_saturation: int = 50
    foreign_hue_from: int = 35
    foreign_hue_to: int = 140
    foreign_saturation: int = 50
    foreign_share: float = 0.3
    still: StillSettings = field(default_factory=StillSettings)
