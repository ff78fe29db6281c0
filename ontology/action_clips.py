"""Action clips: runs of consecutive frames in which the surgeon does one thing (SAP-Bench).

Together, the clips of a video cover its context: the phases in which next actions are asked for.

One frame is one second: frame F is image F of a video that is stored at one frame per second.  A
clip includes its first and its last frame, as in SAP-Bench.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

KIND = "next_action"
"""Kind of the intervals that are action clips."""

CONTEXT = ("calot_triangle_dissection", "clipping_and_cutting", "gallbladder_dissection")
"""Phases 2 to 4 of a cholecystectomy, which are the context in SAP-Bench."""

Stretch = tuple[int, int]
"""[first, last] frame; both belong to the interval."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A stretch of a video with one action.

    Attributes:
        start, end: first and last frame; both belong to the clip.
        action: id of :func:`ontology.next_actions.action_ids`.
        purity: share of the clip's frames that have the clip's action; None for imported clips.
        centrality: share of frames with an acting instrument in the central zone, among the clip's
            frames with a box of an acting instrument; None without boxes or for imported clips.
        where: file and position of an imported clip.
    """

    start: int
    end: int
    action: str
    purity: float | None = None
    centrality: float | None = None
    where: str = ""

    @property
    def frames(self) -> int:
        """Number of frames, which is the duration in seconds."""
        return self.end - self.start + 1


@dataclass(frozen=True, slots=True)
class VideoClips:
    """The clips of one video, sorted by start, without overlap.

    Attributes:
        open_end: True if the source does not state the end of the last clip, which is then stored
            as one frame.
        derived: the clips were made from labels by rule.  Nobody annotated the time between two
            such clips, so other actions may lie between them.
    """

    video: str
    clips: tuple[Clip, ...]
    open_end: bool = False
    derived: bool = False

    @property
    def following(self) -> int:
        """Number of clips that certainly follow the previous clip directly."""
        pairs = [b.start == a.end + 1 for a, b in pairwise(self.clips)]
        return sum(pairs) if self.derived else len(pairs)

    @property
    def context(self) -> tuple[Stretch, ...]:
        """The intervals that the clips cover without a gap."""
        out: list[Stretch] = []
        for clip in self.clips:
            if out and clip.start == out[-1][1] + 1:
                out[-1] = (out[-1][0], clip.end)
            else:
                out.append((clip.start, clip.end))
        return tuple(out)

    @property
    def frames(self) -> int:
        """Length of the context in seconds."""
        return sum(clip.frames for clip in self.clips)

    @property
    def repeats(self) -> tuple[int, ...]:
        """Indices of clips that follow a clip of the same action without a gap."""
        pairs = enumerate(pairwise(self.clips), start=1)
        return tuple(k for k, (a, b) in pairs if a.action == b.action and b.start == a.end + 1)
