"""Choose the frames that a person should review next: where the detector is unsure, spread out.

Frames are chosen one by one.  The next frame has the largest product of doubt (signs of
uncertainty)
and distance to the nearest frame that is chosen or reviewed: weighted k-centre greedy.  Of nearly
identical frames, one is chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ontology.keys import Key
from transforms.labelling.held_out import HeldOut
from transforms.labelling.settings import Choosing
from transforms.labelling.signs import DECIMALS, SIGNS, Seen, seen
from transforms.labelling.view import StoreView

Instant = tuple[str, int]
"""(video id, time in microseconds)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen frame.

    Attributes:
        score: weighted mean of the signs, [0, 1].
        reason: the strongest sign, ``diversity`` without any sign, or ``held_out``.
        values: sign -> strength in [0, 1].
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
) -> list[Choice]:
    """Frames for training, most useful first.

    Args:
        count: number of frames; fewer are returned if no different frame is left.
        held_out: the part for measuring; none of it is chosen.
        reviewed: instants that people have reviewed; they are not chosen again, and similar frames
            get a lower priority.
        pending: instants that are being reviewed; treated in the same way.
    """
    done = {*reviewed, *pending}
    everything = [one for video_id in view.videos() for one in seen(view, video_id, settings)]
    known = [one for one in everything if (one.video_id, one.time_us) in done]
    free = [
        one
        for one in everything
        if (one.video_id, one.time_us) not in done and held_out.allows(one.video_id, one.time_us)
    ]
    return _greedy(_tied(free, settings.seed), known, count, settings)


def draw(view: StoreView, count: int, settings: Choosing, held_out: HeldOut) -> list[Choice]:
    """Random frames of the held-out part; a measurement on doubtful frames would be biased."""
    everything = [
        one
        for video_id in view.videos()
        for one in seen(view, video_id, settings)
        if held_out.holds(one.video_id, one.time_us)
    ]
    drawn = _tied(everything, settings.seed)[:count]
    return [_choice(one, settings, "held_out") for one in drawn]


def _tied(candidates: Iterable[Seen], seed: int) -> list[Seen]:
    """The order of candidates with equal scores: by digest."""
    key = Key("label", "order", seed)
    ranked = [
        (key.extended(one.video_id).h64(one.frame), one.video_id, one.frame, one)
        for one in candidates
    ]
    return [one for *_, one in sorted(ranked, key=lambda entry: entry[:3])]


def score(values: Mapping[str, float], settings: Choosing) -> float:
    """Weighted mean of the signs, [0, 1]."""
    weights = asdict(settings.weights)
    total = sum(weights[name] * values[name] for name in SIGNS)
    return round(total / sum(weights.values()), DECIMALS)


def _choice(one: Seen, settings: Choosing, reason: str | None = None) -> Choice:
    weights = asdict(settings.weights)
    strongest = max(SIGNS, key=lambda name: weights[name] * one.values[name])
    if reason is None:
        reason = strongest if one.values[strongest] > 0 else "diversity"
    return Choice(
        one.video_id, one.time_us, one.frame, score(one.values, settings), reason, one.values
    )


class _Pool:
    """Candidates as columns, with the distance of each to the nearest centre so far."""

    def __init__(self, candidates: Sequence[Seen], settings: Choosing) -> None:
        self.settings = settings
        names = {name: n for n, name in enumerate(sorted({c.video_id for c in candidates}))}
        self.names = names
        self.video = np.array([names[c.video_id] for c in candidates], np.int64)
        self.time_us = np.array([c.time_us for c in candidates], np.int64)
        self.dhash = np.array([c.dhash or 0 for c in candidates], np.uint64)
        self.hashed = np.array([c.dhash is not None for c in candidates], bool)
        self.doubt = settings.floor + np.array([score(c.values, settings) for c in candidates])
        self.distance = np.ones(len(candidates))

    def add(self, centre: Seen) -> None:
        """Reduce the priority of frames near a new centre."""
        self.distance = np.minimum(self.distance, self._to(centre))

    def _to(self, centre: Seen) -> np.ndarray:
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
    candidates: list[Seen], known: Sequence[Seen], count: int, settings: Choosing
) -> list[Choice]:
    if not candidates:
        return []
    pool = _Pool(candidates, settings)
    for one in known:
        pool.add(one)
    share = -(-count // len(pool.names))
    limit = max(1, round(share * settings.spread))
    taken = np.zeros(len(pool.names), np.int64)
    free = np.ones(len(candidates), bool)
    chosen: list[Choice] = []
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
