"""Collect and report the scores of SAP-Bench: rankings and plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.transforms.review.surgeons import Choices
from surgqa.transforms.scoring import reporting
from surgqa.transforms.scoring.case import arguments_of
from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.sapbench import tables
from surgqa.transforms.scoring.sapbench.items import (
    BASELINES,
    RANKS,
    SapBenchItem,
    item_of,
    mark_of,
)
from surgqa.transforms.scoring.sapbench.plans import (
    FLOORS,
    PlanItem,
    is_plan,
    mark_plan,
    plan_of,
    read_plan,
)
from surgqa.transforms.scoring.sapbench.ranked import NOTHING, read_ranked
from surgqa.transforms.scoring.sapbench.tables import (
    TITLES,
    RankShare,
    against,
    plan_shares,
    shares,
)

ALL = "all items"


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """One item with the ranking or plan of its response; None if no plan could be read."""

    item: Any
    said: Any
    status: str
    mark: Any

    def to_dict(self, **more: Any) -> dict[str, Any]:
        """Return the item for JSON, with the entries ``more``."""
        return {"item_id": self.item.item_id, "video": self.item.video, "status": self.status,
                **more}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlanGroup:
    """The scores of the rankings of one template, or of the plans of one length.

    Attributes:
        counts: numbers of ``items`` and ``videos``. For plans also ``horizon``, the number of
            actions of a plan. For rankings also ``eligible``, the number of items with an action
            after the next one (only these count in relaxed measures), and ``videos_left_out``, the
            number of videos without such an item.
        floors: scores of answers that ignore the frames, by name.
    """

    name: str
    counts: Mapping[str, int]
    shares: tuple[RankShare, ...]
    floors: Mapping[str, tuple[RankShare, ...]]

    def to_dict(
        self, floors: str, plain_share: Callable[[RankShare], dict[str, Any]]
    ) -> dict[str, Any]:
        """Return the group for JSON; ``floors`` is the name of the entry with the floors."""
        return {
            "name": self.name, **self.counts, "shares": list(map(plain_share, self.shares)),
            floors: {name: list(map(plain_share, found)) for name, found in self.floors.items()},
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlanReport:
    """The scores of all plans.

    Attributes:
        groups: for each number of actions, all items; if there are several datasets, also each
            dataset.
        items: items by item id.
    """

    groups: tuple[PlanGroup, ...]
    items: tuple[ScoredItem, ...]

    def counts(self) -> dict[str, int]:
        """Return the numbers of items (= scored + unparsed + missing)."""
        return {"items": len(self.items), **reporting.counted(one.status for one in self.items)}

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON."""
        return {
            "counts": self.counts(),
            "groups": [one.to_dict("floors", RankShare.of_place) for one in self.groups],
            "items": [
                one.to_dict(said=list(one.said or ()), exact=bool(one.mark.exact),
                            places=list(map(bool, one.mark.places)))
                for one in self.items
            ],
        }  # fmt: skip

    def tables(self) -> list[reporting.Table]:
        """Return the tables to print, one for each group."""
        return [_table(group) for group in self.groups]


def _table(group: PlanGroup) -> reporting.Table:
    return [
        [group.name, *(TITLES[one.measure].format(one.k) for one in group.shares)],
        ["model", *_percents(group.shares)],
        ["95% interval", *(reporting.span(one.interval) for one in group.shares)],
        ["N", *(one.of for one in group.shares)],
        *([name, *_percents(found)] for name, found in group.floors.items()),
    ]


def _percents(found: Sequence[RankShare]) -> list[object]:
    return ["-" if share.percent is None else str(share.percent) for share in found]


