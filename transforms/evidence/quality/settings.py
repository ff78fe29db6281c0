"""Settings of the image quality measures."""

from __future__ import annotations

from dataclasses import dataclass, field

from surgqa.transforms.evidence.privacy.settings import StillSettings


@dataclass(frozen=True, slots=True)
class QualitySettings:
    """Fixed sizes and limits; hues are 0 to 179, other values 0 to 255.

    Attributes:
        width, height: pixels of the frame that is measured, shrunk by area averaging.
            Sharpness depends on both, so thresholds are valid only for this size.
        dark_value: grey below this is nearly black.  Black level of video is 16.
        lit_value: HSV value from which a pixel's colour is used. The dark area around the
            endoscope's circle has lower values.
        lit_share: least share of lit pixels in the frame; with fewer, the colour is not used.
        tissue_hue_to, tissue_hue_from: tissue is red to orange, so its hue is at most the
            first or at least the second.
        tissue_saturation: least saturation of tissue.
        foreign_hue_from, foreign_hue_to: green to blue, a common hue of drapes, gloves and
            clothes that is rare inside a body.
        foreign_saturation: least saturation of such colours.
        foreign_share: share of green to blue among the lit pixels from which a frame counts as
            outside the body, whatever its other pixels show. The highest in 496 real frames from
            inside is 0.08.
        still: limits for finding drawn overlays.
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
