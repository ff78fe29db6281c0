"""Computes the content, responsiveness, stability and overall score of one item.

An output is positive if it states that the event has occurred.

Times are integer microseconds from the start of the video. If only the order of frames is known,
one frame counts as one second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from surgqa.ontology.rounds import horizons
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.scoring.outputs.items import (
    OutputItem,
    OutputMark,
    Rate,
    mark,
    rate_by_stand_in,
)
from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.reporting import SCORED

LINEAR, FIXED = "linear", "fixed"
HORIZON_US = 30 * SECOND_US


@dataclass(frozen=True, slots=True)
class Decay:
    """How responsiveness decreases with the time between the event and the answer.

    Attributes:
        mode: ``linear`` (responsiveness falls to 0 at the first and the last round) or ``fixed``.
        horizon_us: time beyond the tolerance after which responsiveness is 0, if the mode is fixed.
    """

    mode: str = LINEAR
    horizon_us: int = HORIZON_US

    def to_dict(self) -> dict[str, object]:
        """Return the mode and, if it is fixed, the horizon in seconds, for JSON."""
        fixed = self.mode == FIXED
        return {"mode": self.mode, "horizon_s": self.horizon_us / SECOND_US if fixed else None}


def first_positive_us(times_us: Sequence[int], positive: Sequence[bool]) -> int | None:
    """Return the time of the first round with a positive output; None if there is none."""
    return min((t for t, yes in zip(times_us, positive, strict=True) if yes), default=None)


def responsiveness(
    times_us: Sequence[int],
    positive: Sequence[bool],
    event_us: int | None,
    tolerance_us: int,
    decay: Decay,
) -> float:
    """Return responsiveness in [0, 1]: how near the first positive output is to the event.

    Args:
        times_us: times of the rounds, ascending, at least two.
        event_us: start of the event. None if the event never occurs; the result is then 1 if no
            output is positive, else 0.
    """
    first_us = first_positive_us(times_us, positive)
    if event_us is None:
        return float(first_us is None)
    if first_us is None:
        return 0.0
    distance_us = abs(first_us - event_us) - tolerance_us
    if distance_us <= 0:
        return 1.0
    fixed = (decay.horizon_us, decay.horizon_us) if decay.mode == FIXED else None
    early_us, late_us = fixed or horizons(times_us, event_us, tolerance_us)
    horizon_us = early_us if first_us < event_us else late_us
    return max(0.0, 1.0 - distance_us / horizon_us) if horizon_us > 0 else 0.0


def stability(
    times_us: Sequence[int], positive: Sequence[bool], event_us: int | None
) -> float | None:
    """Return stability: the share of positive outputs in the rounds at or after the event.

    The result is None if there is no such round.
    """
    if event_us is None:
        return None
    held = [yes for time, yes in zip(times_us, positive, strict=True) if time >= event_us]
    return sum(held) / len(held) if held else None


def overall(content: float, response: float | None) -> float:
    """Return the overall score: 0.7 content + 0.3 response, or content if ``response`` is None."""
    return content if response is None else (7 * content + 3 * response) / 10


@dataclass(frozen=True, slots=True)
class Measures:
    """The scores of one item, in [0, 1].

    Attributes:
        responsiveness: see :func:`responsiveness`; None for an item without rounds.
        stability: see :func:`stability`; None for an item without rounds, or without a round at or
            after its event.
    """

    content: float
    responsiveness: float | None
    stability: float | None
    overall: float


@dataclass(frozen=True, slots=True)
class OutputScore:
    """The scores of one item.

    Attributes:
        first_us: time of the first positive output; None without one.
        event_us: start of the event; None if the item has no rounds or the event never occurs.
        marks: (round, score) of each output; the round is None for an item without rounds.
    """

    item: OutputItem
    measures: Measures
    first_us: int | None
    event_us: int | None
    marks: tuple[tuple[int | None, OutputMark], ...]


def score_item(
    item: OutputItem,
    predictions: Mapping[PredictionKey, str],
    decay: Decay | None = None,
    rate: Rate = rate_by_stand_in,
) -> OutputScore:
    """Return the scores of one item.

    Args:
        predictions: responses by (item id, round or None); other items are ignored.
        decay: linear if None.
        rate: function that rates open answers by the rubric.
    """
    marks = [
        mark(item, ask, predictions.get((item.item_id, ask.round_index)), rate)
        for ask in item.asks
    ]  # fmt: skip
    times = [ask.time_us for ask in item.asks]
    positive = [one.positive for one in marks]
    streaming = item.streaming
    return OutputScore(
        item, _measures(item, marks, times, positive, decay or Decay()),
        first_us=first_positive_us(times, positive) if streaming else None,
        event_us=item.event_us if streaming else None,
        marks=tuple((ask.round_index, one) for ask, one in zip(item.asks, marks, strict=True)),
    )  # fmt: skip


def _measures(
    item: OutputItem, marks: list[OutputMark], times: list[int], positive: list[bool], decay: Decay
) -> Measures:
    content = fsum(one.content for one in marks) / len(marks)
    if not item.streaming:
        return Measures(content, None, None, content)
    unread = any(one.status != SCORED and not one.positive for one in marks)
    nothing = item.event_us is None and unread  # no output is not silence
    r = 0.0 if nothing else responsiveness(
        times, positive, item.event_us, item.tolerance_us, decay)  # fmt: skip
    return Measures(content, r, stability(times, positive, item.event_us), overall(content, r))
