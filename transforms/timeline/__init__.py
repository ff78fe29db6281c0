"""Build the timeline of a video from its annotations: tracks, and a table of facts.

An event tuple states that an instrument is in view at an instant, with its box and action as far as
they are known. A track is the sequence of event tuples of one instrument. A fact is something that
holds for a stretch of time, such as a phase. The relation is the table of all facts of some videos.
"""

from surgqa.transforms.timeline.link import LinkLimits
from surgqa.transforms.timeline.timeline import Timeline, build_timeline

__all__ = ["LinkLimits", "Timeline", "build_timeline"]
