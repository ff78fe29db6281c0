"""The stages of SurgCoT's chains, as scoring needs them, with their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.scoring.case import broken, case_of, options_of, video_of
from surgqa.transforms.scoring.measures import temporal_iou
from surgqa.transforms.scoring.replies import (
    Span,
    chosen,
    instant_of,
    instant_said,
    span_of,
    span_said,
)
from surgqa.transforms.scoring.reporting import MISSING, SCORED, UNPARSED

STAGES = ("main", "q1", "q2", "q3")
"""The stages of a chain: the column ``stage`` is an index into this tuple."""

LABELS = ("main", "Q1", "Q2", "Q3")
"""Names of the stages as printed."""

TASKS: Mapping[str, str] = {
    "causal_action_ordering": "CAO",
    "cue_action_alignment": "CAA",
    "affordance_mapping": "AM",
    "micro_transition_localization": "MTL",
    "anomaly_onset_tracking": "AOT",
}
"""Core task -> its short name, in the order of the paper."""

SCALES = ("standard", "coarse")
FINE_US = SECOND_US // 2
"""Largest time between two labels, in microseconds, in a standard chain."""


def scale_of(resolution_us: int | None) -> str:
    """Return ``standard``, or ``coarse`` if the labels of a chain's video are far apart in time."""
    return SCALES[(resolution_us or 0) > FINE_US]


COLUMNS = (
    "item_id", "template_id", "task", "dataset", "video_id", "options", "answer_key",
    "answer", "answer_value", "chain_id", "stage", "resolution_us", "unit", "rule_args",
    "start_us", "end_us",
)  # fmt: skip
"""Columns that are read from a row."""


@dataclass(frozen=True, slots=True)
class StageItem:
    """One stage of a chain.

    Attributes:
        task: core task.
        stage: index in :data:`transforms.scoring.surgcot.items.STAGES`.
        scale: ``standard``, or ``coarse`` if labels are so far apart that options half a second
            apart cannot be distinguished.
        video: ``dataset/video_id``; bootstrap draws are of whole videos.
        options: (key, text) of each option.
        span_s: for stage Q2, the correct interval as printed, in seconds; else None.
        instant_s: for stage Q3, the correct time as printed, in seconds; else None.
    """

    item_id: str
    template_id: str
    chain_id: str
    task: str
    stage: int
    scale: str
    video: str
    options: tuple[tuple[str, str], ...]
    answer_key: str
    span_s: Span | None
    instant_s: float | None


@dataclass(frozen=True, slots=True)
class StageScore:
    """The score of one stage.

    Attributes:
        status: ``scored``; ``unparsed`` if a reply chooses no option (score 0); ``missing`` if
            there is no reply (score 0).
        chosen: key of the chosen option.
        score: 1 for the correct option, else 0.
        iou: for stage Q2, whose answer is an interval: IoU of the stated and the correct interval;
            None if the reply states none.
        error_s: for stage Q3, whose answer is a time: seconds between the stated and the correct
            time; None if the reply states none.
    """

    item: StageItem
    status: str
    chosen: str | None
    score: float
    iou: float | None
    error_s: float | None


def item_of(row: Mapping[str, Any]) -> StageItem:
    """Return the item of a row of ``data/``; only its :data:`COLUMNS` are read.

    Raises:
        OutputBroken: the row is not a stage of a chain of the benchmark.
    """
    stage, core = row["stage"], row["task"].rpartition("/")[0]
    if type(stage) is not int or not 0 <= stage < len(STAGES) or not row["chain_id"]:
        raise broken(row, "is not a stage of a chain", "a chain_id and a stage from 0 to 3",
                      f"chain_id {row['chain_id']}, stage {stage}")  # fmt: skip
    options = options_of(row)
    if row["answer_key"] not in dict(options):
        raise broken(row, "has no right option", "answer_key among the options", row["answer_key"])
    kinds = [field.type.name for field in case_of(row).fields]
    text = dict(options)[row["answer_key"]]
    return StageItem(
        row["item_id"], row["template_id"], row["chain_id"], core, stage,
        scale_of(row["resolution_us"]), video_of(row), options, row["answer_key"],
        span_s=span_of(text) if kinds == ["stretch"] else None,
        instant_s=instant_of(text) if kinds == ["instant"] else None,
    )  # fmt: skip


def score_item(item: StageItem, response: str | None) -> StageScore:
    """Return the score of a response; None stands for no response."""
    if response is None:
        return StageScore(item, MISSING, None, 0.0, None, None)
    key = chosen(response, item.options)
    span = span_said(response, item.options) if item.span_s else None
    instant = instant_said(response, item.options) if item.instant_s is not None else None
    return StageScore(
        item=item,
        status=SCORED if key else UNPARSED,
        chosen=key,
        score=float(key == item.answer_key),
        iou=temporal_iou(span, item.span_s) if span and item.span_s else None,
        error_s=None if instant is None else abs(instant - (item.instant_s or 0.0)),
    )


MAIN, Q1, Q2, Q3 = range(len(STAGES))


@dataclass(frozen=True, slots=True)
class ChainScores:
    """The scores of one chain.

    Attributes:
        task, scale, video: as in :class:`StageItem`.
        stages: score of each stage, in order; stages that were not scored are missing.
    """

    chain_id: str
    task: str
    scale: str
    video: str
    stages: Mapping[int, StageScore]

    @classmethod
    def of(cls, stages: Mapping[int, StageScore]) -> ChainScores:
        """Return the chain that has these stages."""
        item = next(iter(stages.values())).item
        return cls(item.chain_id, item.task, item.scale, item.video, dict(sorted(stages.items())))

    @property
    def whole(self) -> bool:
        """Whether all stages are present; only such chains are counted."""
        return len(self.stages) == len(STAGES)

    def right(self, *stages: int) -> bool:
        """Return whether all these stages are present and correct."""
        return all(stage in self.stages and self.stages[stage].score for stage in stages)

    @property
    def complete(self) -> bool:
        """Whether the main question and all three stages are correct."""
        return self.right(MAIN, Q1, Q2, Q3)

    @property
    def chance(self) -> float:
        """The probability that random choices are correct in all stages."""
        return prod(1 / len(one.item.options) for one in self.stages.values())
