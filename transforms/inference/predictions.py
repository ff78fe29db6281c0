"""Write the responses of a journal as predictions, and a record of the jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.files import writing
from surgqa.transforms.inference.jobs import Job
from surgqa.transforms.places import write_whole


def asked_path(predictions: Path) -> Path:
    """Return the path of the record of sent jobs, next to a file of predictions."""
    return predictions.with_name(f"{predictions.name}.asked")


def write_asked(path: Path, jobs: Iterable[Job]) -> None:
    """Write one line for every job, answered or not, into a file next to the predictions.

    Args:
        path: of the predictions.

    Raises:
        UserError: the file cannot be written.
    """
    keys = sorted((job.key for job in jobs), key=lambda key: (key[0], key[1] or 0))
    _write(asked_path(path), [{"item_id": item, "round_index": index} for item, index in keys])


def write_predictions(path: Path, jobs: Iterable[Job], responses: Mapping[str, str]) -> int:
    """Write one line for every job that has a response, by item id and round.

    Args:
        responses: responses by job id. Responses of other jobs are left out.

    Returns:
        The number of lines.

    Raises:
        UserError: the file cannot be written.
    """
    found = [(job.item_id, -1 if job.round_index is None else job.round_index, job)
             for job in jobs if job.job_id in responses]  # fmt: skip
    found.sort(key=lambda one: one[:2])
    lines = [
        {"item_id": job.item_id, "round_index": job.round_index, "response": responses[job.job_id]}
        for _, _, job in found
    ]
    _write(path, lines)
    return len(lines)


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    data = [orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines]
    with writing(path, "--out"):
        write_whole(path, b"".join(data))
