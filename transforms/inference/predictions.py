"""Replies of a journal as the predictions that ``surgqa score`` reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import orjson

from ontology.errors import UserError
from transforms.inference.jobs import Job
from transforms.places import write_whole


def write_predictions(path: Path, jobs: Iterable[Job], responses: Mapping[str, str]) -> int:
    """Write one line for every job that has a response, by item id and round.

    Args:
        responses: by job id; those of jobs that are not asked about are left out.

    Returns:
        How many lines there are.

    Raises:
        UserError: the file cannot be written.
    """
    found = [(job.item_id, -1 if job.round_index is None else job.round_index, job)
             for job in jobs if job.job_id in responses]  # fmt: skip
    found.sort(key=lambda one: one[:2])
    lines = [
        orjson.dumps(
            {"item_id": job.item_id, "round_index": job.round_index,
             "response": responses[job.job_id]},
            option=orjson.OPT_APPEND_NEWLINE,
        )
        for _, _, job in found
    ]  # fmt: skip
    try:
        write_whole(path, b"".join(lines))
    except OSError as error:
        raise UserError(
            f"{path} cannot be written",
            found=error.strerror or str(error),
            where="--out",
            fix="name a file in a folder that exists and may be written",
        ) from None
    return len(lines)
