"""States of tissues over time, their changes, and the tool each change is attributed to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from surgqa.transforms.evidence.derive.masks import gap
from surgqa.transforms.evidence.derive.motion import Motion
from surgqa.transforms.evidence.derive.rows import Happening, box_of
from surgqa.transforms.evidence.derive.settings import TissueLimits
from surgqa.transforms.evidence.derive.tracks import BoxTrack

LASTING = ("clipped", "divided")
"""States that cannot change back to ``intact``; such a change is marked as doubtful."""


@dataclass(frozen=True, slots=True)
class StateStart:
    """A state that begins.

    Attributes:
        at: index of the sample in the track.
        before, after: the states.
        end: index of the first sample of the next state, or None.
        share: share of the votes around the start that are for the new state.
    """

    at: int
    before: str
    after: str
    end: int | None
    share: float

    @property
    def doubtful(self) -> bool:
        """Whether the change is impossible, because the tissue would have healed."""
        return self.after == "intact" and self.before in LASTING


def tissue_rows(
    track: BoxTrack, tools: Sequence[BoxTrack], motions: Mapping[int, Motion], period_us: int,
    limits: TissueLimits,
) -> Iterator[Happening]:  # fmt: skip
    """Yield ``tissue_state`` and ``tissue_visibility`` rows, from each change to the next.

    The value is the share of samples around the change that show the new state. The other track is
    that of the tool to which the change is attributed.
    """
    kinds = (("tissue_state", _seen_states(track)), ("tissue_visibility", track.visibility))
    for kind, words in kinds:
        for change in _changes(track.time_us, words, limits.vote_us):
            time = int(track.time_us[change.at])
            last = int(track.time_us[-1]) + period_us
            end = last if change.end is None else int(track.time_us[change.end])
            tool = None
            if kind == "tissue_state":
                tool = nearest_tool(track, change.at, tools, motions, period_us, limits)
            yield Happening(
                time, end, kind, change.after,
                "derive.tissue.doubtful" if change.doubtful else "derive.tissue",
                time - int(track.time_us[change.at - 1]), track.number,
                None if tool is None else tool.number, box_of(track.box[change.at]),
                change.share, "share",
            )  # fmt: skip


def nearest_tool(
    track: BoxTrack, at: int, tools: Sequence[BoxTrack], motions: Mapping[int, Motion],
    period_us: int, limits: TissueLimits,
) -> BoxTrack | None:  # fmt: skip
    """The tool nearest to a tissue at its sample ``at``; None if none is within ``limits.tool``.

    The position of a tool is that of its sample nearest in time, at most one period away. Of
    equally near tools, the first track is taken.
    """
    found = []
    now = int(track.time_us[at])
    for tool in tools:
        index = int(np.argmin(np.abs(tool.time_us - now)))
        if abs(int(tool.time_us[index]) - now) <= period_us:
            away = float(gap(motions[tool.number].tip_box[index], track.box[at]))
            found.append((away, tool.number, tool))
    near = [one for one in found if one[0] <= limits.tool]
    return min(near, key=lambda one: one[:2])[2] if near else None


def _seen_states(track: BoxTrack) -> np.ndarray:
    """Return the tissue's state at each sample; None where the tissue is hidden."""
    return np.where(track.visibility == "occluded", None, track.state)


def _changes(time_us: np.ndarray, words: np.ndarray, vote_us: int) -> list[StateStart]:
    voted, shares = _voted(time_us, words, vote_us)
    known = [(at, word) for at, word in enumerate(voted) if word is not None]
    turns = [
        (at, before, after)
        for (_, before), (at, after) in zip(known[:-1], known[1:], strict=True)
        if before != after
    ]
    ends = [*(at for at, _, _ in turns[1:]), None]
    return [
        StateStart(at, before, after, ends[place], float(shares[at]))
        for place, (at, before, after) in enumerate(turns)
    ]


def _voted(
    time_us: np.ndarray, words: np.ndarray, vote_us: int
) -> tuple[list[str | None], np.ndarray]:
    """Return the most frequent word within ``vote_us`` of each sample, and its share.

    On a tie the word of the sample before is kept, otherwise the first in alphabetical order.
    """
    names = sorted({word for word in words.tolist() if word is not None})
    if not names:
        return [None] * len(words), np.zeros(len(words))
    hits = np.stack([words == name for name in names], axis=1).astype(np.int64)
    total = np.concatenate([np.zeros((1, len(names)), np.int64), np.cumsum(hits, axis=0)])
    low = np.searchsorted(time_us, time_us - vote_us, "left")
    high = np.searchsorted(time_us, time_us + vote_us, "right")
    votes = total[high] - total[low]
    most = votes.max(axis=1)
    chosen: list[str | None] = []
    last = -1
    for row, top in zip(votes.tolist(), most.tolist(), strict=True):
        if top:
            last = last if last >= 0 and row[last] == top else row.index(top)
        chosen.append(names[last] if top else None)
    return chosen, most / np.maximum(votes.sum(axis=1), 1)
