"""Quality of each frame: light, sharpness, colour, overlays, and codes to compare frames."""

from surgqa.transforms.evidence.quality.extractor import Extractor, QualitySettings

__all__ = ["Extractor", "QualitySettings"]
