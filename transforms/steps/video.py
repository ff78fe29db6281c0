"""Process videos from label files to intermediate files on disk: read, ask questions, write.

A part (a video's intermediate files) holds rows, evidence and rejections as Arrow files. Beam never
shuffles rows; later steps read the slices of these files that they need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
import pyarrow as pa

from surgqa.ontology import processor_time
from surgqa.ontology.errors import UserError
from surgqa.ontology.garbage import give_back, no_collection
from surgqa.ontology.items import Item
from surgqa.ontology.records import Books, VideoEvidence
from surgqa.transforms.exports.evidence import evidence_tables, fact_tables
from surgqa.transforms.exports.rows import (
    blank,
    pairs_of,
    part_table,
    row,
    template_fields,
    video_fields,
)
from surgqa.transforms.language import Program
from surgqa.transforms.places import Place, place
from surgqa.transforms.questions.ask import Asked, Asker
from surgqa.transforms.questions.row_fields import numbers, stage_fields
from surgqa.transforms.questions.units import clips as clips_of
from surgqa.transforms.questions.why import places
from surgqa.transforms.steps import cache
from surgqa.transforms.steps.files import json_lines, put, rejected_row, write_arrow
from surgqa.transforms.steps.merge import ITEMS
from surgqa.transforms.steps.opening import Opened, facts_of, opened
from surgqa.transforms.steps.tasks import AskSettings, Info, VideoTask
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.join import joined
from surgqa.transforms.windows import Cut

DONE = "done"
"""Folder with a summary of each finished video, from which any process can see the progress."""
STAGES = ("read", "cut", "ask", "choose")
SMALL = 24_000
"""Greatest sum of seconds and labels of small videos that are processed together."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The items and rejections of one video.

    Attributes:
        table: the items' rows, sorted by id, with their JSON lines.
        declined: entries of ``rejected/ask``, in any order.
        units: number of units (such as clips) that were asked about, over all templates.
    """

    table: pa.Table
    declined: list[dict]
    units: int


def ask_videos(tasks: Sequence[VideoTask], settings: AskSettings) -> list[Info]:
    """Write the parts (intermediate files) of some videos and return their names.

    Small videos are processed together, which takes a fraction of the time; the items of one
    do not depend on the others. A UserError about a video (a missing or damaged file) is
    recorded as ``failed`` in its summary. The run decides how many of these it accepts when
    all videos are done.
    """
    processor_time.start(settings.cost)
    for group in _together(_opened_each(tasks, settings)):
        _make(group, settings)
        give_back()
    # The summary of each video stays on disk; only its file name is sent to the next step.
    return [{"key": task.key, "part": task.part} for task in tasks]


def _make(group: Sequence[Opened], settings: AskSettings) -> None:
    """Write the intermediate files of some videos; if this fails, try each video alone."""
    try:
        with no_collection():
            with processor_time.within("facts"):
                own = [facts_of(one) for one in group]
            each = asked_of(group, joined(own), settings.seed)
            for one, facts, asked in zip(group, own, each, strict=True):
                with processor_time.within("rows and files"):
                    info = write_part(one, facts, answered(one, asked), settings)
                tell(one.task, settings, info | {"cost": processor_time.take_seconds()})
    except UserError as error:
        if len(group) == 1:
            tell(group[0].task, settings, failed(group[0].task, error))
        for one in group if len(group) > 1 else ():
            _make([one], settings)


def failed(task: VideoTask, error: UserError) -> Info:
    """Return the summary of a video about which no questions can be made."""
    return {"key": task.key, "dataset": task.dataset, "video_id": task.video_id,
            "failed": error.lines(), "code": error.code}  # fmt: skip


def _opened_each(tasks: Sequence[VideoTask], settings: AskSettings) -> Iterator[Opened]:
    """Yield the videos that can be read; a failure is recorded for the others."""
    for task in tasks:
        try:
            with no_collection(), processor_time.within("label files"):
                one = opened(task, settings)
        except UserError as error:
            tell(task, settings, failed(task, error))
        else:
            yield one


def _together(each: Iterator[Opened]) -> Iterator[list[Opened]]:
    """Yield groups of small videos about which the same templates have to be asked."""
    group: list[Opened] = []
    for one in each:
        size = sum(other.size for other in group) + one.size
        if group and (size > SMALL or one.fresh != group[0].fresh):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def tell(task: VideoTask, settings: AskSettings, info: Info) -> None:
    """Write the summary of a finished video."""
    put(place(settings.work) / DONE / task.part, orjson.dumps(info))


def asked_of(group: Sequence[Opened], relation: Relation, seed: str) -> list[list[Asked]]:
    """Return, for each video, the items and rejections of every template.

    Args:
        relation: the facts of all videos of the group.
    """
    windows = [(k, window) for k, one in enumerate(group) for window in one.cut.windows]
    asker = Asker(relation, clips_of(windows), seed)
    each = []
    for template in group[0].fresh:
        with processor_time.within("drawing, texts, options", template.id):
            each.append(_placed(template, asker.ask_each(template)))
    return [[of[k] for of in each] for k in range(len(group))]


def _placed(program: Program, asked: list[Asked]) -> list[Asked]:
    """Return the results of one template; rejections name the place in the template's file."""
    known = places(program)
    for one in asked:
        one.declined = [replace(reject, where=known.get(reject.where, reject.where))
                        for reject in one.declined]  # fmt: skip
    return asked


