"""A file that says everything of one model's answers: what was asked, and what it replied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from transforms.scoring.asked import Asked, rounds_of
from transforms.scoring.predictions import PredictionKey


def submission(
    rows: Iterable[Mapping[str, Any]], asked: Asked | None,
    responses: Mapping[PredictionKey, str], model: str, dataset: str,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """A line for every question that was asked, by item and round.

    The lines are predictions and jobs at once: scored with themselves as the jobs, they give the
    same scores.

    Args:
        rows: of the dataset, with ``item_id`` and ``rounds``.
        asked: None where all was.
        responses: '' stands for one that is missing.
        dataset: digest of the dataset.
    """
    known = {(row["item_id"], index) for row in rows for index in rounds_of(row)}
    keys = known if asked is None else known & asked.keys
    for item_id, index in sorted(keys, key=lambda key: (key[0], -1 if key[1] is None else key[1])):
        yield {"item_id": item_id, "round_index": index,
               "response": responses.get((item_id, index), ""), "model": model,
               "dataset": dataset}  # fmt: skip
