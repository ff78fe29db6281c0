"""Segmentation: SAM2 tracks boxed objects, window by window; gives masks, outlines and boxes."""

from transforms.evidence.segment.boxes import boxes_from_masks
from transforms.evidence.segment.extractor import Extractor
from transforms.evidence.segment.follow import Followed, Pointed, follow, merged, plan_followed
from transforms.evidence.segment.predictor import Found, Predictor, Sam2Predictor
from transforms.evidence.segment.prompts import Prompt, WindowPrompts, prompts
from transforms.evidence.segment.settings import SegmentSettings
from transforms.evidence.segment.stitch import stitch
from transforms.evidence.segment.windows import MaskWindow, plan_windows

__all__ = [
    "Extractor",
    "Followed",
    "Found",
    "MaskWindow",
    "Pointed",
    "Predictor",
    "Prompt",
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
