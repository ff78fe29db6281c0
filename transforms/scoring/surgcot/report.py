"""Collect and report the scores of SurgCoT: each task, and the mean of the tasks.

Every measure is a quotient of two sums over the chains of a task. Coarse chains (whose labels are
far apart) are reported separately from standard chains. Intervals are clustered by video.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.scoring import reporting
from surgqa.transforms.scoring.bootstrap import VideoDraws, interval, mean_of_stated
from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.surgcot.items import (
    LABELS,
    MAIN,
    Q1,
    Q2,
    Q3,
    SCALES,
    STAGES,
    TASKS,
    ChainScores,
    StageScore,
    item_of,
    score_item,
)

AVERAGE = "average"
"""Name of the group that is the mean of the tasks."""

Share = tuple[float, float]


def _stage(stage: int) -> Callable[[ChainScores], Share]:
    return lambda chain: (float(chain.right(stage)), float(stage in chain.stages))


def _given(stage: int, *before: int) -> Callable[[ChainScores], Share]:
    def share(chain: ChainScores) -> Share:
        known = float(chain.whole and chain.right(*before))
        return known * chain.right(stage), known

    return share


def _whole(value: Callable[[ChainScores], float]) -> Callable[[ChainScores], Share]:
    """Return a measure: the mean of ``value`` over whole chains."""
    return lambda chain: (float(chain.whole and value(chain)), float(chain.whole))


def _items(value: Callable[[StageScore], float]) -> Callable[[ChainScores], Share]:
    """Return a measure: the mean of ``value`` over the items of all chains."""
    return lambda chain: (sum(map(value, chain.stages.values())), float(len(chain.stages)))


def _time(stage: int, name: str) -> Callable[[ChainScores], Share]:
    """Return a measure: the mean of an attribute over responses whose time could be read."""

    def share(chain: ChainScores) -> Share:
        value = getattr(chain.stages.get(stage), name, None)
        return (0.0, 0.0) if value is None else (value, 1.0)

    return share


SHARES: Mapping[str, Callable[[ChainScores], Share]] = {
    **{name: _stage(stage) for stage, name in enumerate(STAGES)},
    "accuracy": _items(lambda one: one.score),
    "chain_completion": _whole(lambda chain: chain.complete),
    "q2_given_q1": _given(Q2, Q1),
    "q3_given_q1_q2": _given(Q3, Q1, Q2),
    "main_right_chain_wrong": _whole(lambda chain: chain.right(MAIN) and not chain.complete),
    "iou_q2": _time(Q2, "iou"),
    "error_q3_s": _time(Q3, "error_s"),
    "chance": _items(lambda one: 1 / len(one.item.options)),
    "chance_chain": _whole(lambda chain: chain.chance),
}
"""Name of a measure -> function from a chain to its (numerator, denominator)."""
COUNTS = ("chains", "incomplete", "items", "timed_q2", "timed_q3", "unparsed", "missing")
"""Fields of a group that are counts."""


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Measures of one task, or the means of the tasks' measures.

    Attributes:
        scale: ``standard`` or ``coarse``.
        name: core task, or ``average``.
        chains: number of whole chains.
        incomplete: number of chains that lack a stage; they count only in accuracies.
        measures: :data:`SHARES` and the floors ``majority`` and ``majority_chain`` by name;
            None without cases.
        intervals: 95 % bootstrap interval of each of :data:`SHARES`, clustered by video;
            None with fewer than two videos.
        timed_q2, timed_q3: number of responses whose time could be read.
        unparsed, missing: number of responses without an option, and of missing responses.
    """

    scale: str
    name: str
    chains: int
    incomplete: int
    items: int
    measures: Mapping[str, float | None]
    intervals: Mapping[str, reporting.Interval]
    timed_q2: int
    timed_q3: int
    unparsed: int
    missing: int


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A group with the value of each measure in each bootstrap draw; NaN where undefined."""

    group: TaskGroup
    shares: Mapping[str, np.ndarray]


def groups_of(chains: Sequence[ChainScores], replicates: int, seed: str) -> tuple[TaskGroup, ...]:
    """Return the groups of standard chains, then those of coarse chains.

    Args:
        chains: the chains, sorted by id, at least one.
        replicates: number of bootstrap draws.
        seed: key of the draws.
    """
    draws = VideoDraws((chain.video for chain in chains), replicates, seed)
    out: list[TaskGroup] = []
    for scale in SCALES:
        mine = [chain for chain in chains if chain.scale == scale]
        found = {chain.task for chain in mine}
        names = [*(one for one in TASKS if one in found), *sorted(found - TASKS.keys())]
        tasks = [_task(scale, name, [c for c in mine if c.task == name], draws)
                 for name in names]  # fmt: skip
        if tasks:
            out += [one.group for one in tasks]
            out.append(_average(scale, tasks, len({chain.video for chain in mine})))
    return tuple(out)


def _task(scale: str, name: str, chains: Sequence[ChainScores], draws: VideoDraws) -> _Drawn:
    videos = [chain.video for chain in chains]
    measures: dict[str, float | None] = {}
    intervals: dict[str, reporting.Interval] = {}
    drawn: dict[str, np.ndarray] = {}
    for share, of in SHARES.items():
        above, below = zip(*map(of, chains), strict=True)
        measures[share], intervals[share], drawn[share] = draws.quotient(videos, above, below)
    measures |= _majority(chains)
    stages = [one for chain in chains for one in chain.stages.values()]
    statuses = reporting.counted(one.status for one in stages)
    group = TaskGroup(
        scale=scale,
        name=name,
        chains=sum(chain.whole for chain in chains),
        incomplete=sum(not chain.whole for chain in chains),
        items=len(stages),
        measures=measures,
        intervals=intervals,
        timed_q2=sum(one.iou is not None for one in stages),
        timed_q3=sum(one.error_s is not None for one in stages),
        unparsed=statuses[reporting.UNPARSED],
        missing=statuses[reporting.MISSING],
    )
    return _Drawn(group, drawn)


def _majority(chains: Sequence[ChainScores]) -> dict[str, float | None]:
    """Return the scores of choosing, in each stage, the letter that is most often correct."""
    keys = [{s: one.item.answer_key for s, one in chain.stages.items()} for chain in chains]
    guess: dict[int, str] = {}
    for stage in range(len(STAGES)):
        often = Counter(one[stage] for one in keys if stage in one)
        if often:
            guess[stage] = min(often, key=lambda key: (-often[key], key))
    hits = sum(key == guess[stage] for one in keys for stage, key in one.items())
    whole = [one for one in keys if len(one) == len(STAGES)]
    full = sum(one == guess for one in whole)
    return {
        "majority": hits / sum(map(len, keys)),
        "majority_chain": full / len(whole) if whole else None,
    }


def _average(scale: str, tasks: Sequence[_Drawn], videos: int) -> TaskGroup:
    """Return the unweighted means of the tasks' measures, over the tasks that have them."""
    groups = [one.group for one in tasks]
    intervals = {}
    for share in SHARES:
        together = np.stack([one.shares[share] for one in tasks], axis=1)
        intervals[share] = interval(mean_of_stated(together), videos)
    measures = {
        name: reporting.mean(g.measures[name] for g in groups) for name in groups[0].measures
    }
    counts = {name: sum(getattr(group, name) for group in groups) for name in COUNTS}
    return TaskGroup(scale, AVERAGE, measures=measures, intervals=intervals, **counts)


