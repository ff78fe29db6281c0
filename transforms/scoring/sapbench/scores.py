"""Collect and report the scores of all ``sapbench`` items: rankings and plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from transforms.scoring.bootstrap import draw_counts, interval, ratios
from transforms.scoring.choices import Choices
from transforms.scoring.predictions import PredictionKey
from transforms.scoring.report import MISSING, SCORED, UNPARSED
from transforms.scoring.sapbench.books import SapbenchBooks
from transforms.scoring.sapbench.items import is_ranked
from transforms.scoring.sapbench.plans import (
    FLOORS,
    Plan,
    PlanItem,
    PlanMark,
    is_plan,
    mark_plan,
    plan_of,
    read_plan,
)
from transforms.scoring.sapbench.report import SapbenchReport, Table
from transforms.scoring.sapbench.tables import Share, percent

_INTERVAL_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class ScoredPlan:
    """One item with its reply; ``said`` is None if no plan could be read."""

    item: PlanItem
    said: Plan | None
    status: str
    mark: PlanMark


@dataclass(frozen=True, slots=True)
class PlanGroup:
    """The scores of the plans of one length, in all datasets or in one.

    Attributes:
        shares: exact match, then each place; with intervals clustered by video.
        floors: shares of answers that ignore the frames, by name, without intervals.
    """

    name: str
    horizon: int
    items: int
    videos: int
    shares: tuple[Share, ...]
    floors: Mapping[str, tuple[Share, ...]]


@dataclass(frozen=True, slots=True)
class PlanReport:
    """The scores of all plans.

    Attributes:
        groups: by length; for each length all items, then each dataset if there are several.
        items: by item id.
    """

    groups: tuple[PlanGroup, ...]
    items: tuple[ScoredPlan, ...]

    def counts(self) -> dict[str, int]:
        """Return the numbers of items (= scored + unparsed + missing)."""
        status = Counter(one.status for one in self.items)
        return {"items": len(self.items),
                **{name: status[name] for name in (SCORED, UNPARSED, MISSING)}}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON."""
        return {
            "counts": self.counts(),
            "groups": [_plain_group(group) for group in self.groups],
            "items": [_plain_item(one) for one in self.items],
        }

    def tables(self) -> list[Table]:
        """Return the tables to print, header first: one for each group."""
        return [_table(group) for group in self.groups]


@dataclass(frozen=True, slots=True)
class SapbenchScores:
    """The scores of the benchmark; None for a kind of item that does not occur.

    Attributes:
        strangers: number of items in the surgeons' sheets that are not in the dataset.
    """

    ranked: SapbenchReport | None
    plans: PlanReport | None
    strangers: int = 0

    def counts(self) -> dict[str, int]:
        """Return the numbers of items, scored, unparsed and missing, over both kinds."""
        total: Counter[str] = Counter()
        for one in (self.ranked, self.plans):
            if one:
                counts = one.counts()
                total.update({n: counts[n] for n in ("items", SCORED, UNPARSED, MISSING)})
        return dict(total)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON."""
        return {
            "ranked": self.ranked.to_dict() if self.ranked else None,
            "plans": self.plans.to_dict() if self.plans else None,
            "choices_of_other_items": self.strangers,
        }

    def tables(self) -> list[Table]:
        """Return the tables to print, header first."""
        return [table for one in (self.ranked, self.plans) if one for table in one.tables()]

    def item_scores(self) -> Iterator[tuple[str, float]]:
        """Yield (item id, strict top-1 or exact match of the plan) of each item."""
        for one in self.ranked.items if self.ranked else ():
            yield one.item.item_id, float(one.mark.strict[0])
        for plan in self.plans.items if self.plans else ():
            yield plan.item.item_id, float(plan.mark.exact)

    def titled(self, name: str) -> list[tuple[str, Table]]:
        """Return the tables with their titles; only the first has one, the benchmark's name."""
        return [("" if k else name, one) for k, one in enumerate(self.tables())]

    def remarks(self, name: str) -> list[str]:
        """Return remarks on what the tables do not show."""
        counts = self.counts()
        said = {
            "missing": "items have no response (scored 0)",
            "unparsed": "responses name no action (scored 0)",
        }
        out = [f"{name}: {counts[key]} {text}" for key, text in said.items() if counts[key]]
        out += _ranked_remarks(self.ranked, name) if self.ranked else []
        if self.strangers:
            out.append(f"{name}: surgeons chose for {self.strangers} items not in the dataset")
        return out


def _ranked_remarks(ranked: SapbenchReport, name: str) -> list[str]:
    strange = ranked.counts()["with_unknown_labels"]
    out = [f"{name}: {strange} rankings name an action that is not known"] if strange else []
    if sum(one.videos_left_out for one in ranked.groups):
        out.append(f"{name}: videos without a following action are left out of Video-R")
    if ranked.surgeons and ranked.unanswered:
        out.append(
            f"{name}: {ranked.unanswered} items were not answered by every surgeon and are "
            "left out of the comparison with surgeons"
        )
    return out


