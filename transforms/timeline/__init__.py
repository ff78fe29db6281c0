"""From annotations to a timeline: linking, broadcast, continuity, blocks, kinematics."""

from transforms.timeline.settings import BroadcastLimits, LinkLimits
from transforms.timeline.timeline import Timeline, build_timeline

__all__ = ["BroadcastLimits", "LinkLimits", "Timeline", "build_timeline"]
