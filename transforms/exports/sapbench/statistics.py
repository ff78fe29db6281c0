"""Numbers and durations of action clips, as in the tables of SAP-Bench's paper.

Standard deviations divide by n, not by n - 1, because only then do the paper's rows for its two
datasets agree with its row for both together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

from surgqa.ontology.action_clips import VideoClips
from surgqa.ontology.next_actions import action_ids

_WIDE = Context(prec=60)
_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class DurationSpread:
    """Number, sum, mean and standard deviation of durations in seconds.

    Attributes:
        frames: sum of the durations (one frame a second).
        mean, sd: with two decimals; None if there are no durations.
    """

    n: int
    frames: int
    mean: Decimal | None
    sd: Decimal | None


@dataclass(frozen=True, slots=True)
class Figures:
    """Statistics of the action clips of some videos.

    Attributes:
        videos: number of videos with at least one clip.
        samples: number of clips that follow another clip.
        context: for each video, the time from its first clip to its last, as durations.
        clips: durations of all clips.
        actions: durations of the clips of each action.
        repeats: number of clips that follow a clip of the same action.
        holes: number of gaps between two clips of a video.
    """

    videos: int
    samples: int
    context: DurationSpread
    clips: DurationSpread
    actions: dict[str, DurationSpread]
    repeats: int
    holes: int

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as a dictionary for JSON."""
        return {
            "videos": self.videos,
            "clips": self.clips.n,
            "samples": self.samples,
            "frames": self.clips.frames,
            "context_s": _plain(self.context),
            "clip_s": _plain(self.clips),
            "actions": {action: _plain(spread) for action, spread in self.actions.items()},
            "repeats": self.repeats,
            "holes": self.holes,
        }


def figures(videos: Sequence[VideoClips]) -> Figures:
    """Return the statistics of some videos; videos without a clip do not count."""
    known = [video for video in videos if video.clips]
    clips = [clip for video in known for clip in video.clips]
    return Figures(
        videos=len(known),
        samples=sum(video.following for video in known),
        context=spread([video.frames for video in known]),
        clips=spread([clip.frames for clip in clips]),
        actions={
            action: spread([clip.frames for clip in clips if clip.action == action])
            for action in action_ids()
        },
        repeats=sum(len(video.repeats) for video in known),
        holes=sum(len(video.context) - 1 for video in known),
    )


def spread(seconds: Sequence[int]) -> DurationSpread:
    """Return number, sum, mean and standard deviation of durations in whole seconds."""
    n, total = len(seconds), sum(seconds)
    if not n:
        return DurationSpread(0, 0, None, None)
    variance = Fraction(sum(one * one for one in seconds), n) - Fraction(total, n) ** 2
    return DurationSpread(
        n, total, _printed(_decimal(Fraction(total, n))), _printed(_WIDE.sqrt(_decimal(variance)))
    )


def _decimal(value: Fraction) -> Decimal:
    return _WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))


def _printed(value: Decimal) -> Decimal:
    return value.quantize(_CENT, ROUND_HALF_UP)


def _plain(one: DurationSpread) -> dict[str, Any]:
    mean, sd = (None if value is None else float(value) for value in (one.mean, one.sd))
    return {"n": one.n, "frames": one.frames, "mean": mean, "sd": sd}
