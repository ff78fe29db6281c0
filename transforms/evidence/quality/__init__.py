"""Quality of each frame: light, sharpness, colour, overlays, and codes to compare frames."""

from surgqa.transforms.evidence.quality.extractor import Extractor
from surgqa.transforms.evidence.quality.settings import QualitySettings

__all__ = ["Extractor", "QualitySettings"]
