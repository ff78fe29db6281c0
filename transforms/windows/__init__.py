"""Cut a timeline into the windows that questions may see."""

from surgqa.transforms.windows.clips import ClipLimits, Cut, cut_clips

__all__ = ["ClipLimits", "Cut", "cut_clips"]
