"""Stages of chains in the form that scoring needs, and the score of one stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ontology.errors import OutputBroken
from transforms.scoring.case import case_of
from transforms.scoring.measures import temporal_iou
from transforms.scoring.replies import (
    Span,
    chosen,
    instant_of,
    instant_said,
    span_of,
    span_said,
)
from transforms.scoring.report import MISSING, SCORED, UNPARSED
from transforms.scoring.surgcot.stages import STAGES, scale_of

COLUMNS = (
    "item_id", "template_id", "task", "dataset", "video_id", "options", "answer_key",
    "answer", "answer_value", "chain_id", "stage", "resolution_us", "unit", "rule_args",
    "start_us", "end_us",
)  # fmt: skip
"""Columns that are read from a row."""


@dataclass(frozen=True, slots=True)
class Item:
    """One stage of a chain.

    Attributes:
        task: core task.
        stage: index in :data:`transforms.scoring.surgcot.stages.STAGES`.
        scale: one of :data:`transforms.scoring.surgcot.stages.SCALES`; coarse if the evidence
            cannot distinguish options half a second apart.
        video: ``dataset/video_id``; the intervals are clustered by it.
        options: (key, text) of each.
        span_s: correct segment of Q2 as printed, in seconds, else None.
        instant_s: correct time of Q3 as printed, in seconds, else None.
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
class ItemScore:
    """The score of one stage.

    Attributes:
        status: ``scored``; ``unparsed`` if a reply chooses no option; ``missing`` if there is no
            reply.  The latter two score 0.
        chosen: key of the chosen option.
        score: 1 for the correct option, else 0.
        iou: temporal IoU of the segment stated in a reply to Q2; None if it states none.
        error_s: seconds between the time stated in a reply to Q3 and the correct time.
    """

    item: Item
    status: str
    chosen: str | None
    score: float
    iou: float | None
    error_s: float | None


def item_of(row: Mapping[str, Any]) -> Item:
    """Return the item of a row of ``data/``; only its :data:`COLUMNS` are read.

    Raises:
        OutputBroken: a field is not as this benchmark requires.
    """
    stage, core = row["stage"], row["task"].rpartition("/")[0]
    if type(stage) is not int or not 0 <= stage < len(STAGES) or not row["chain_id"]:
        raise _broken(row, "is not a stage of a chain", "a chain_id and a stage from 0 to 3",
                      f"chain_id {row['chain_id']}, stage {stage}")  # fmt: skip
    options = tuple((option["key"], option["text"]) for option in row["options"] or ())
    if row["answer_key"] not in dict(options):
        raise _broken(row, "has no right option", "answer_key among the options", row["answer_key"])
    span_s, instant_s = _times(row)
    return Item(
        item_id=row["item_id"],
        template_id=row["template_id"],
        chain_id=row["chain_id"],
        task=core,
        stage=stage,
        scale=scale_of(row["resolution_us"]),
        video=f"{row['dataset']}/{row['video_id']}",
        options=options,
        answer_key=row["answer_key"],
        span_s=span_s,
        instant_s=instant_s,
    )


def _times(row: Mapping[str, Any]) -> tuple[Span | None, float | None]:
    """Return the correct segment and the correct time as printed, if the stage asks for one."""
    case = case_of(row)
    kinds = [field.type.name for field in case.fields]
    text = dict(case.options).get(case.answer_key or "", "")
    return (span_of(text) if kinds == ["stretch"] else None,
            instant_of(text) if kinds == ["instant"] else None)  # fmt: skip


def score_item(item: Item, response: str | None) -> ItemScore:
    """Return the score of a reply; None means that there is no reply."""
    if response is None:
        return ItemScore(item, MISSING, None, 0.0, None, None)
    key = chosen(response, item.options)
    span = span_said(response, item.options) if item.span_s else None
    instant = instant_said(response, item.options) if item.instant_s is not None else None
    return ItemScore(
        item=item,
        status=SCORED if key else UNPARSED,
        chosen=key,
        score=float(key == item.answer_key),
        iou=temporal_iou(span, item.span_s) if span and item.span_s else None,
        error_s=None if instant is None else abs(instant - (item.instant_s or 0.0)),
    )


def _broken(row: Mapping[str, Any], problem: str, expected: str, found: object) -> OutputBroken:
    return OutputBroken(
        f"item {row['item_id']} {problem}",
        expected=expected,
        found=str(found),
        where=str(row["template_id"]),
        fix="build the dataset again, or see 'surgqa check'",
    )
