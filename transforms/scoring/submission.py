"""The lines of a submission file: which questions one model was asked, and its responses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from transforms.scoring.asked import Asked, rounds_of
from transforms.scoring.predictions import PredictionKey


def submission(
    rows: Iterable[Mapping[str, Any]], asked: Asked | None,
    responses: Mapping[PredictionKey, str], model: str, dataset: str,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Yield one line for every question that was asked, sorted by item and round.

    The lines serve both as predictions and as jobs.  If the file is scored with itself as the jobs
    file, the scores are the same.

    Args:
        rows: rows of the dataset, with ``item_id`` and ``rounds``.
        asked: the items and rounds that were asked; None if all were.
        responses: response text by item and round; a missing one is written as ''.
        dataset: digest of the dataset.
    """
    known = {(row["item_id"], index) for row in rows for index in rounds_of(row)}
    keys = known if asked is None else known & asked.keys
    for item_id, index in sorted(keys, key=lambda key: (key[0], -1 if key[1] is None else key[1])):
        yield {"item_id": item_id, "round_index": index,
               "response": responses.get((item_id, index), ""), "model": model,
               "dataset": dataset}  # fmt: skip