@dataclass(frozen=True, slots=True)
class SurgcotReport(reporting.OwnReport):
    """The scores of all chains of SurgCoT.

    Attributes:
        groups: the groups of standard chains, then of coarse ones (with labels far apart in time);
            for each, the tasks and the mean of the tasks.
        chains: scores by chain id.
        items: items by item id.
        replicates, seed: number of bootstrap draws, and their key.
    """

    REMARKS = {
        reporting.MISSING: "items have no response (scored 0)",
        reporting.UNPARSED: "responses choose no option (scored 0)",
        "incomplete": "chains lack a stage: counted in the accuracies, not as chains",
    }
    groups: tuple[TaskGroup, ...]
    chains: tuple[ChainScores, ...]
    items: tuple[StageScore, ...]
    replicates: int
    seed: str

    def counts(self) -> dict[str, int]:
        """Return the numbers of whole and incomplete chains, and of items by status."""
        whole = [chain.scale for chain in self.chains if chain.whole]
        return {
            **{scale: whole.count(scale) for scale in SCALES},
            "incomplete": len(self.chains) - len(whole),
            "items": len(self.items),
            **reporting.counted(one.status for one in self.items),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON; numbers have six decimals."""
        return {
            "counts": self.counts(),
            "groups": reporting.plain(self.groups),
            "chains": [_plain_chain(chain) for chain in self.chains],
            "items": [_plain_item(one) for one in self.items],
            "bootstrap": {"replicates": self.replicates, "seed": self.seed},
        }

    def titled(self, name: str) -> list[tuple[str, reporting.Table]]:
        """Return the tables for standard and for coarse chains, if there are any."""
        out: list[tuple[str, reporting.Table]] = []
        for scale in SCALES:
            mine = [group for group in self.groups if group.scale == scale]
            if mine:
                out.append((f"surgcot, {scale} chains: accuracy", _accuracies(mine)))
                out.append((f"surgcot, {scale} chains: whole chains and times", _wholes(mine)))
        return out

    def item_scores(self) -> Iterator[tuple[str, float]]:
        yield from ((one.item.item_id, one.score) for one in self.items)

    def remarks(self, name: str) -> list[str]:
        counts, out = self.counts(), super(SurgcotReport, self).remarks(name)
        if counts["coarse"] and not counts["standard"]:
            out.append(f"{name}: all chains are coarse, so there are no standard chains")
        return out


def _accuracies(groups: Sequence[TaskGroup]) -> reporting.Table:
    head: list[object] = [
        "task", "chains", "items", *LABELS, "all", "95% interval", "chance", "majority",
        "unparsed", "missing",
    ]  # fmt: skip
    names = (*STAGES, "accuracy")
    return [head, *(
        [TASKS.get(group.name, group.name), group.chains, group.items,
         *(reporting.percent(group.measures[name]) for name in names),
         reporting.span(group.intervals["accuracy"]),
         *(reporting.percent(group.measures[name]) for name in ("chance", "majority")),
         group.unparsed, group.missing]
        for group in groups
    )]  # fmt: skip


def _wholes(groups: Sequence[TaskGroup]) -> reporting.Table:
    head: list[object] = [
        "task", "CCA", "95% interval", "chance", "majority", "P(Q2|Q1)", "P(Q3|Q1,Q2)",
        "main only", "IoU Q2", "read", "error Q3", "read",
    ]  # fmt: skip
    floors = ("chance_chain", "majority_chain")
    given = ("q2_given_q1", "q3_given_q1_q2", "main_right_chain_wrong", "iou_q2")
    return [head, *(
        [TASKS.get(group.name, group.name), reporting.percent(group.measures["chain_completion"]),
         reporting.span(group.intervals["chain_completion"]),
         *(reporting.percent(group.measures[name]) for name in (*floors, *given)), group.timed_q2,
         "-" if (late := group.measures["error_q3_s"]) is None else f"{late:.2f} s",
         group.timed_q3]
        for group in groups
    )]  # fmt: skip


def _plain_chain(chain: ChainScores) -> dict[str, Any]:
    return {
        "chain_id": chain.chain_id,
        "task": chain.task,
        "scale": chain.scale,
        "right": {STAGES[stage]: bool(one.score) for stage, one in chain.stages.items()},
        "complete": chain.complete if chain.whole else None,
    }


def _plain_item(one: StageScore) -> dict[str, Any]:
    item = {name: getattr(one.item, name) for name in
            ("item_id", "template_id", "chain_id", "task", "stage", "scale", "video")}  # fmt: skip
    said = {name: getattr(one, name) for name in ("status", "chosen", "score")}
    return {**item, "stage": STAGES[one.item.stage], **said, "iou": reporting.plain(one.iou),
            "error_s": reporting.plain(one.error_s)}  # fmt: skip


class SurgcotBooks(reporting.OwnBooks):
    """Collects the scores of chains with the stages of SurgCoT."""

    def __init__(self) -> None:
        self._chains: dict[str, dict[int, StageScore]] = {}

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row is a stage of such a chain."""
        stage, name = row.get("stage"), str(row.get("task")).rpartition("/")[2]
        return name in STAGES and stage == STAGES.index(name)

    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
        item = item_of(row)
        chain = self._chains.setdefault(item.chain_id, {})
        if item.stage in chain:
            raise OutputBroken(
                f"chain {item.chain_id} has its {STAGES[item.stage]} twice",
                expected="one item for each stage",
                found=f"items {chain[item.stage].item.item_id} and {item.item_id}",
                where=item.template_id,
                fix="score one finished dataset at a time",
            )
        chain[item.stage] = score_item(item, predictions.get((item.item_id, None)))

    def report(self, replicates: int, seed: str) -> SurgcotReport | None:
        if not self._chains:
            return None
        chains = [ChainScores.of(self._chains[name]) for name in sorted(self._chains)]
        items = [one for chain in chains for one in chain.stages.values()]
        ordered = sorted(items, key=lambda one: one.item.item_id)
        groups = groups_of(chains, replicates, seed)
        return SurgcotReport(groups, tuple(chains), tuple(ordered), replicates, seed)
