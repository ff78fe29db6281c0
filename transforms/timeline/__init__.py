"""Build a timeline from annotations: linked tracks, and the relation of facts."""

from surgqa.transforms.timeline.link import LinkLimits
from surgqa.transforms.timeline.timeline import Timeline, build_timeline

__all__ = ["LinkLimits", "Timeline", "build_timeline"]
