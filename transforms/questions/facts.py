"""Facts about presences and windows that several operators share, computed once per view.

*Block*: maximal run of consecutive samples of one presence with the same pairs; it
lasts from its first sample minus half a label period to its last plus half a period,
clipped to the window (SurgSTU's semantic block).  *Verb run*: the same with only the
verb staying.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ontology.records import IDLE, UNKNOWN
from transforms.windows import View


class Block(NamedTuple):
    """Samples ``first..last`` (slots, inclusive), and [start_us, end_us)."""

    first: int
    last: int
    code: int
    start_us: int
    end_us: int

    @property
    def duration_us(self) -> int:
        return self.end_us - self.start_us


@dataclass(frozen=True, eq=False)
class Facts:
    """Lazily computed facts of one view.  Lists are per presence or per window."""

    view: View

    # -- plain Python copies: item assembly reads single values ----------------

    @cached_property
    def boxes(self) -> list[tuple[float, ...]]:
        """Box of every row of the instrument table."""
        return [tuple(b) for b in self.view.timeline.table.box_xyxy.tolist()]

    @cached_property
    def rows(self) -> list[list[int]]:
        """``view.row`` as lists."""
        return self.view.row.tolist()

    @cached_property
    def times(self) -> list[list[int]]:
        """``view.time`` as lists."""
        return self.view.time.tolist()

    @cached_property
    def counts(self) -> list[int]:
        """``view.count`` as a list."""
        return self.view.count.tolist()

    @cached_property
    def boxed(self) -> list[list[bool]]:
        """``view.boxed`` as lists."""
        return self.view.boxed.tolist()

    @cached_property
    def boxed_breaks(self) -> list[list[int]]:
        """``view.boxed_breaks`` as lists."""
        return self.view.boxed_breaks.tolist()

    @cached_property
    def labels(self) -> list[str]:
        """Class id of every presence."""
        names = self.view.timeline.table.labels
        return [names[code] for code in self.view.label.tolist()]

    @cached_property
    def track_ids(self) -> list[str]:
        """Track id of every presence."""
        ids = self.view.timeline.tracks.ids
        return [ids[k] for k in self.view.track.tolist()]

    @cached_property
    def instances(self) -> list[int]:
        """Instance number of every presence."""
        return self.view.instance.tolist()

    @cached_property
    def windows_of(self) -> list[int]:
        """Window of every presence."""
        return self.view.window.tolist()

    # -- naming ----------------------------------------------------------------

    @cached_property
    def codes(self) -> list[int]:
        """``view.label`` as a list."""
        return self.view.label.tolist()

    @cached_property
    def _together(self) -> list[list[list[int]]]:
        """(W, C, S + 1), instants so far at which two of the class are in view."""
        view = self.view
        count = np.zeros(view.class_present.shape, dtype=np.int32)
        np.add.at(count, (view.window, view.label), view.present)
        out = np.zeros((*count.shape[:2], count.shape[2] + 1), dtype=np.int32)
        np.cumsum(count >= 2, axis=2, out=out[:, :, 1:])
        return out.tolist()

    def coexist(self, presence: int, first: int, last: int) -> bool:
        """Two of the presence's class are in view at one instant of the slots first..last."""
        row = self._together[self.windows_of[presence]][self.codes[presence]]
        return row[last + 1] > row[first]

    @cached_property
    def identified(self) -> np.ndarray:
        """bool (M,), no instrument of the class left the window and came back.

        Then the class, with an instance number where several are in view, names one
        instrument for the whole window.
        """
        view = self.view
        count = np.zeros(view.class_present.shape, dtype=np.int32)
        np.add.at(count, (view.window, view.label), view.present)
        most = count.max(axis=2, initial=0)
        tracks = np.zeros(most.shape, dtype=np.int32)
        np.add.at(tracks, (view.window, view.label), 1)
        return (tracks == most)[view.window, view.label]

    # -- blocks ----------------------------------------------------------------

    def _blocks(self, codes: np.ndarray) -> list[list[Block]]:
        view = self.view
        half = view.timeline.video.period_us // 2
        known = view.present & (codes != UNKNOWN)
        # A block has its own gap limit: a run of presence may bridge more of dense labels.
        periods = view.timeline.limits.periods * view.timeline.video.period_us
        gap = np.diff(view.sample_time, axis=1) > periods
        new = known.copy()
        new[:, 1:] &= (codes[:, 1:] != codes[:, :-1]) | gap | ~known[:, :-1]
        ends = known.copy()
        ends[:, :-1] &= new[:, 1:] | ~known[:, 1:]
        presence, first = np.nonzero(new)
        _, last = np.nonzero(ends)
        time = view.sample_time
        start = np.maximum(time[presence, first] - half, view.start_us[view.window[presence]])
        end = np.minimum(time[presence, last] + half, view.end_us[view.window[presence]])
        out: list[list[Block]] = [[] for _ in range(len(view.window))]
        columns = (presence, first, last, codes[presence, first], start, end)
        for p, *rest in zip(*(c.tolist() for c in columns), strict=True):
            out[p].append(Block(*rest))
        return out

    @cached_property
    def blocks(self) -> list[list[Block]]:
        """Blocks of every presence, in time order; ``code`` indexes the pair sets."""
        return self._blocks(self.view.pairs)

    @cached_property
    def verb_runs(self) -> list[list[Block]]:
        """Verb runs of every presence; ``code`` indexes the timeline's verbs."""
        return self._blocks(self.view.verb)

    @cached_property
    def pair_sets(self) -> tuple:
        """Pair sets of the table, indexed by a block's code."""
        return self.view.timeline.table.pair_sets

    @cached_property
    def visible_us(self) -> np.ndarray:
        """int64 (M,), time the instrument is seen: its blocks, whatever it does in them."""
        seen = self._blocks(np.where(self.view.present, 0, UNKNOWN))
        return np.array([sum(b.duration_us for b in runs) for runs in seen], dtype=np.int64)

    def us_where(self, presence: int, test) -> int:
        """Total length of the presence's blocks whose pair set passes ``test``."""
        return sum(b.duration_us for b in self.blocks[presence] if test(self.pair_sets[b.code]))

    @cached_property
    def idle_us(self) -> np.ndarray:
        """int64 (M,), total length of idle blocks."""
        everyone = range(len(self.view.window))
        return np.array([self.us_where(p, lambda s: s == (IDLE,)) for p in everyone], np.int64)

    @cached_property
    def active_us(self) -> list[dict[str, int]]:
        """Per window: class -> microseconds of non-idle blocks, all instances together."""
        out: list[dict[str, int]] = [{} for _ in self.view.windows]
        for p, (w, label) in enumerate(zip(self.windows_of, self.labels, strict=True)):
            out[w][label] = out[w].get(label, 0) + self.us_where(p, lambda s: s != (IDLE,))
        return out

    def targets(self, presence: int) -> set[str]:
        """Different real targets of the presence in the window."""
        codes = {b.code for b in self.blocks[presence]}
        return {t for c in codes for _, t in self.pair_sets[c] if t != "null_target"}

    @cached_property
    def class_targets(self) -> list[dict[str, set[str]]]:
        """Per window: class -> different real targets."""
        out: list[dict[str, set[str]]] = [{} for _ in self.view.windows]
        for p, (w, label) in enumerate(zip(self.windows_of, self.labels, strict=True)):
            out[w].setdefault(label, set()).update(self.targets(p))
        return out

    def verb_us(self, presence: int) -> dict[str, int]:
        """Real verb -> microseconds, over single-pair blocks."""
        out: dict[str, int] = {}
        for block in self.blocks[presence]:
            pairs = self.pair_sets[block.code]
            if len(pairs) == 1 and pairs != (IDLE,):
                out[pairs[0][0]] = out.get(pairs[0][0], 0) + block.duration_us
        return out

    # -- classes of the vocabulary ---------------------------------------------

    @cached_property
    def vocabulary_present(self) -> np.ndarray:
        """bool (W, V, S), class of the video's vocabulary has a sample."""
        view = self.view
        names = view.timeline.table.labels
        out = np.zeros(
            (len(view.windows), len(view.timeline.video.vocabulary), view.row.shape[1]), bool
        )
        for v, name in enumerate(view.timeline.video.vocabulary):
            if name in names:
                out[:, v] = view.class_present[:, names.index(name)]
        return out

    def has_verb(self, v: int) -> np.ndarray:
        """bool (M, S), the sample's pairs contain the timeline's v-th verb."""
        return self._has(0)[v]

    def has_target(self, v: int) -> np.ndarray:
        """bool (M, S), the sample's pairs contain the timeline's v-th target."""
        return self._has(1)[v]

    @cached_property
    def verb_samples(self) -> np.ndarray:
        """bool (V, M, S)."""
        return self._has(0)

    @cached_property
    def target_samples(self) -> np.ndarray:
        """bool (V, M, S)."""
        return self._has(1)

    def _has(self, position: int) -> np.ndarray:
        timeline = self.view.timeline
        names = timeline.verbs if position == 0 else timeline.targets
        if not names:
            return np.zeros((0, *self.view.row.shape), dtype=bool)
        return np.stack([self.view.of_rows(timeline.has(position, n), False) for n in names])

    @cached_property
    def touched(self) -> np.ndarray:
        """bool (V, W, S), some instrument acts on the v-th target."""
        counts = [
            self.view.per_instant(self.target_samples[v]) for v in range(len(self.target_samples))
        ]
        if not counts:
            return np.zeros((0, len(self.view.windows), self.view.row.shape[1]), dtype=bool)
        return np.stack(counts) > 0
