"""The file of jobs: written in the order of the videos, read line by line."""

from __future__ import annotations

import heapq
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from surgqa.ontology.continuations import CONTINUATION
from surgqa.ontology.errors import FileMissing, NothingSelected, RowsMissing, RowTwice
from surgqa.ontology.files import unwritable
from surgqa.ontology.records import Media, MediaKind
from surgqa.ontology.units import CHAIN
from surgqa.transforms.inference.chains import COLUMNS as CHAIN_COLUMNS
from surgqa.transforms.inference.chains import VIDEO, ChainSetting, chain_jobs, chains_of, video_of
from surgqa.transforms.inference.frames import COLUMNS as NAMED
from surgqa.transforms.inference.frames import habits_of
from surgqa.transforms.inference.jobs import Job, job_of, jobs_of
from surgqa.transforms.inference.prompts import PromptSections, Wordings
from surgqa.transforms.inference.windows import COLUMNS
from surgqa.transforms.store import OutputFolder

if TYPE_CHECKING:
    from surgqa.transforms.inference.images import Absent, Medium

Clocks = Mapping[tuple[str, str], tuple[str, int]]
"""Clock and period of a video by (dataset, video id)."""


NONE: Absent = {}


@dataclass(slots=True)
class Count:
    """Counts of the jobs in a file.

    Attributes:
        media: all videos.
        waiting: number of jobs that depend on others.
        continuations: number of items left out because their answer is a video.
    """

    items: Counter[str] = field(default_factory=Counter)
    jobs: Counter[str] = field(default_factory=Counter)
    frames: Counter[str] = field(default_factory=Counter)
    media: set[Medium] = field(default_factory=set)
    waiting: int = 0
    continuations: int = 0

    def add(self, jobs: list[Job]) -> None:
        """Add the jobs of one item; no jobs if the item is left out."""
        if not jobs:
            self.continuations += 1
            return
        for one in jobs:
            self.jobs[one.benchmark] += 1
            self.frames[one.benchmark] += len(one.frames)
            self.waiting += bool(one.after)
            shown = one.media
            media = Media(MediaKind(shown["kind"]), shown["path"], sha256=shown.get("sha256"))
            self.media.add((one.dataset, one.video_id, media))
        self.items[jobs[0].benchmark] += 1


def write_jobs(
    folder: OutputFolder,
    path: Path,
    prompt: PromptSections,
    every_us: int,
    limit: int | None = None,
    benchmark: str | None = None,
    telling: ChainSetting | None = None,
    wordings: Wordings | None = None,
    absent: Absent = NONE,
) -> Count:
    """Write the jobs of a dataset.

    Jobs are sorted by video, start, end and id, so that a run opens each video once. Dependent jobs
    of a chain stand together, each after the jobs on which it depends. The file appears only when
    it is complete.

    Args:
        limit: maximum number of items, the first by id; ids are digests, so this is a random
            sample. Chains are taken whole, at least one.
        benchmark: only items of this benchmark.
        telling: only chains, with the texts of this setting; otherwise each item alone.
        wordings: the texts of benchmarks that have their own.
        absent: videos whose items are left out.

    Raises:
        OutputBroken: the folder is not complete.
        UserError: the file cannot be written.
    """
    path = path.resolve()  # write to the target of a link and keep the link
    raw, partial = (path.with_name(f".{path.name}.{os.getpid()}.{n}") for n in ("raw", "sorted"))
    try:
        with raw.open("w+b") as spool:
            if telling:
                found = _by_chain(folder, prompt, every_us, telling, limit, benchmark, path.parent,
                                  absent)  # fmt: skip
            else:
                found = _by_item(folder, prompt, every_us, limit, benchmark, wordings or {}, absent)
            count, places = _spooled(found, spool)
            with partial.open("wb") as file:
                for *_, offset, length in sorted(places):
                    spool.seek(offset)
                    file.write(spool.read(length))
        partial.replace(path)
    except OSError as error:
        raise unwritable(path, error, "--to") from None
    finally:
        raw.unlink(missing_ok=True)
        partial.unlink(missing_ok=True)
    return count


Placed = list[tuple[tuple[Any, ...], Job]]
"""Jobs of one item, each with its sort key."""


def _spooled(found: Iterator[Placed], spool: BinaryIO) -> tuple[Count, list[tuple[Any, ...]]]:
    """Return the lines in order of arrival, with the sort key, offset and length of each."""
    count, places, offset = Count(), list[tuple[Any, ...]](), 0
    for placed in found:
        count.add([one for _, one in placed])
        for place, one in placed:
            line = one.line()
            spool.write(line)
            places.append((*place, offset, len(line)))
            offset += len(line)
    return count, places


def _by_item(
    folder: OutputFolder, prompt: PromptSections, every_us: int, limit: int | None,
    benchmark: str | None, wordings: Wordings, absent: Absent,
) -> Iterator[Placed]:  # fmt: skip
    wanted = _sample(folder, limit, benchmark, absent)
    clocks, habits = clocks_of(folder), habits_of(folder, benchmark)
    more = (name for one in wordings.values() for name in one.columns)
    for row in folder.rows(benchmark, list(dict.fromkeys((*COLUMNS, *NAMED, *more)))):
        if row["form"] == CONTINUATION:
            yield []
            continue
        if video_of(row) in absent or (wanted is not None and row["item_id"] not in wanted):
            continue
        clock, period_us = clocks[video_of(row)]
        jobs = jobs_of(row, prompt, every_us, clock, period_us,
                       wording=wordings.get(row["benchmark"]), habits=habits)  # fmt: skip
        yield [(_place(one), one) for one in jobs]


