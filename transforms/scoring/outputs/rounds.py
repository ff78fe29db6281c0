"""Over the rounds of a stream: when it is first positive, and how long it stays so.

Times are integer microseconds of the recording, or of the same number of pictures where it
has an order and no clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ontology.rounds import horizons
from ontology.times import SECOND_US
from transforms.scoring.outputs.normalise import UNANSWERABLE, alert_of, normalised

LINEAR, FIXED = "linear", "fixed"
HORIZON_US = 30 * SECOND_US


@dataclass(frozen=True, slots=True)
class Decay:
    """How an answer loses worth with its distance from the event.

    Attributes:
        mode: ``linear`` (each side ends where its rounds end) or ``fixed``.
        horizon_us: of both sides where the mode is fixed.
    """

    mode: str = LINEAR
    horizon_us: int = HORIZON_US

    def horizons_us(
        self, times_us: Sequence[int], event_us: int, tolerance_us: int
    ) -> tuple[int, int]:
        """Lengths over which an early and a late answer lose their worth."""
        if self.mode == FIXED:
            return self.horizon_us, self.horizon_us
        return horizons(times_us, event_us, tolerance_us)

    def to_dict(self) -> dict[str, object]:
        """The mode and, where it is fixed, the horizon in seconds; ready for JSON."""
        fixed = self.mode == FIXED
        return {"mode": self.mode, "horizon_s": self.horizon_us / SECOND_US if fixed else None}


def is_positive(mode: str, said: str) -> bool:
    """Whether an output says that the event is there: an alert, or any answer.

    Args:
        mode: ``proactive``, or a mode in which answers are given.
        said: the output, an option's text in the place of its letter.
    """
    if mode == "proactive":
        return alert_of(said) is not None
    return normalised(said) not in ("", UNANSWERABLE)


def first_positive_us(times_us: Sequence[int], positive: Sequence[bool]) -> int | None:
    """Time of the first positive round, whatever comes after it; None where there is none."""
    return min((t for t, yes in zip(times_us, positive, strict=True) if yes), default=None)


def responsiveness(
    times_us: Sequence[int],
    positive: Sequence[bool],
    event_us: int | None,
    tolerance_us: int,
    decay: Decay,
) -> float:
    """R in [0, 1]: how near to the event the first positive round is.

    Args:
        times_us: of the rounds, ascending, two at least.
        event_us: when the event begins; None where it never comes, and silence earns all.
    """
    first_us = first_positive_us(times_us, positive)
    if event_us is None:
        return float(first_us is None)
    if first_us is None:
        return 0.0
    distance_us = abs(first_us - event_us) - tolerance_us
    if distance_us <= 0:
        return 1.0
    early_us, late_us = decay.horizons_us(times_us, event_us, tolerance_us)
    horizon_us = early_us if first_us < event_us else late_us
    return max(0.0, 1.0 - distance_us / horizon_us) if horizon_us > 0 else 0.0


def stability(
    times_us: Sequence[int], positive: Sequence[bool], event_us: int | None
) -> float | None:
    """S in [0, 1]: share of the rounds from the event on that are positive.

    None where no round is: then there is nothing to hold on to.
    """
    if event_us is None:
        return None
    held = [yes for time, yes in zip(times_us, positive, strict=True) if time >= event_us]
    return sum(held) / len(held) if held else None


def overall(content: float, response: float | None) -> float:
    """O: the content alone, or seven tenths of it and three of the responsiveness."""
    return content if response is None else (7 * content + 3 * response) / 10
