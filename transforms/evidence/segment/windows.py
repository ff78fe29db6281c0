"""Cut a video's samples into windows by their index alone, so that every worker cuts the same."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from surgqa.ontology.observed import MASKS
from surgqa.transforms.evidence.segment.settings import MaskSettings

WINDOW_MASKS = pa.schema(
    [
        *MASKS,
        ("window", pa.int32()),
        ("from_prompt_us", pa.int64()),  # time to the object's nearest prompt in the window
    ]
)
"""Masks of one window; rows by (time, object).  Objects with a negative number have no track."""


@dataclass(frozen=True, slots=True)
class MaskWindow:
    """Samples that are tracked in one go.

    Attributes:
        number: number of the window, from 0.
        first: index of the first sample.
        last: index after the last sample.
    """

    number: int
    first: int
    last: int


def plan_windows(samples: int, settings: MaskSettings) -> list[MaskWindow]:
    """Windows that cover all samples; neighbouring windows share ``settings.overlap`` samples.

    Args:
        samples: number of samples of the video; 0 gives no window.
    """
    windows: list[MaskWindow] = []
    step = settings.window - settings.overlap
    first = 0
    while first < samples and (not windows or windows[-1].last < samples):
        last = min(first + settings.window, samples)
        windows.append(MaskWindow(len(windows), first, last))
        first += step
    return windows
