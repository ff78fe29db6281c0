"""Cutting a timeline into what a question may see."""

from transforms.windows.clips import ClipLimits, Cut, cut_clips

__all__ = ["ClipLimits", "Cut", "cut_clips"]
