"""Cutting a timeline into what a question may see."""

from transforms.windows.clips import ClipLimits, Cut, cut_clips
from transforms.windows.view import View, view_windows

__all__ = ["ClipLimits", "Cut", "View", "cut_clips", "view_windows"]
