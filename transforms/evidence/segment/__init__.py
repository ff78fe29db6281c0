"""Segmentation: SAM2 tracks boxed objects and gives masks, outlines and boxes."""

from surgqa.transforms.evidence.segment.extractor import Extractor, MaskExtractor
from surgqa.transforms.evidence.segment.follow import (
    Followed,
    Pointed,
    follow,
    merged,
    plan_followed,
)
from surgqa.transforms.evidence.segment.masks import boxes_from_masks
from surgqa.transforms.evidence.segment.predictor import PredictedMask, Predictor, Sam2Predictor
from surgqa.transforms.evidence.segment.prompts import MaskPrompt, WindowPrompts, prompts
from surgqa.transforms.evidence.segment.settings import MaskSettings, SegmentSettings
from surgqa.transforms.evidence.segment.stitch import stitch
from surgqa.transforms.evidence.segment.windows import MaskWindow, plan_windows

__all__ = [
    "Extractor",
    "Followed",
    "PredictedMask",
    "MaskExtractor",
    "MaskSettings",
    "MaskWindow",
    "Pointed",
    "Predictor",
    "MaskPrompt",
    "Sam2Predictor",
    "SegmentSettings",
    "WindowPrompts",
    "boxes_from_masks",
    "follow",
    "merged",
    "plan_followed",
    "plan_windows",
    "prompts",
    "stitch",
]
