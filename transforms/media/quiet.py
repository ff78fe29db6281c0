"""Cutting sound where it is quietest, by the samples alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ontology.times import SECOND_US
from transforms.media.batches import SOUND_RATE
from transforms.media.settings import SoundSettings


class Cutter:
    """Collects samples and hands out pieces.

    A piece's end depends on its own samples only, so the pieces are the same however
    the samples arrive.

    Args:
        longest_us: no piece is longer.
    """

    def __init__(self, longest_us: int, settings: SoundSettings) -> None:
        self.hop = _samples(settings.hop_us)
        self.quiet = max(1, settings.quiet_us // settings.hop_us)
        # Whole hops, so that every piece starts at a whole millisecond.
        self.longest = max(_samples(longest_us) // self.hop, 2 * self.quiet) * self.hop
        hops = min(_samples(settings.search_us), self.longest // 2) // self.hop
        self.search = max(hops, self.quiet) * self.hop
        self.parts: list[np.ndarray] = []
        self.held = 0

    def add(self, samples: np.ndarray) -> Iterator[np.ndarray]:
        """Take samples; hand out the pieces that are complete now."""
        self.parts.append(samples)
        self.held += len(samples)
        while self.held > self.longest:
            whole = np.concatenate(self.parts)
            cut = self._cut(whole)
            yield whole[:cut]
            self.parts, self.held = [whole[cut:]], len(whole) - cut

    def rest(self) -> Iterator[np.ndarray]:
        """What is left, if anything."""
        if self.held:
            yield np.concatenate(self.parts)

    def _cut(self, whole: np.ndarray) -> int:
        """Middle of the quietest place in the last part; of equal ones the last."""
        begin = self.longest - self.search
        part = whole[begin : self.longest].astype(np.int64)
        hops = (part * part).reshape(-1, self.hop).sum(axis=1)
        sums = np.concatenate([[0], np.cumsum(hops)])
        places = sums[self.quiet :] - sums[: -self.quiet]
        best = len(places) - 1 - int(np.argmin(places[::-1]))
        return begin + (best + self.quiet // 2) * self.hop


def _samples(time_us: int) -> int:
    return time_us * SOUND_RATE // SECOND_US
