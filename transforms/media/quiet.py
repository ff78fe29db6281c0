"""Cut sound at its quietest places, based only on the samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.media.batches import SOUND_RATE
from surgqa.transforms.media.settings import SoundSettings


class Cutter:
    """Collects samples and returns them in pieces.

    The end of a piece depends only on the piece's own samples. So the pieces do not depend on how
    the samples were passed in.

    Args:
        longest_us: maximum length of a piece.
    """

    def __init__(self, longest_us: int, settings: SoundSettings) -> None:
        self.hop = _samples(settings.hop_us)
        self.quiet = max(1, settings.quiet_us // settings.hop_us)
        # Multiples of hops, so that every piece starts at a whole millisecond.
        self.longest = max(_samples(longest_us) // self.hop, 2 * self.quiet) * self.hop
        hops = min(_samples(settings.search_us), self.longest // 2) // self.hop
        self.search = max(hops, self.quiet) * self.hop
        self.parts: list[np.ndarray] = []
        self.held = 0

    def add(self, samples: np.ndarray) -> Iterator[np.ndarray]:
        """Add samples; yield the pieces that are now complete."""
        self.parts.append(samples)
        self.held += len(samples)
        while self.held > self.longest:
            whole = np.concatenate(self.parts)
            cut = self._cut(whole)
            yield whole[:cut]
            self.parts, self.held = [whole[cut:]], len(whole) - cut

    def rest(self) -> Iterator[np.ndarray]:
        """Yield the remaining samples, if there are any."""
        if self.held:
            yield np.concatenate(self.parts)

    def _cut(self, whole: np.ndarray) -> int:
        """Return the middle of the quietest place in the last part; of equally quiet places, the
        last.
        """
        begin = self.longest - self.search
        part = whole[begin : self.longest].astype(np.int64)
        hops = (part * part).reshape(-1, self.hop).sum(axis=1)
        sums = np.concatenate([[0], np.cumsum(hops)])
        places = sums[self.quiet :] - sums[: -self.quiet]
        best = len(places) - 1 - int(np.argmin(places[::-1]))
        return begin + (best + self.quiet // 2) * self.hop


def _samples(time_us: int) -> int:
    return time_us * SOUND_RATE // SECOND_US
