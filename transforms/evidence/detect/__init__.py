"""Boxes of instruments and tissue in images, from a trained detector on PyTorch or ONNX Runtime."""

from surgqa.transforms.evidence.detect.classes import (
    ClassMap,
    ClassMeaning,
    Dropped,
    read_class_map,
)
from surgqa.transforms.evidence.detect.extractor import BoxExtractor, Extractor
from surgqa.transforms.evidence.detect.measure import BoxSet, Measured, measure
from surgqa.transforms.evidence.detect.publish import export_onnx
from surgqa.transforms.evidence.detect.settings import DetectSettings, TrainSettings
from surgqa.transforms.evidence.detect.train import TrainRecord, evaluate, train

__all__ = [
    "BoxExtractor",
    "ClassMap",
    "DetectSettings",
    "Dropped",
    "Extractor",
    "BoxSet",
    "ClassMeaning",
    "Measured",
    "TrainRecord",
    "TrainSettings",
    "evaluate",
    "export_onnx",
    "measure",
    "read_class_map",
    "train",
]