def _by_chain(
    folder: OutputFolder, prompt: PromptSections, every_us: int, telling: ChainSetting,
    limit: int | None, benchmark: str | None, near: Path, absent: Absent,
) -> Iterator[Placed]:  # fmt: skip
    clocks = clocks_of(folder)
    for chain in chains_of(folder, CHAIN_COLUMNS, near, limit, benchmark, absent):
        main = chain[0]
        video = main["dataset"], main["video_id"]
        begin = *video, main["start_us"], main["end_us"], main["chain_id"]
        jobs = chain_jobs(chain, telling, prompt, every_us, *clocks[video])
        waits = any(one.after for one in jobs)
        for number, one in enumerate(jobs):
            yield [((*begin, number) if waits else _place(one), one)]


def _place(one: Job) -> tuple[Any, ...]:
    number = -1 if one.round_index is None else one.round_index
    return one.dataset, one.video_id, one.start_us, one.end_us, one.item_id, number


def _sample(
    folder: OutputFolder, limit: int | None, benchmark: str | None, absent: Absent
) -> set[str] | None:
    if limit is None:
        return None
    units: dict[str, list[str]] = {}
    for row in folder.rows(benchmark, ["item_id", "form", "chain_id", *VIDEO]):
        if row["form"] != CONTINUATION and video_of(row) not in absent:
            units.setdefault(row["chain_id"] or row["item_id"], []).append(row["item_id"])
    wanted: set[str] = set()
    for unit in heapq.nsmallest(limit, units):
        if not wanted or len(wanted) + len(units[unit]) <= limit:
            wanted.update(units[unit])
    return wanted


def media_of_items(folder: OutputFolder, benchmark: str | None, chains: bool) -> set[Medium]:
    """Return the videos of the items for which jobs are written."""
    from surgqa.transforms.inference.images import medium_of  # imports the decoders of videos

    return set(map(medium_of, _asked(folder, benchmark, chains, "media")))


def left_out(
    folder: OutputFolder, benchmark: str | None, chains: bool, absent: Absent
) -> list[dict[str, Any]]:
    """Return the items of videos of which nothing can be shown, with the reasons, as exports do."""
    rows = _asked(folder, benchmark, chains, "item_id") if absent else ()
    about = {"round_index": None, "code": "no_picture"}
    return [{"item_id": row["item_id"], **about, "reason": absent[video_of(row)]}
            for row in rows if video_of(row) in absent]  # fmt: skip


def _asked(
    folder: OutputFolder, benchmark: str | None, chains: bool, *columns: str
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows for which jobs are written; with ``chains``, only rows of chains."""
    for row in folder.rows(benchmark, [*columns, *VIDEO, "form", "unit"]):
        if row["unit"] == CHAIN if chains else row["form"] != CONTINUATION:
            yield row


def clocks_of(folder: OutputFolder) -> Clocks:
    """Return clocks of all videos of a finished dataset."""
    columns = ["dataset", "video_id", "clock", "period_us"]
    rows = folder.evidence("videos").select(columns).to_pylist()
    return {(r["dataset"], r["video_id"]): (r["clock"], r["period_us"]) for r in rows}


def read_jobs(path: Path) -> Iterator[Job]:
    """Yield the jobs of a file, in its order.

    Raises:
        SourceMissing: there is no such file.
        UserError: a line is not a job.
    """
    if not path.is_file():
        raise FileMissing(
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
    """Check all jobs once, before any paid call.

    Raises:
        SourceMissing: there is no such file.
        UserError: a line is not a job, two jobs are for one item and round, or a job stands before
            one that it depends on.
    """
    count, seen, ids = Count(), dict[tuple[str, int | None], int](), set[str]()
    for number, one in enumerate(read_jobs(path), start=1):
        if one.key in seen:
            raise RowTwice(
                "two jobs would answer the same question",
                expected="one job for each item and round",
                found=f"jobs {seen[one.key]} and {number}, item {one.item_id}",
                where=str(path),
                fix="write the jobs of another prompt or step to another file",
            )
        if not ids.issuperset(before.job_id for before in one.after):
            raise RowsMissing(
                "a job depends on one that is not before it in the file",
                expected="the jobs of whole chains, in the order in which they were written",
                found=f"job {number}, item {one.item_id}",
                where=str(path),
                fix="write the jobs again with 'surgqa jobs'; --limit N takes a part of them",
            )
        seen[one.key] = number
        ids.add(one.job_id)
        count.add([one])
    if not seen:
        raise NothingSelected(
            "the file has no jobs",
            expected="a line for each job",
            found="no line with a job",
            where=str(path),
            fix="write the jobs again with 'surgqa jobs OUT --to JOBS'",
        )
    return count