def answered(one: Opened, asked: Sequence[Asked]) -> Answered:
    """Return the items and rejections of one video as rows."""
    declined = [rejected_row(reject, one.task.dataset, one.task.video_id)
                for of in asked for reject in of.declined]  # fmt: skip
    shared = video_fields(one.evidence.video, one.split)
    rows = [made for program, of in zip(one.fresh, asked, strict=True)
            for made in _rows(program, of.items, shared)]  # fmt: skip
    table = part_table(sorted(rows, key=lambda row: row["item_id"]), shared)
    return Answered(table, declined, sum(of.units for of in asked))


def _rows(
    program: Program, items: Sequence[Item], shared: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the rows of a template for one video."""
    if not items:
        return []
    number = numbers(program)
    bases = {number[stage.name]: blank(shared, template_fields(program),
                                       stage_fields(program, stage))
             for stage in program.stages}  # fmt: skip
    rows = [row(item, bases[item.stage]) for item in items]
    pairs = pairs_of(rows)
    for one in rows:
        one["pair"] = pairs.get(one["item_id"])
    return rows


def write_part(one: Opened, relation: Relation, made: Answered, settings: AskSettings) -> Info:
    """Write the part of one video and return its summary."""
    task, evidence, cut, known = one.task, one.evidence, one.cut, one.known
    table, declined = made.table, [*made.declined, *known.declined]
    if known.rows is not None and known.rows.num_rows:
        table = pa.concat_tables([table, known.rows]).sort_by("item_id")
    tables: dict[str, pa.Table] = {}
    if not known.whole:
        tables |= evidence_tables(evidence, one.timeline, cut.windows)
        tables |= fact_tables(relation, evidence.video)
    _write_part(one.folder, evidence, tables, cut, table, declined, task)
    books = _books(made.units, known, table, declined)
    info = _info(task, evidence, cut, one.split, table, declined, books)
    info["damaged"] = one.damaged
    if settings.cache:
        cache.store(one.folder, evidence, one.split, settings)
    return info


def _write_part(
    folder: Place, evidence, tables: Mapping[str, pa.Table], cut, table: pa.Table,
    declined: list[dict], task,
) -> None:  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / cache.STAMP).unlink(missing_ok=True)
    write_arrow(table, folder / ITEMS)
    for name, evidence_table in tables.items():
        write_arrow(evidence_table, folder / f"{name}.arrow")
    for stage, rejects in (("read", evidence.rejected), ("cut", cut.rejected)):
        rows = (rejected_row(one, task.dataset, task.video_id) for one in rejects)
        put(folder / f"{stage}.jsonl", json_lines(rows))
    declined = sorted(declined, key=lambda r: (r["key"], r["code"], r["where"]))
    put(folder / "ask.jsonl", json_lines(declined))


def _info(
    task: VideoTask, evidence: VideoEvidence, cut: Cut, split: str, table: pa.Table,
    declined: list[dict], asking: Books,
) -> Info:  # fmt: skip
    ids = Counter(table.column("template_id").to_pylist())
    asked = _asked_of(table)
    books = [*evidence.books, cut.books, asking]
    return {
        "key": task.key,
        "dataset": task.dataset,
        "video_id": task.video_id,
        "part": task.part,
        "split": split,
        "split_group": evidence.video.split_group,
        "windows": len(cut.windows),
        "rows": dict(sorted(Counter(table.column("benchmark").to_pylist()).items())),
        "templates": dict(sorted(ids.items())),
        "asked": dict(sorted(Counter(template for template, _ in asked).items())),
        "declined": _reasons(declined),
        "books": [[b.stage, b.unit, b.read, b.kept, b.rejected, b.failed] for b in books],
        "unbalanced": [b.stage for b in books if not b.balanced],
        "sources": [[s.path, s.sha256] for s in evidence.video.sources],
        "media": str(evidence.video.media.kind),
        "rejected": _rejected_counts(evidence, cut),
        "failed": None,
    }


def _asked_of(table: pa.Table) -> set[tuple[str, str]]:
    """Return (template, chain or item) of every clip or other unit that has an item."""
    columns = (table.column(name).to_pylist() for name in ("template_id", "item_id", "chain_id"))
    return {(template, chain or item) for template, item, chain in zip(*columns, strict=True)}


def _books(units: int, known: cache.CachedResult, table: pa.Table, declined: list[dict]) -> Books:
    """Return how many units (such as clips) were asked about, and how many got an item or a reason.

    Of templates reused from an earlier run, the units are counted in the stored results.
    """
    kept = len(_asked_of(table))
    refused = sum(entry["count"] for entry in declined)
    before = sum(entry["count"] for entry in known.declined)
    before += len(_asked_of(known.rows)) if known.rows is not None else 0
    return Books("ask", "units x templates", units + before, kept, refused)


def _reasons(declined: list[dict]) -> dict[str, dict[str, int]]:
    out: dict[str, Counter[str]] = {}
    for entry in declined:
        template = entry["key"].split(" ", 1)[0]
        reason = f"{entry['code']}: {entry['where']}"
        out.setdefault(template, Counter())[reason] += entry["count"]
    return {name: dict(sorted(reasons.items())) for name, reasons in sorted(out.items())}


def _rejected_counts(evidence: VideoEvidence, cut: Cut) -> dict[str, int]:
    out: Counter[str] = Counter()
    for reject in (*evidence.rejected, *cut.rejected):
        out[f"{reject.stage}/{reject.code}/{reject.outcome}"] += reject.count
    return dict(sorted(out.items()))
