"""The scores C, R, S and O of one item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from transforms.scoring.outputs.content import Mark, Rate, mark, rate_by_stand_in
from transforms.scoring.outputs.items import Item
from transforms.scoring.outputs.rounds import (
    Decay,
    first_positive_us,
    overall,
    responsiveness,
    stability,
)
from transforms.scoring.predictions import PredictionKey


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures C, R, S and O in [0, 1].

    Attributes:
        responsiveness: R, None for a single turn.
        stability: S, None for a single turn and for a stream with no round at or after its
            event.
    """

    content: float
    responsiveness: float | None
    stability: float | None
    overall: float


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The scores of one item.

    Attributes:
        question_type: ``closed`` or ``open``.
        video: ``dataset/video_id``; the intervals are clustered by it.
        first_us: time of the first positive round; None for a single turn.
        event_us: start of the event; None for a single turn, and if it never occurs.
        marks: (round number, mark) of its window or rounds.
    """

    item_id: str
    template_id: str
    task: str
    mode: str
    question_type: str
    dataset: str
    organ: str
    video: str
    streaming: bool
    measures: Measures
    first_us: int | None
    event_us: int | None
    marks: tuple[tuple[int | None, Mark], ...]


def score_item(
    item: Item,
    predictions: Mapping[PredictionKey, str],
    decay: Decay | None = None,
    rate: Rate = rate_by_stand_in,
) -> ItemScore:
    """Return the scores of one item.

    Args:
        predictions: responses by (item id, round index or None); others' may be included.
        decay: linear if None.
        rate: rates open answers that differ from the expected words.
    """
    marks = [
        mark(item, ask, predictions.get((item.item_id, ask.round_index)), rate)
        for ask in item.asks
    ]  # fmt: skip
    times = [ask.time_us for ask in item.asks]
    positive = [one.positive for one in marks]
    return ItemScore(
        item_id=item.item_id,
        template_id=item.template_id,
        task=item.task,
        mode=item.mode,
        question_type=item.question_type,
        dataset=item.dataset,
        organ=item.organ,
        video=item.video,
        streaming=item.streaming,
        measures=_measures(item, marks, times, positive, decay or Decay()),
        first_us=first_positive_us(times, positive) if item.streaming else None,
        event_us=item.event_us if item.streaming else None,
        marks=tuple((ask.round_index, one) for ask, one in zip(item.asks, marks, strict=True)),
    )


def _measures(
    item: Item, marks: list[Mark], times: list[int], positive: list[bool], decay: Decay
) -> Measures:
    content = fsum(one.content for one in marks) / len(marks)
    if not item.streaming:
        return Measures(content, None, None, content)
    r = responsiveness(times, positive, item.event_us, item.tolerance_us, decay)
    return Measures(content, r, stability(times, positive, item.event_us), overall(content, r))
