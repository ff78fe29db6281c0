"""Choose the frames that a person should review next, and the part that is held out for measuring.

The held-out part is chosen once, never used for training, and never changed. The other frames are
chosen one by one, spread out over frames of which the detector is unsure. The next frame has the
largest product of doubt (signs of uncertainty) and distance to the nearest frame that is chosen or
reviewed (weighted k-centre greedy). Only one of several nearly identical frames is chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np

from surgqa.ontology.errors import NothingSelected, ValueInvalid
from surgqa.ontology.keys import Key
from surgqa.ontology.times import SECOND_US, round_half_up
from surgqa.transforms.labelling.settings import Choosing
from surgqa.transforms.labelling.signs import DECIMALS, SIGNS, FrameSigns, Instant, seen
from surgqa.transforms.labelling.view import StoreView

SHARE = 0.2
"""Share of surgeries or stretches that is held out, unless the user gives another."""
STRETCH_US = 30 * SECOND_US
"""If there are too few surgeries, stretches of at most this length are held out instead."""
GUARD_US = 2 * SECOND_US
"""Frames this close to a held-out stretch are not labelled for training; real frames one second
apart are nearly identical."""
HELD_OUT_KEY = Key("label", "held out", 0)


@dataclass(frozen=True, slots=True)
class VideoPart:
    """A part of a video; ``end_us`` None means its end."""

    video_id: str
    start_us: int
    end_us: int | None

    def holds(self, time_us: int, room_us: int = 0) -> bool:
        """Return whether the time is inside, or closer than ``room_us``."""
        late = self.end_us is not None and time_us >= self.end_us + room_us
        return time_us >= self.start_us - room_us and not late


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The parts of videos that are kept for measuring and never used for training.

    Attributes:
        share: requested share.
        by: ``video`` (whole surgeries) or ``stretch``.
        guard_us: times closer than this to a held-out stretch are not used at all.
        stretches: the held-out parts of videos.
    """

    share: float
    by: str
    guard_us: int
    stretches: tuple[VideoPart, ...]

    def holds(self, video_id: str, time_us: int) -> bool:
        """Return whether the instant is held out for measuring."""
        return self._near(video_id, time_us, 0)

    def allows(self, video_id: str, time_us: int) -> bool:
        """Return whether the instant may be labelled for training."""
        return not self._near(video_id, time_us, self.guard_us)

    def _near(self, video_id: str, time_us: int, room_us: int) -> bool:
        return any(
            one.video_id == video_id and one.holds(time_us, room_us) for one in self.stretches
        )


def hold_out(view: StoreView, share: float = SHARE) -> HeldOut:
    """Choose the held-out part by digests of names, once for a project.

    If the share is at least one surgery, whole surgeries are held out, so that no patient is on
    both sides. Otherwise stretches of the videos are held out.

    Raises:
        UserError: an invalid share, or nothing to divide.
    """
    if not 0 < share < 1:
        raise ValueInvalid(
            "the held-out share is not a valid share", expected="a number between 0 and 1",
            found=str(share), where="--held-out",
        )  # fmt: skip
    groups: dict[str, list[str]] = {}
    for video_id in view.videos():
        group = str(view.facts(video_id).get("split_group") or video_id)
        groups.setdefault(group, []).append(video_id)
    count = round_half_up(Fraction(share) * len(groups))
    if 1 <= count < len(groups):
        order = HELD_OUT_KEY.ordered(groups)
        videos = sorted(video for group in order[:count] for video in groups[group])
        parts = tuple(VideoPart(video, 0, None) for video in videos)
        return HeldOut(share, "video", 0, parts)
    return HeldOut(share, "stretch", GUARD_US, _stretches(view, share))


def _stretches(view: StoreView, share: float) -> tuple[VideoPart, ...]:
    ends = {video_id: _end_us(view, video_id) for video_id in view.videos()}
    longest = max(ends.values(), default=0)
    length = max(1, min(STRETCH_US, int(longest * share)))
    parts = {
        f"{video_id} {start}": VideoPart(video_id, start, start + length)
        for video_id, end in ends.items()
        for start in range(0, end, length)
    }
    count = max(1, round_half_up(Fraction(share) * len(parts)))
    if len(parts) <= count:
        raise NothingSelected(
            "not enough video for a held-out part",
            expected="at least two sampled frames",
            found=f"{len(parts)} stretch(es) in {len(ends)} video(s)",
            fix="observe more video first",
        )
    order = HELD_OUT_KEY.ordered(parts)
    chosen: Sequence[VideoPart] = [parts[name] for name in order[:count]]
    return tuple(sorted(chosen, key=lambda one: (one.video_id, one.start_us)))


def _end_us(view: StoreView, video_id: str) -> int:
    """One microsecond after the last sample."""
    times = [view.table(video_id, kind)["time_us"].to_pylist() for kind in ("frames", "boxes")]
    return max((time_us + 1 for column in times for time_us in column), default=0)


@dataclass(frozen=True, slots=True)
class ChosenFrame:
    """A frame that a person should review next, and why it was chosen.

    Attributes:
        score: weighted mean of the signs, [0, 1].
        reason: the strongest sign, ``diversity`` without any sign, or ``held_out``.
        values: for each sign, the strength in [0, 1].
    """

    video_id: str
    time_us: int
    frame: int
    score: float
    reason: str
    values: Mapping[str, float]


