"""Boxes of instruments and tissue in images, from a trained detector on PyTorch or ONNX Runtime."""

from transforms.evidence.detect.classes import ClassMap, Dropped, Meaning, read_class_map
from transforms.evidence.detect.extractor import Extractor
from transforms.evidence.detect.measure import Found, Measured, measure
from transforms.evidence.detect.publish import export_onnx
from transforms.evidence.detect.settings import DetectSettings, TrainSettings
from transforms.evidence.detect.train import TrainRecord, evaluate, train

__all__ = [
    "ClassMap",
    "DetectSettings",
    "Dropped",
    "Extractor",
    "Found",
    "Meaning",
    "Measured",
    "TrainRecord",
    "TrainSettings",
    "evaluate",
    "export_onnx",
    "measure",
    "read_class_map",
    "train",
]
