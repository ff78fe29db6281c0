"""Boxes of instruments and tissue in images, from a trained detector on PyTorch or ONNX Runtime."""

from surgqa.transforms.evidence.detect.classes import ClassMeaning, Dropped
from surgqa.transforms.evidence.detect.extractor import BoxExtractor, Extractor
from surgqa.transforms.evidence.detect.publish import export_onnx
from surgqa.transforms.evidence.detect.settings import DetectSettings, TrainSettings
from surgqa.transforms.evidence.detect.train import train

__all__ = [
    "BoxExtractor",
    "DetectSettings",
    "Dropped",
    "Extractor",
    "ClassMeaning",
    "TrainSettings",
    "export_onnx",
    "train",
]
