"""The held-out part for measuring: chosen once, never used for training, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ontology.errors import UserError
from ontology.keys import Key
from ontology.times import round_half_up
from transforms.labelling.settings import HoldingOut
from transforms.labelling.view import StoreView


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a video; ``end_us`` None means its end."""

    video_id: str
    start_us: int
    end_us: int | None

    def holds(self, time_us: int, room_us: int = 0) -> bool:
        """Whether the time is inside, or closer than ``room_us``."""
        late = self.end_us is not None and time_us >= self.end_us + room_us
        return time_us >= self.start_us - room_us and not late


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The held-out part.

    Attributes:
        share: requested share.
        by: ``video`` (whole surgeries) or ``stretch``.
        guard_us: times closer than this to a held-out stretch are not used at all.
        stretches: the held-out parts of videos.
    """

    share: float
    by: str
    guard_us: int
    stretches: tuple[Stretch, ...]

    def holds(self, video_id: str, time_us: int) -> bool:
        """Whether the instant is for measuring."""
        return any(one.video_id == video_id and one.holds(time_us) for one in self.stretches)

    def allows(self, video_id: str, time_us: int) -> bool:
        """Whether the instant may be labelled for training."""
        return not any(
            one.video_id == video_id and one.holds(time_us, self.guard_us) for one in self.stretches
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "share": self.share,
            "by": self.by,
            "guard_us": self.guard_us,
            "stretches": [
                {"video_id": s.video_id, "start_us": s.start_us, "end_us": s.end_us}
                for s in self.stretches
            ],
        }


def hold_out(view: StoreView, settings: HoldingOut) -> HeldOut:
    """Choose the held-out part by digests of names.

    Whole surgeries are held out if the share is at least one of them, so that no patient is on both
    sides; otherwise stretches of the videos.

    Raises:
        UserError: an invalid share, or nothing to divide.
    """
    if not 0 < settings.share < 1:
        raise UserError(
            "not a share", expected="a number between 0 and 1", found=str(settings.share),
            where="--held-out",
        )  # fmt: skip
    groups: dict[str, list[str]] = {}
    for video_id in view.videos():
        group = str(view.facts(video_id).get("split_group") or video_id)
        groups.setdefault(group, []).append(video_id)
    count = round_half_up(Fraction(settings.share) * len(groups))
    if 1 <= count < len(groups):
        order = Key("label", "held out", settings.seed).ordered(groups)
        videos = sorted(video for group in order[:count] for video in groups[group])
        parts = tuple(Stretch(video, 0, None) for video in videos)
        return HeldOut(settings.share, "video", 0, parts)
    return HeldOut(settings.share, "stretch", settings.guard_us, _stretches(view, settings))


def _stretches(view: StoreView, settings: HoldingOut) -> tuple[Stretch, ...]:
    ends = {video_id: _end_us(view, video_id) for video_id in view.videos()}
    longest = max(ends.values(), default=0)
    length = max(1, min(settings.stretch_us, int(longest * settings.share)))
    parts = {
        f"{video_id} {start}": Stretch(video_id, start, start + length)
        for video_id, end in ends.items()
        for start in range(0, end, length)
    }
    count = max(1, round_half_up(Fraction(settings.share) * len(parts)))
    if len(parts) <= count:
        raise UserError(
            "not enough video for a held-out part",
            expected="at least two sampled frames",
            found=f"{len(parts)} stretch(es) in {len(ends)} video(s)",
            fix="observe more video first",
        )
    order = Key("label", "held out", settings.seed).ordered(parts)
    chosen: Sequence[Stretch] = [parts[name] for name in order[:count]]
    return tuple(sorted(chosen, key=lambda one: (one.video_id, one.start_us)))


def _end_us(view: StoreView, video_id: str) -> int:
    """One microsecond after the last sample."""
    times = [view.table(video_id, kind)["time_us"].to_pylist() for kind in ("frames", "boxes")]
    return max((time_us + 1 for column in times for time_us in column), default=0)
