"""Action clips: maximal runs of frames with one action, which tile the context of a video.

A frame is a second: picture F of a video stored at one picture a second.  Both ends of a
clip belong to it, as SAP-Bench writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

KIND = "next_action"
"""Of the spans that clips are."""

CONTEXT = ("calot_triangle_dissection", "clipping_and_cutting", "gallbladder_dissection")
"""Phases 2 to 4 of a cholecystectomy, the context of SAP-Bench."""

Stretch = tuple[int, int]
"""[first, last] frame, both included."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One action of one video.

    Attributes:
        start, end: first and last frame, both included.
        action: id of :func:`ontology.next_actions.action_ids`.
        purity: share of its frames whose own action is the clip's; None where imported.
        centrality: share of its frames in which an acting instrument is in the central zone,
            of those in which one has a box; None where none has, or where imported.
        where: file and place of an imported clip.
    """

    start: int
    end: int
    action: str
    purity: float | None = None
    centrality: float | None = None
    where: str = ""

    @property
    def frames(self) -> int:
        """Its duration in seconds."""
        return self.end - self.start + 1


@dataclass(frozen=True, slots=True)
class VideoClips:
    """The clips of one video, by start; none overlaps another.

    Attributes:
        open_end: the source does not say where the last clip ends; it stands as one frame.
        derived: made by rule from labels.  Nobody looked at the time between two of them, so
            the second does not follow the first; of clips that people made it does.
    """

    video: str
    clips: tuple[Clip, ...]
    open_end: bool = False
    derived: bool = False

    @property
    def following(self) -> int:
        """How many clips are what was done after the one before them."""
        pairs = [b.start == a.end + 1 for a, b in pairwise(self.clips)]
        return sum(pairs) if self.derived else len(pairs)

    @property
    def context(self) -> tuple[Stretch, ...]:
        """Stretches without a hole that the clips tile."""
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
        """Places of clips that follow one of the same action without a hole."""
        pairs = enumerate(pairwise(self.clips), start=1)
        return tuple(k for k, (a, b) in pairs if a.action == b.action and b.start == a.end + 1)
