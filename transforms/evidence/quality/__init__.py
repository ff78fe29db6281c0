"""What each picture is worth: light, sharpness, colour, overlays, and codes to compare it by."""

from transforms.evidence.quality.extractor import Extractor
from transforms.evidence.quality.settings import QualitySettings

__all__ = ["Extractor", "QualitySettings"]