def choose(
    view: StoreView,
    count: int,
    settings: Choosing,
    held_out: HeldOut,
    reviewed: Collection[Instant] = (),
    pending: Collection[Instant] = (),
) -> list[ChosenFrame]:
    """Return the frames for training, most useful first.

    Args:
        count: number of frames; fewer are returned if no different frame is left.
        held_out: the part for measuring, from which no frame is chosen.
        reviewed: instants that people have reviewed; they are not chosen again, and similar frames
            get a lower priority.
        pending: instants that are being reviewed; treated in the same way.
    """
    done = {*reviewed, *pending}
    everything = _everything(view, settings)
    known = [one for one in everything if one.instant in done]
    free = [one for one in everything if one.instant not in done and held_out.allows(*one.instant)]
    return _greedy(_tied(free, settings.seed), known, count, settings)


def draw(view: StoreView, count: int, settings: Choosing, held_out: HeldOut) -> list[ChosenFrame]:
    """Return random frames of the held-out part, so that a measurement on them is not biased."""
    mine = [one for one in _everything(view, settings) if held_out.holds(*one.instant)]
    return [_choice(one, settings, "held_out") for one in _tied(mine, settings.seed)[:count]]


def _everything(view: StoreView, settings: Choosing) -> list[FrameSigns]:
    return [one for video_id in view.videos() for one in seen(view, video_id, settings)]


def _tied(candidates: Iterable[FrameSigns], seed: int) -> list[FrameSigns]:
    """Sort candidates by a digest, which decides between candidates with equal scores."""
    key = Key("label", "order", seed)

    def place(one: FrameSigns) -> tuple[int, str, int]:
        return key.extended(one.video_id).h64(one.frame), one.video_id, one.frame

    return sorted(candidates, key=place)


def score(values: Mapping[str, float], settings: Choosing) -> float:
    """Weighted mean of the signs, [0, 1]."""
    weights = asdict(settings.weights)
    total = sum(weights[name] * values[name] for name in SIGNS)
    return round(total / sum(weights.values()), DECIMALS)


def _choice(one: FrameSigns, settings: Choosing, reason: str | None = None) -> ChosenFrame:
    weights = asdict(settings.weights)
    strongest = max(SIGNS, key=lambda name: weights[name] * one.values[name])
    shown = strongest if one.values[strongest] > 0 else "diversity"
    earned = score(one.values, settings)
    return ChosenFrame(*one.instant, one.frame, earned, reason or shown, one.values)


class _Pool:
    """Candidate frames as columns, with the distance to the nearest chosen or reviewed frame."""

    def __init__(self, candidates: Sequence[FrameSigns], settings: Choosing) -> None:
        self.settings = settings
        names = {name: n for n, name in enumerate(sorted({c.video_id for c in candidates}))}
        self.names = names
        self.video = np.array([names[c.video_id] for c in candidates], np.int64)
        self.time_us = np.array([c.time_us for c in candidates], np.int64)
        self.dhash = np.array([c.dhash or 0 for c in candidates], np.uint64)
        self.hashed = np.array([c.dhash is not None for c in candidates], bool)
        self.doubt = settings.floor + np.array([score(c.values, settings) for c in candidates])
        self.distance = np.ones(len(candidates))

    def add(self, centre: FrameSigns) -> None:
        """Update the distances after a frame was chosen."""
        self.distance = np.minimum(self.distance, self._to(centre))

    def _to(self, centre: FrameSigns) -> np.ndarray:
        """(N,) distances in [0, 1]: half by appearance, half by time; 0 for the same frame."""
        s = self.settings
        same_video = self.video == self.names.get(centre.video_id, -1)
        apart = np.abs(self.time_us - centre.time_us) / s.far_us
        by_time = np.where(same_video, np.minimum(apart, 1.0), 1.0)
        if centre.dhash is None:
            return by_time
        bits = np.bitwise_count(self.dhash ^ np.uint64(centre.dhash)).astype(np.int64)
        looks = np.where(self.hashed, np.minimum(bits / s.far_dhash, 1.0), by_time)
        distance = (looks + by_time) / 2
        return np.where(self.hashed & (bits <= s.near_dhash), 0.0, distance)


def _greedy(
    candidates: list[FrameSigns], known: Sequence[FrameSigns], count: int, settings: Choosing
) -> list[ChosenFrame]:
    if not candidates:
        return []
    pool = _Pool(candidates, settings)
    for one in known:
        pool.add(one)
    share = -(-count // len(pool.names))
    limit = max(1, round(share * settings.spread))
    taken = np.zeros(len(pool.names), np.int64)
    free = np.ones(len(candidates), bool)
    chosen: list[ChosenFrame] = []
    while len(chosen) < count:
        gain = np.round(np.where(free, pool.doubt * pool.distance, 0.0), 9)
        within = np.where(taken[pool.video] < limit, gain, 0.0)
        wanted = within if within.max() > 0 else gain
        best = int(wanted.argmax())
        if wanted[best] <= 0:
            break
        free[best] = False
        taken[pool.video[best]] += 1
        pool.add(candidates[best])
        chosen.append(_choice(candidates[best], settings))
    return chosen
