"""Build a timeline from annotations: linked tracks, and the relation of facts."""

from transforms.timeline.link import LinkLimits
from transforms.timeline.timeline import Timeline, build_timeline

__all__ = ["LinkLimits", "Timeline", "build_timeline"]