@dataclass(frozen=True, slots=True)
class RankedReport(PlanReport):
    """The scores of all rankings, grouped by template.

    Attributes:
        surgeons: scores with the choices of surgeons as correct answers; empty without choices.
        unanswered: number of items that at least one surgeon did not answer.
        replicates, seed: number of bootstrap draws, and their key.
    """

    surgeons: tuple[tables.Against, ...]
    unanswered: int
    replicates: int
    seed: str

    def counts(self) -> dict[str, int]:
        """Return the numbers of items, of scored, unparsed and missing ones, and of bad labels."""
        return {
            **PlanReport.counts(self),
            "with_unknown_labels": sum(bool(one.said.unknown) for one in self.items),
            "unknown_labels": sum(len(one.said.unknown) for one in self.items),
            "duplicate_labels": sum(one.said.duplicates for one in self.items),
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "counts": self.counts(),
            "groups": [one.to_dict("baselines", RankShare.of_rank) for one in self.groups],
            "surgeons": [{"who": one.who, "reference": one.reference,
                          "shares": [share.of_rank() for share in one.shares]}
                         for one in self.surgeons],
            "items_without_every_surgeon": self.unanswered,
            "items": [
                one.to_dict(form=one.said.form, ranked=list(one.said.entries),
                            unknown=list(one.said.unknown), strict=list(map(bool, one.mark.strict)),
                            relaxed=one.mark.relaxed and list(map(bool, one.mark.relaxed)))
                for one in self.items
            ],
            "bootstrap": {"replicates": self.replicates, "seed": self.seed},
        }  # fmt: skip

    def tables(self) -> list[reporting.Table]:
        """Return the tables to print: one for each group, and one for the surgeons."""
        out = PlanReport.tables(self)
        if self.surgeons:
            head: list[object] = ["who", "against", "items", *(f"top-{k}" for k in RANKS)]
            blank = ["-"] * len(RANKS)
            out.append([head, *(
                [one.who, one.reference, one.shares[0].of,
                 *(_percents(one.shares) + blank)[: len(RANKS)]] for one in self.surgeons
            )])  # fmt: skip
        return out

    def remarks(self, name: str) -> list[str]:
        """Return remarks about what the tables do not show."""
        out = reporting.remarks_on(name, self.counts(), {
            "with_unknown_labels": "rankings name an action that is not known",
        })  # fmt: skip
        if sum(one.counts["videos_left_out"] for one in self.groups):
            out.append(f"{name}: videos without a following action are left out of Video-R")
        if self.surgeons and self.unanswered:
            out.append(f"{name}: {self.unanswered} items were not answered by every surgeon and "
                       "are left out of the comparison with surgeons")  # fmt: skip
        return out


@dataclass(frozen=True, slots=True)
class SapbenchReport(reporting.OwnReport):
    """The scores of SAP-Bench; a report of rankings or of plans is None if there are none.

    Attributes:
        strangers: number of items that surgeons chose for and that are not in the dataset.
    """

    REMARKS = {
        reporting.MISSING: "items have no response (scored 0)",
        reporting.UNPARSED: "responses name no action (scored 0)",
    }
    ranked: RankedReport | None
    plans: PlanReport | None
    strangers: int = 0

    def counts(self) -> dict[str, int]:
        """Return the numbers of items, and of scored, unparsed and missing ones."""
        items = [item for one in (self.ranked, self.plans) if one for item in one.items]
        return PlanReport((), tuple(items)).counts()

    def to_dict(self) -> dict[str, Any]:
        return {
            "ranked": self.ranked.to_dict() if self.ranked else None,
            "plans": self.plans.to_dict() if self.plans else None,
            "choices_of_other_items": self.strangers,
        }

    def item_scores(self) -> Iterator[tuple[str, float]]:
        """Yield (item id, score): 1 if the first action of the ranking, or the plan, is correct."""
        for one in self.ranked.items if self.ranked else ():
            yield one.item.item_id, float(one.mark.strict[0])
        for plan in self.plans.items if self.plans else ():
            yield plan.item.item_id, float(plan.mark.exact)

    def titled(self, name: str) -> list[tuple[str, reporting.Table]]:
        """Return the tables; only the first has a title, the benchmark's name."""
        found = [table for one in (self.ranked, self.plans) if one for table in one.tables()]
        return [("" if k else name, one) for k, one in enumerate(found)]

    def remarks(self, name: str) -> list[str]:
        out = super(SapbenchReport, self).remarks(name)  # super() fails in a class with slots
        out += self.ranked.remarks(name) if self.ranked else []
        if self.strangers:
            out.append(f"{name}: surgeons chose for {self.strangers} items not in the dataset")
        return out


