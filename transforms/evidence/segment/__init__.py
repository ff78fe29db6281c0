"""Segmentation: SAM2 tracks boxed objects and gives masks, outlines and boxes."""

from surgqa.transforms.evidence.segment.extractor import Extractor, MaskExtractor
from surgqa.transforms.evidence.segment.follow import Followed, follow, merged, plan_followed
from surgqa.transforms.evidence.segment.masks import boxes_from_masks
from surgqa.transforms.evidence.segment.predictor import PredictedMask, Predictor, Sam2Predictor
from surgqa.transforms.evidence.segment.prompts import MaskPrompt, MaskWindow, plan_windows, prompts
from surgqa.transforms.evidence.segment.settings import MaskSettings, SegmentSettings
from surgqa.transforms.evidence.segment.stitch import stitch

__all__ = [
    "Extractor",
    "Followed",
    "MaskExtractor",
    "MaskSettings",
    "PredictedMask",
    "MaskWindow",
    "Predictor",
    "MaskPrompt",
    "Sam2Predictor",
    "SegmentSettings",
    "boxes_from_masks",
    "follow",
    "merged",
    "plan_followed",
    "plan_windows",
    "prompts",
    "stitch",
]
