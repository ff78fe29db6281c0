"""Action clips: maximal runs of frames with one action, which tile the context of a video.

A frame is a second: picture F of a video stored at one picture a second.  Both ends of a
clip belong to it, as SAP-Bench writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

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
        phases: phase of its first and of its last frame; empty where not known.
        where: file and place of an imported clip.
    """

    start: int
    end: int
    action: str
    purity: float | None = None
    centrality: float | None = None
    phases: tuple[str, ...] = ()
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
        tested: places in ``clips`` that the source asks about; None where it does not say.
        derived: made by rule from labels.  Nobody looked at the time between two of them, so
            the second does not follow the first; of clips that people made it does.
    """

    video: str
    clips: tuple[Clip, ...]
    open_end: bool = False
    tested: tuple[int, ...] | None = None
    derived: bool = False

    def follows(self, at: int) -> bool:
        """Whether the clip at a place, from 1, is what was done after the one before it."""
        return not self.derived or joined(self.clips[at - 1], self.clips[at])

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
        return tuple(k for k, (a, b) in pairs if a.action == b.action and joined(a, b))


def joined(before: Clip, after: Clip) -> bool:
    """Whether the second begins on the frame after the first."""
    return after.start == before.end + 1


def tiles(clips: Sequence[Clip], context: Sequence[Stretch]) -> bool:
    """Whether every frame of the context belongs to one clip, and neighbours differ."""
    video = VideoClips("", tuple(clips))
    ordered = all(a.end < b.start for a, b in pairwise(clips))
    long_enough = all(clip.frames >= 1 for clip in clips)
    return ordered and long_enough and not video.repeats and _joint(video.context, context)


def _joint(found: Sequence[Stretch], context: Sequence[Stretch]) -> bool:
    """Whether both cover the same frames; stretches of the context may touch."""
    parts = [Clip(first, last, "") for first, last in context]
    return VideoClips("", tuple(parts)).context == tuple(found)
