"""The file of jobs: written in order of what is looked at, read line by line."""

from __future__ import annotations

import heapq
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ontology.errors import SourceMissing, UserError
from transforms.inference.jobs import Job, job_of, jobs_of
from transforms.inference.prompts import Prompt
from transforms.inference.windows import COLUMNS
from transforms.store import OutputFolder

Clocks = Mapping[tuple[str, str], tuple[str, int]]
"""Clock and period of a video by (dataset, video id)."""


@dataclass(slots=True)
class Count:
    """What was written; ``media`` holds (dataset, path or None, kind) of all videos."""

    items: Counter[str] = field(default_factory=Counter)
    jobs: Counter[str] = field(default_factory=Counter)
    frames: Counter[str] = field(default_factory=Counter)
    media: set[tuple[str, str | None, str]] = field(default_factory=set)

    def add(self, jobs: list[Job]) -> None:
        """One item's jobs."""
        for one in jobs:
            self.jobs[one.benchmark] += 1
            self.frames[one.benchmark] += len(one.frames)
            self.media.add((one.dataset, one.media["path"], one.media["kind"]))
        self.items[jobs[0].benchmark] += 1


def write_jobs(
    folder: OutputFolder, path: Path, prompt: Prompt, every_us: int, limit: int | None = None
) -> Count:
    """Write the jobs of a dataset.

    They stand in order of video, start, end and id, so that whoever answers them goes
    through each recording once.  Nobody sees the file half written.

    Args:
        limit: only so many items, the first by id; ids are digests, so that is a sample
            of the whole.

    Raises:
        OutputBroken: the folder is not whole.
        UserError: the file cannot be written.
    """
    raw, partial = (path.with_name(f".{path.name}.{os.getpid()}.{n}") for n in ("raw", "sorted"))
    try:
        with raw.open("w+b") as spool:
            count, places = _spooled(folder, spool, prompt, every_us, limit)
            with partial.open("wb") as file:
                for *_, offset, length in sorted(places):
                    spool.seek(offset)
                    file.write(spool.read(length))
        partial.replace(path)
    except OSError as error:
        raise UserError(
            f"{path} cannot be written",
            found=error.strerror or str(error),
            where="--to",
            fix="name a file in a folder that exists and may be written",
        ) from None
    finally:
        raw.unlink(missing_ok=True)
        partial.unlink(missing_ok=True)
    return count


def _spooled(
    folder: OutputFolder, spool: BinaryIO, prompt: Prompt, every_us: int, limit: int | None
) -> tuple[Count, list[tuple[Any, ...]]]:
    """Lines in the order of the shards, and for each its sort key, offset and length."""
    wanted = _sample(folder, limit)
    clocks = _clocks(folder)
    count, places, offset = Count(), list[tuple[Any, ...]](), 0
    for row in folder.rows(columns=list(COLUMNS)):
        if wanted is not None and row["item_id"] not in wanted:
            continue
        clock, period_us = clocks[row["dataset"], row["video_id"]]
        jobs = list(jobs_of(row, prompt, every_us, clock, period_us))
        count.add(jobs)
        for one in jobs:
            line = one.line()
            spool.write(line)
            at = (one.dataset, one.video_id, one.start_us, one.end_us, one.item_id)
            places.append((*at, -1 if one.round_index is None else one.round_index,
                           offset, len(line)))  # fmt: skip
            offset += len(line)
    return count, places


def _sample(folder: OutputFolder, limit: int | None) -> set[str] | None:
    if limit is None:
        return None
    ids = (row["item_id"] for row in folder.rows(columns=["item_id"]))
    return set(heapq.nsmallest(limit, ids))


def _clocks(folder: OutputFolder) -> Clocks:
    columns = ["dataset", "video_id", "clock", "period_us"]
    rows = folder.evidence("videos").select(columns).to_pylist()
    return {(r["dataset"], r["video_id"]): (r["clock"], r["period_us"]) for r in rows}


def read_jobs(path: Path) -> Iterator[Job]:
    """The jobs of a file, in its order.

    Raises:
        SourceMissing: there is no such file.
        UserError: a line is no job.
    """
    if not path.is_file():
        raise SourceMissing(
            f"{path} is missing",
            expected="a file that 'surgqa jobs' wrote",
            where=str(path),
            fix="surgqa jobs OUT --to JOBS",
        )
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield job_of(line, f"{path}:{number}")


def checked(path: Path) -> Count:
    """Go through all jobs once, before anything is paid for.

    Raises:
        SourceMissing: there is no such file.
        UserError: a line is no job, or two lines would answer the same.
    """
    count, seen = Count(), dict[tuple[str, int | None], int]()
    for number, one in enumerate(read_jobs(path), start=1):
        if one.key in seen:
            raise UserError(
                "two jobs would answer the same question",
                expected="one job for each item and round",
                found=f"jobs {seen[one.key]} and {number}, item {one.item_id}",
                where=str(path),
                fix="give jobs of another prompt or step a file of their own",
            )
        seen[one.key] = number
        count.add([one])
    if not seen:
        raise UserError("there is nothing to do", found="a file without jobs", where=str(path))
    return count
