"""Segmentation: SAM2 tracks what boxes point at, window by window; masks, outlines, boxes."""

from transforms.evidence.segment.boxes import boxes_from_masks
from transforms.evidence.segment.extractor import Extractor
from transforms.evidence.segment.predictor import Found, Predictor, Sam2Predictor
from transforms.evidence.segment.prompts import Prompt, WindowPrompts, prompts
from transforms.evidence.segment.settings import SegmentSettings
from transforms.evidence.segment.stitch import stitch
from transforms.evidence.segment.windows import MaskWindow, plan_windows

__all__ = [
    "Extractor",
    "Found",
    "MaskWindow",
    "Predictor",
    "Prompt",
    "Sam2Predictor",
    "SegmentSettings",
    "WindowPrompts",
    "boxes_from_masks",
    "plan_windows",
    "prompts",
    "stitch",
]
