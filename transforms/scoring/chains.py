"""Scores of chains (several questions about one event): of each stage, and of whole chains.

A conditional score is the mean score of a stage over the chains in which all earlier stages are
correct. Stage 0 is the main question, which is answered last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.scoring import reporting
from surgqa.transforms.scoring.bootstrap import interval_of_mean
from surgqa.transforms.scoring.case import case_of, video_of
from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.tasks import mark_response, task_of

MAIN = 0
ALL = "all chains"
HEADER = (
    "task", "chains", "items", "stages", "all", "chance", "whole chains", "95% interval", "chance",
    "main only", "unparsed", "missing",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StageAnswer:
    """The answer to one stage of a chain.

    Attributes:
        name: last part of the stage's task, such as ``time``.
        score: score in [0, 1]; 1 is correct.
        chance: score of a random choice among the stage's options, 0 without options.
    """

    item_id: str
    name: str
    status: str
    score: float
    chance: float


@dataclass(frozen=True, slots=True)
class ChainGroup:
    """Measures of the chains of one task; shares are in [0, 1], or None if there are no cases.

    Attributes:
        stages: for each stage, by name, its mean score.
        given: mean score of each stage over the chains whose earlier stages are all correct;
            without the first stage and the main question.
        accuracy: mean score of all items.
        complete: share of chains in which every stage is correct.
        main_only: share of chains with a correct main question although another stage is wrong.
    """

    name: str
    chains: int
    items: int
    stages: Mapping[str, float]
    given: Mapping[str, float | None]
    accuracy: float
    chance: float
    complete: float
    interval: tuple[float, float] | None
    chance_complete: float
    main_only: float
    unparsed: int
    missing: int


@dataclass(frozen=True, slots=True)
class ChainReport(reporting.OwnReport):
    """The scores of all chains of one benchmark."""

    REMARKS = {
        reporting.MISSING: "items have no response (scored 0)",
        reporting.UNPARSED: "responses could not be read (scored 0)",
    }
    groups: tuple[ChainGroup, ...]
    chains: Mapping[str, Mapping[int, StageAnswer]]

    def counts(self) -> dict[str, int]:
        """Return the numbers of chains and of items (= scored + unparsed + missing)."""
        found = reporting.counted(
            one.status for chain in self.chains.values() for one in chain.values()
        )
        return {"chains": len(self.chains), "items": sum(found.values()), **found}

    def to_dict(self) -> dict[str, Any]:
        items = [{"chain_id": name, "stage": stage, "item_id": one.item_id, "status": one.status,
                  "score": reporting.six(one.score)}
                 for name, chain in sorted(self.chains.items())
                 for stage, one in sorted(chain.items())]  # fmt: skip
        return {"counts": self.counts(), "groups": reporting.plain(self.groups),
                "items": items}  # fmt: skip

    def item_scores(self) -> Iterator[tuple[str, float]]:
        for chain in self.chains.values():
            yield from ((one.item_id, one.score) for one in chain.values())

    def titled(self, name: str) -> list[tuple[str, reporting.Table]]:
        """Return one table, with a row for each task and, if there are several, one for all."""
        return [(name, [list(HEADER), *(_row(one) for one in self.groups)])]


class ChainBooks(reporting.OwnBooks):
    """Collects the scores of chains, row by row."""

    def __init__(self) -> None:
        self._chains: dict[str, dict[int, StageAnswer]] = {}
        self._origin: dict[str, tuple[str, str]] = {}

    def wants(self, row: Mapping[str, Any]) -> bool:
        return bool(row.get("chain_id"))

    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
        chain = self._chains.setdefault(row["chain_id"], {})
        core, _, name = row["task"].rpartition("/")
        task = task_of(row)
        if row["stage"] in chain or task is None:
            raise OutputBroken(
                f"chain {row['chain_id']}: its stage {row['stage']} cannot be scored",
                expected="one item for each stage, with the type of its answer",
                found=f"item {row['item_id']}", where=str(row["template_id"]),
                fix="score one finished dataset at a time",
            )  # fmt: skip
        response = predictions.get((row["item_id"], None))
        mark = None if response is None else mark_response(task, response, case_of(row))
        options = len(row["options"] or ())
        chain[row["stage"]] = StageAnswer(
            row["item_id"],
            name,
            reporting.status_of(response, mark),
            mark.score if mark else 0.0,
            1 / options if options else 0,
        )
        self._origin[row["chain_id"]] = core, video_of(row)

    def report(self, replicates: int, seed: str) -> ChainReport | None:
        if not self._chains:
            return None
        chains = dict(sorted(self._chains.items()))
        tasks = sorted({core for core, _ in self._origin.values()})
        parts = {core: [n for n in chains if self._origin[n][0] == core] for core in tasks}
        if len(tasks) > 1:
            parts[ALL] = list(chains)
        groups = [_group(core, [(self._origin[n][1], chains[n]) for n in names], replicates, seed)
                  for core, names in parts.items()]  # fmt: skip
        return ChainReport(tuple(groups), chains)


def _group(
    name: str, chains: Sequence[tuple[str, Mapping[int, StageAnswer]]], replicates: int, seed: str
) -> ChainGroup:
    items = [one for _, chain in chains for one in chain.values()]
    complete = [(video, float(all(_right(one) for one in chain.values())))
                for video, chain in chains]  # fmt: skip
    main = [float(_right(chain.get(MAIN)) and not whole)
            for (_, chain), (_, whole) in zip(chains, complete, strict=True)]  # fmt: skip
    order = sorted(
        {(stage == MAIN, stage, one.name) for _, c in chains for stage, one in c.items()}
    )
    stages = {label: reporting.mean([c[stage].score for _, c in chains if stage in c]) or 0.0
              for _, stage, label in order}  # fmt: skip
    return ChainGroup(
        name, len(chains), len(items), stages, _given(order, [chain for _, chain in chains]),
        reporting.mean([one.score for one in items]) or 0.0,
        reporting.mean([one.chance for one in items]) or 0.0,
        reporting.mean([whole for _, whole in complete]) or 0.0,
        interval_of_mean(complete, replicates, seed),
        reporting.mean([prod(one.chance for one in chain.values()) for _, chain in chains]) or 0.0,
        reporting.mean(main) or 0.0, sum(one.status == reporting.UNPARSED for one in items),
        sum(one.status == reporting.MISSING for one in items),
    )  # fmt: skip


def _given(
    order: Sequence[tuple[bool, int, str]], chains: Sequence[Mapping[int, StageAnswer]]
) -> dict[str, float | None]:
    """Return the mean score of each stage over the chains whose earlier stages are all correct.

    The first stage and the main question are left out.
    """
    out: dict[str, float | None] = {}
    before: list[int] = []
    for main, stage, label in order:
        if before and not main:
            known = [c for c in chains if stage in c and all(_right(c.get(k)) for k in before)]
            out[label] = reporting.mean([chain[stage].score for chain in known])
        before.append(stage)
    return out


def _right(one: StageAnswer | None) -> bool:
    return one is not None and one.score == 1


def _row(group: ChainGroup) -> list[object]:
    stages = [f"{name} {reporting.percent(value)}" + (
        "" if name not in group.given else f" (given {reporting.percent(group.given[name])})")
        for name, value in group.stages.items()]  # fmt: skip
    return [
        group.name, group.chains, group.items, ", ".join(stages), reporting.percent(group.accuracy),
        reporting.percent(group.chance), reporting.percent(group.complete),
        reporting.span(group.interval),
        reporting.percent(group.chance_complete), reporting.percent(group.main_only),
        group.unparsed, group.missing,
    ]  # fmt: skip
