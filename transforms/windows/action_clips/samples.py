"""Samples of SAP-Bench: a current frame, and the action that begins on the next one.

The current frame is F - 1 for a clip that begins on frame F, so nothing that is shown
belongs to the action that is asked for.  Every clip gives a sample except the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ontology.next_actions import action_ids
from ontology.times import round_half_up
from transforms.windows.action_clips.clips import Clip, VideoClips

NEAR_FRAMES = 6
"""Of the predecessor's seven near frames all but the last, on which the answer begins."""
_SHARE_STEPS = 10**6

RULE = "action_after_frame"
RULE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """One question: what comes after the current frame?

    Attributes:
        number: place of the asked clip among the video's, from 0; never 0 itself.
        of: how many clips the video has.
        before, asked: the clip that is ending, and the one whose action is asked for.
        history: actions of all clips that began by the current frame, in order.
        plan: the asked action and all that follow it without a hole.
        elapsed: share of the context's frames up to the current one; None where the context's
            end is not known.
        context: [first, last] frame of the video's context; where its end is not known, the
            frame on which the last clip begins.
    """

    video: str
    number: int
    of: int
    before: Clip
    asked: Clip
    history: tuple[str, ...]
    plan: tuple[str, ...]
    elapsed: Fraction | None
    context: tuple[int, int]

    @property
    def frame(self) -> int:
        """The current frame."""
        return self.asked.start - 1

    @property
    def action(self) -> str:
        """The answer."""
        return self.asked.action

    @property
    def ends(self) -> int | None:
        """Last frame of the asked clip; None where the source does not say."""
        unknown = self.elapsed is None and self.number == self.of - 1
        return None if unknown else self.asked.end

    @property
    def following(self) -> str | None:
        """The action after the answer, which relaxed scores accept; None where there is none."""
        return self.plan[1] if len(self.plan) > 1 else None

    @property
    def hole(self) -> int:
        """Frames up to the current one that belong to no clip; 0 where the clips tile."""
        return self.frame - self.before.end

    @property
    def near_frames(self) -> tuple[int, ...]:
        """Frames spread evenly from the start of the ending clip to the current one."""
        first, steps = self.before.start, NEAR_FRAMES - 1
        return tuple(first + k * (self.frame - first) // steps for k in range(NEAR_FRAMES))

    def planned(self, horizon: int) -> tuple[str, ...]:
        """The next ``horizon`` actions, fewer at the end of a video."""
        return self.plan[:horizon]


def samples_of(video: VideoClips, *, tested_only: bool = False) -> tuple[Sample, ...]:
    """The samples of a video: every clip that follows another.

    Args:
        tested_only: leave out what the source does not ask about, where it says so.
    """
    clips = video.clips
    wanted = set(range(len(clips))) if video.tested is None or not tested_only else {*video.tested}
    total, shown, out = video.frames, 0, []
    for k in range(1, len(clips)):
        shown += clips[k - 1].frames
        if k not in wanted or not video.follows(k):
            continue
        out.append(
            Sample(
                video=video.video,
                number=k,
                of=len(clips),
                before=clips[k - 1],
                asked=clips[k],
                history=tuple(clip.action for clip in clips[:k]),
                plan=_plan(video, k),
                elapsed=None if video.open_end else Fraction(shown, total),
                context=(clips[0].start, clips[-1].end),
            )
        )
    return tuple(out)


def _plan(video: VideoClips, first: int) -> tuple[str, ...]:
    end = first + 1
    while end < len(video.clips) and video.follows(end):
        end += 1
    return tuple(clip.action for clip in video.clips[first:end])


def answer_value(sample: Sample) -> dict[str, Any]:
    """What scoring needs of a sample, ready for JSON: see ``transforms.scoring.sapbench``."""
    return {
        "action": sample.action,
        "index": action_ids().index(sample.action),
        "following": sample.following,
        "previous": sample.before.action,
        "elapsed": None if sample.elapsed is None else _six_decimals(sample.elapsed),
        "derivation": {
            "rule": RULE,
            "rule_version": RULE_VERSION,
            "current_frame": sample.frame,
            "next_clip": [sample.asked.start, sample.ends],
        },
    }


def slots(sample: Sample) -> dict[str, Any]:
    """What a template may be filled with or cut by, ready for JSON."""
    return {
        "current_s": sample.frame,
        "clip_start_s": sample.before.start,
        "clip_end_s": sample.before.end,
        "next_clip_start_s": sample.asked.start,
        "next_clip_end_s": sample.ends,
        "previous": sample.before.action,
        "next": sample.action,
        "after_next": sample.following,
        "phase": sample.before.phases[-1] if sample.before.phases else None,
        "context_start_s": sample.context[0],
        "context_end_s": None if sample.elapsed is None else sample.context[1],
        "clip_number": sample.number,
        "clips": sample.of,
        "until_action_s": 1,
        "hole_s": sample.hole,
        "purity": sample.asked.purity,
        "centrality": sample.asked.centrality,
        "history": list(sample.history),
        "near_frames": list(sample.near_frames),
    }


def _six_decimals(share: Fraction) -> float:
    return round_half_up(share * _SHARE_STEPS) / _SHARE_STEPS