class SapbenchRows:
    """Collects the scores of rankings and plans, row by row.

    Args:
        choices: the actions that surgeons chose.
    """

    def __init__(self, choices: Choices | None = None) -> None:
        self._choices = choices or {}
        self._ranked = SapbenchBooks(self._choices)
        self._plans: list[ScoredPlan] = []
        self._ids: set[str] = set()

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row asks for a ranking or a plan."""
        return is_ranked(row) or is_plan(row)

    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> bool:
        """Score a row; return False if it asks for neither a ranking nor a plan.

        Raises:
            OutputBroken: the row cannot be scored.
        """
        if is_ranked(row):
            self._ranked.take(row, predictions)
        elif is_plan(row):
            self._plans.append(score_plan(plan_of(row), predictions))
        else:
            return False
        self._ids.add(row["item_id"])
        return True

    def know(self, item_id: str) -> None:
        """Note an item that was not asked, so that a surgeon's answer to it is not reported."""
        self._ids.add(item_id)

    def report(self, replicates: int, seed: str) -> SapbenchScores | None:
        """Return the scores, None if no row was scored; the order of rows has no effect."""
        strangers = {item for mine in self._choices.values() for item in mine} - self._ids
        ranked = self._ranked.report(replicates, seed)
        plans = _plan_report(self._plans, replicates, seed) if self._plans else None
        return SapbenchScores(ranked, plans, len(strangers)) if ranked or plans else None


def score_plan(item: PlanItem, predictions: Mapping[PredictionKey, str]) -> ScoredPlan:
    """Return the score of one item; an unreadable reply counts as wrong."""
    response = predictions.get(item.key)
    said = None if response is None else read_plan(response, item)
    status = MISSING if response is None else SCORED if said else UNPARSED
    return ScoredPlan(item, said, status, mark_plan(item, said))


def _plan_report(scored: Sequence[ScoredPlan], replicates: int, seed: str) -> PlanReport:
    ordered = tuple(sorted(scored, key=lambda one: one.item.item_id))
    groups = []
    for horizon in sorted({len(one.item.plan) for one in ordered}):
        mine = [one for one in ordered if len(one.item.plan) == horizon]
        title = f"plans of {horizon}"
        parts = {title: mine}
        names = sorted({one.item.dataset for one in mine})
        for name in names if len(names) > 1 else ():
            parts[f"{title}, {name}"] = [one for one in mine if one.item.dataset == name]
        groups += [_group(name, horizon, part, replicates, seed) for name, part in parts.items()]
    return PlanReport(tuple(groups), ordered)


def _group(
    name: str, horizon: int, scored: Sequence[ScoredPlan], replicates: int, seed: str
) -> PlanGroup:
    items = [one.item for one in scored]
    return PlanGroup(
        name=name,
        horizon=horizon,
        items=len(items),
        videos=len({item.video for item in items}),
        shares=_shares([one.mark for one in scored], replicates, seed),
        floors={floor: _shares(marks(items), 0, seed) for floor, marks in FLOORS.items()},
    )


def _shares(marks: Sequence[PlanMark], replicates: int, seed: str) -> tuple[Share, ...]:
    """Return the shares of exact matches, then of each place."""
    videos = sorted({mark.video for mark in marks})
    counts = draw_counts(len(videos), replicates, seed) if replicates else None
    out = []
    for k in range(len(marks[0].places) + 1):
        sums = {video: (Fraction(0), 0) for video in videos}
        for mark in marks:
            total, n = sums[mark.video]
            sums[mark.video] = (total + (mark.places[k - 1] if k else mark.exact), n + 1)
        measure = "place" if k else "exact"
        hits = sum((total for total, _ in sums.values()), Fraction(0))
        drawn = None if counts is None else _interval(list(sums.values()), counts)
        out.append(Share(measure, k, hits, len(marks), drawn))
    return tuple(out)


def _interval(
    sums: Sequence[tuple[Fraction, int]], counts: np.ndarray
) -> tuple[float, float] | None:
    hits = np.array([float(total) for total, _ in sums])
    of = np.array([n for _, n in sums], dtype=np.float64)
    return interval(ratios(counts @ hits, counts @ of), len(sums))


def _table(group: PlanGroup) -> Table:
    head: list[object] = [group.name, "exact"]
    head += [f"action {k + 1}" for k in range(group.horizon)]
    rows: Table = [["model", *(_percent(one) for one in group.shares)]]
    rows.append(["95% interval", *(_range(one) for one in group.shares)])
    rows.append(["N", *(one.of for one in group.shares)])
    rows += [[name, *(_percent(one) for one in shares)] for name, shares in group.floors.items()]
    return [head, *rows]


def _percent(share: Share) -> str:
    return "-" if share.value is None else str(percent(share.value))


def _range(share: Share) -> str:
    if share.interval is None:
        return "-"
    low, high = share.interval
    return f"{low * 100:.2f} to {high * 100:.2f}"


def _plain_group(group: PlanGroup) -> dict[str, Any]:
    return {
        "name": group.name,
        "horizon": group.horizon,
        "items": group.items,
        "videos": group.videos,
        "shares": [_plain(one) for one in group.shares],
        "floors": {n: [_plain(one) for one in shares] for n, shares in group.floors.items()},
    }


def _plain(share: Share) -> dict[str, Any]:
    low_high = share.interval
    return {
        "measure": share.measure if not share.k else f"{share.measure} {share.k}",
        "of": share.of,
        "percent": None if share.percent is None else float(share.percent),
        "interval": None if low_high is None else [round(v, _INTERVAL_DECIMALS) for v in low_high],
    }


def _plain_item(one: ScoredPlan) -> dict[str, Any]:
    return {
        "item_id": one.item.item_id,
        "video": one.item.video,
        "status": one.status,
        "said": list(one.said or ()),
        "exact": bool(one.mark.exact),
        "places": [bool(hit) for hit in one.mark.places],
    }
