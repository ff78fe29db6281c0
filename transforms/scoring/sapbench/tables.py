"""How often the correct next action is among the first k of a ranking, with intervals.

The share of items with such a hit is Sample-S. For Sample-R, the action after the next one is also
accepted. Video-S and Video-R are the means of the videos' shares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from surgqa.ontology.times import round_half_up
from surgqa.transforms.review.surgeons import Choices
from surgqa.transforms.scoring.bootstrap import draw_counts, interval, ratios
from surgqa.transforms.scoring.reporting import Interval
from surgqa.transforms.scoring.sapbench.items import RANKS, ReplyHits, SapBenchItem
from surgqa.transforms.scoring.sapbench.plans import PlanMark

MEASURES = ("sample_s", "video_s", "sample_r", "video_r")
TITLES = {
    "sample_s": "Sample-S top-{}", "video_s": "Video-S top-{}", "sample_r": "Sample-R top-{}",
    "video_r": "Video-R top-{}", "exact": "exact", "place": "action {}",
}  # fmt: skip
VIDEO = "video"


@dataclass(frozen=True, slots=True)
class RankShare:
    """The share of rankings with the correct action among the first k.

    Attributes:
        measure: one of :data:`MEASURES`, or ``exact`` or ``place`` for plans.
        k: the rank, or the place in a plan; 0 for ``exact``.
        hits: numerator of the share: sum of the items' hits, or of the videos' shares.
        of: denominator of the share: number of items or videos. Relaxed measures count only items
            with an action after the next one.
        interval: 95 % bootstrap interval in [0, 1]; None with fewer than two videos.
    """

    measure: str
    k: int
    hits: Fraction
    of: int
    interval: Interval = None

    def of_rank(self) -> dict[str, Any]:
        """Return the share at a rank for JSON."""
        whole = self.hits.denominator == 1
        hits = self.hits.numerator if whole else round_half_up(self.hits * 10**6) / 10**6
        return {"measure": self.measure, "k": self.k, "hits": hits, **self._ends()}

    def of_place(self) -> dict[str, Any]:
        """Return the share of correct plans, or of correct actions at one place, for JSON."""
        return {"measure": f"place {self.k}" if self.k else self.measure, **self._ends()}

    def _ends(self) -> dict[str, Any]:
        percent, ends = self.percent, self.interval
        return {"of": self.of, "percent": None if percent is None else float(percent),
                "interval": ends and [round(end, 4) for end in ends]}  # fmt: skip

    @property
    def value(self) -> Fraction | None:
        """The share in [0, 1]; None if ``of`` is 0."""
        return self.hits / self.of if self.of else None

    @property
    def percent(self) -> Decimal | None:
        """The share in percent with two decimals, rounded half up."""
        return None if self.value is None else percent(self.value)


def shares(
    marks: Sequence[ReplyHits], replicates: int = 0, seed: str = ""
) -> tuple[RankShare, ...]:
    """Return each measure at each rank, in the order of :data:`MEASURES`.

    Args:
        replicates: number of bootstrap draws; 0 for no intervals.
        seed: key of the draws.
    """

    def hit(mark: ReplyHits, measure: str, k: int) -> Fraction | None:
        hits = mark.relaxed if measure.endswith("_r") else mark.strict
        return None if hits is None else hits[k - 1]

    keys = [(measure, k) for measure in MEASURES for k in RANKS]
    return _shares(marks, keys, hit, replicates, seed)


def plan_shares(
    marks: Sequence[PlanMark], replicates: int = 0, seed: str = ""
) -> tuple[RankShare, ...]:
    """Return the share of correct plans, then of correct actions at each place."""

    def hit(mark: PlanMark, measure: str, k: int) -> Fraction:
        return mark.places[k - 1] if k else mark.exact

    keys = [("exact", 0), *(("place", k + 1) for k in range(len(marks[0].places)))]
    return _shares(marks, keys, hit, replicates, seed)


def _shares(
    marks: Sequence[ReplyHits] | Sequence[PlanMark], keys: Sequence[tuple[str, int]],
    hit: Callable[..., Fraction | None], replicates: int, seed: str,
) -> tuple[RankShare, ...]:  # fmt: skip
    videos = sorted({mark.video for mark in marks})
    counts = draw_counts(len(videos), replicates, seed) if replicates else None
    out = []
    for measure, k in keys:
        by_video: dict[str, list[Fraction]] = {video: [] for video in videos}
        for mark in marks:
            if (value := hit(mark, measure, k)) is not None:
                by_video[mark.video].append(value)
        sums = [(sum(some, Fraction(0)), len(some)) for some in by_video.values()]
        if measure.startswith("video"):
            sums = [(total / n, 1) if n else (total, 0) for total, n in sums]
        hits, of = sum((total for total, _ in sums), Fraction(0)), sum(n for _, n in sums)
        out.append(
            RankShare(measure, k, hits, of, None if counts is None else _interval(sums, counts))
        )
    return tuple(out)


def _interval(sums: Sequence[tuple[Fraction, int]], counts: np.ndarray) -> Interval:
    hits = np.array([float(total) for total, _ in sums])
    of = np.array([n for _, n in sums], dtype=np.float64)
    return interval(ratios(counts @ hits, counts @ of), int((of > 0).sum()))


def percent(value: Fraction) -> Decimal:
    """Return a share in percent with two decimals, rounded half up: 235/679 gives 34.61."""
    return Decimal(round_half_up(value * 10_000)).scaleb(-2)


# ---- scores against the actions that surgeons would take next -----------------------------


@dataclass(frozen=True, slots=True)
class Against:
    """How often rankings agree with a surgeon's choices, or with the video.

    Attributes:
        who: whose rankings are scored: ``model``, or the name of a surgeon.
        reference: what counts as correct: ``video``, a surgeon, or surgeons joined by ``or``.
    """

    who: str
    reference: str
    shares: tuple[RankShare, ...]


Rankings = Mapping[str, Sequence[str | None]]
"""Item id -> ranked actions."""


def against(
    items: Sequence[SapBenchItem], rankings: Rankings, choices: Choices
) -> tuple[tuple[Against, ...], int]:
    """Return the scores of the model and of each surgeon, with several references.

    The references are the next action in the video, each surgeon's choice, and any surgeon's
    choice. All are scored on the items that every surgeon answered, so that they can be compared.

    Args:
        rankings: rankings of the model; an item without one counts as wrong.

    Returns:
        The scores, those of the model first, and the number of items that at least one surgeon did
        not answer.
    """
    surgeons = sorted(choices)
    asked = [item for item in items if all(item.item_id in choices[name] for name in surgeons)]

    def chosen(*names: str) -> dict[str, set[str]]:
        return {one.item_id: {choices[name][one.item_id] for name in names} for one in asked}

    right = {VIDEO: {one.item_id: {one.action} for one in asked}}
    right |= {name: chosen(name) for name in surgeons}
    if len(surgeons) > 1:
        right[" or ".join(surgeons)] = chosen(*surgeons)
    out = [Against("model", name, _top(asked, rankings, truth)) for name, truth in right.items()]
    for who in surgeons:
        own = {item: (action,) for item, action in choices[who].items()}
        out += [Against(who, name, _top(asked, own, right[name])[:1])
                for name in (VIDEO, *surgeons) if name != who]  # fmt: skip
    return tuple(out), len(items) - len(asked)


def _top(
    items: Sequence[SapBenchItem], rankings: Rankings, right: Mapping[str, set[str]]
) -> tuple[RankShare, ...]:
    ids = [item.item_id for item in items]
    return tuple(
        RankShare("sample_s", k, Fraction(sum(
            not right[one].isdisjoint(rankings.get(one, ())[:k]) for one in ids)), len(ids))
        for k in RANKS
    )  # fmt: skip
