"""Convert times that replies state as fractions of the clip into seconds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ontology.times import SECOND_US
from ontology.units import CLIP
from transforms.scoring.predictions import PredictionKey

_FRACTION = re.compile(r"\bt\s?[=:]\s?(0?\.\d+|0|1|0\.|1\.0*)(?!\d|\.\d|\s?s)", re.IGNORECASE)


def in_seconds(
    predictions: Mapping[PredictionKey, str], rows: Iterable[Mapping[str, Any]]
) -> dict[PredictionKey, str]:
    """Return the replies; in those about clips, ``t=0.480`` becomes ``12.00 s``, for example.

    Args:
        rows: rows of ``data/``, with ``item_id``, ``unit``, ``start_us`` and ``end_us``.
    """
    lengths = {row["item_id"]: (row["end_us"] - row["start_us"]) / SECOND_US
               for row in rows if row["unit"] == CLIP}  # fmt: skip
    return {key: _told(text, lengths[key[0]]) if key[0] in lengths else text
            for key, text in predictions.items()}  # fmt: skip


def _told(text: str, length_s: float) -> str:
    return _FRACTION.sub(lambda found: f"{float(found[1]) * length_s:.2f} s", text)
