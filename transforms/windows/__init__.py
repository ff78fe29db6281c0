"""Cut videos into clips (windows), each of which questions can be asked about."""

from surgqa.transforms.windows.clips import ClipLimits, Cut, cut_clips

__all__ = ["ClipLimits", "Cut", "cut_clips"]