class SapbenchBooks(reporting.OwnBooks):
    """Collects the scores of rankings and plans.

    Args:
        choices: the next actions that surgeons chose.
    """

    def __init__(self, choices: Choices | None = None) -> None:
        self._choices = choices or {}
        self._ranked: list[ScoredItem] = []
        self._plans: list[ScoredItem] = []
        self._ids: set[str] = set()

    def wants(self, row: Mapping[str, Any]) -> bool:
        return is_ranked(row) or is_plan(row)

    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
        response = predictions.get((row["item_id"], None))
        if is_ranked(row):
            item = item_of(row)
            said = NOTHING if response is None else read_ranked(response)
            status, mark = reporting.status_of(response, said.entries), mark_of(item, said.entries)
            self._ranked.append(ScoredItem(item, said, status, mark))
        else:
            asked = plan_of(row)
            plan = None if response is None else read_plan(response, asked)
            status = reporting.status_of(response, plan)
            self._plans.append(ScoredItem(asked, plan, status, mark_plan(asked, plan)))
        self._ids.add(row["item_id"])

    def know(self, item_id: str) -> None:
        self._ids.add(item_id)

    def report(self, replicates: int, seed: str) -> SapbenchReport | None:
        if not (self._ranked or self._plans):
            return None
        strangers = {item for mine in self._choices.values() for item in mine} - self._ids
        ranked = self._rankings(replicates, seed) if self._ranked else None
        plans = _plan_report(self._plans, replicates, seed) if self._plans else None
        return SapbenchReport(ranked, plans, len(strangers))

    def _rankings(self, replicates: int, seed: str) -> RankedReport:
        scored = _by_id(self._ranked)
        rankings = {one.item.item_id: one.said.entries for one in scored}
        items = [one.item for one in scored]
        compared, unanswered = against(items, rankings, self._choices) if self._choices else ((), 0)
        # Groups are by template, because two templates may ask about the same frame.
        several = len({one.template for one in items}) > 1
        parts = _parts(scored, lambda item: item.template,
                       lambda name: (name, f"{name}, ") if several else (ALL, ""))  # fmt: skip
        groups = (_ranked_group(name, part, replicates, seed) for name, part in parts.items())
        return RankedReport(tuple(groups), scored, compared, unanswered, replicates, seed)


def is_ranked(row: Mapping[str, Any]) -> bool:
    """Return whether the answer of a row of the benchmark is a ranking."""
    return bool(arguments_of(row).get("ranked"))


def _by_id(found: Sequence[ScoredItem]) -> tuple[ScoredItem, ...]:
    return tuple(sorted(found, key=lambda one: one.item.item_id))


def _plan_report(found: Sequence[ScoredItem], replicates: int, seed: str) -> PlanReport:
    scored = _by_id(found)
    parts = _parts(scored, lambda item: len(item.plan),
                   lambda horizon: (f"plans of {horizon}", f"plans of {horizon}, "))  # fmt: skip
    groups = []
    for name, part in parts.items():
        items = [one.item for one in part]
        groups.append(PlanGroup(
            name, {"horizon": len(items[0].plan), **_sizes(items)},
            plan_shares([one.mark for one in part], replicates, seed),
            {floor: plan_shares(marks(items)) for floor, marks in FLOORS.items()},
        ))  # fmt: skip
    return PlanReport(tuple(groups), scored)


def _ranked_group(name: str, part: Sequence[Any], replicates: int, seed: str) -> PlanGroup:
    items = [one.item for one in part]
    eligible = [item for item in items if item.following is not None]
    left_out = {item.video for item in items} - {item.video for item in eligible}
    counts = {**_sizes(items), "eligible": len(eligible), "videos_left_out": len(left_out)}
    return PlanGroup(name, counts, shares([one.mark for one in part], replicates, seed),
                 {floor: shares(marks(items)) for floor, marks in BASELINES.items()})  # fmt: skip


def _sizes(items: Sequence[SapBenchItem] | Sequence[PlanItem]) -> dict[str, int]:
    return {"items": len(items), "videos": len({item.video for item in items})}


def _parts(
    scored: Sequence[Any], key: Callable[[Any], Any], titled: Callable[[Any], tuple[str, str]]
) -> dict[str, list[Any]]:
    """Return title -> items: a group for each value of a key, and for each of its datasets.

    Args:
        titled: function of a value that returns the title of its group, and the prefix of the
            titles of its datasets.
    """
    out: dict[str, list[Any]] = {}
    for value in sorted({key(one.item) for one in scored}):
        title, prefix = titled(value)
        out[title] = [one for one in scored if key(one.item) == value]
        names = sorted({one.item.dataset for one in out[title]})
        for name in names if len(names) > 1 else ():
            out[f"{prefix}{name}"] = [one for one in out[title] if one.item.dataset == name]
    return out
