"""One video, from label files to a part on disk: read, structure, cut, ask.

A part holds the video's rows, evidence and rejects as Arrow files.  Rows never travel
through a shuffle: the steps after this one read the slices they need.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

import orjson
import pyarrow as pa

from ontology.errors import UserError
from ontology.observed import OWN
from ontology.records import Books, Code, Item, Rejected, VideoEvidence
from ontology.splits import HELD_OUT, is_held, split_of
from ontology.system_errors import told_in_words
from transforms.evidence.observers import observed
from transforms.exports.evidence import evidence_tables
from transforms.exports.facts import fact_tables
from transforms.exports.pairs import pairs_of
from transforms.exports.rows import blank, part_table, row, template_fields, video_fields
from transforms.language import Program
from transforms.places import Place, place, remove_tree
from transforms.questions.ask import Asked, Asker
from transforms.questions.units import clips as clips_of
from transforms.questions.why import places
from transforms.readers.base.beside.action_clips import with_action_clips
from transforms.readers.base.beside.anomalies import with_anomalies
from transforms.readers.base.beside.dense import with_dense_boxes
from transforms.registry import load_reader
from transforms.steps import cache
from transforms.steps.files import json_lines, put, write_arrow
from transforms.steps.tasks import AskSettings, Info, VideoTask, part_folder
from transforms.timeline import Timeline, build_timeline
from transforms.timeline.relation import Relation
from transforms.timeline.relation.gather import relation_of
from transforms.windows import Cut, cut_clips

ITEMS = "items.arrow"
DONE = "done"
"""Folder with what is told of each finished video: progress that any process can see."""
STAGES = ("read", "cut", "ask", "choose")


def ask_video(task: VideoTask, settings: AskSettings) -> Info:
    """Make the part of one video and tell what is in it.

    A user's problem with this video (a missing or broken file) becomes ``failed`` in
    the result; how many of those a run forgives is decided when all are known.
    """
    with no_collection():
        try:
            info = _ask_video(task, settings)
        except UserError as error:
            info = {"key": task.key, "dataset": task.dataset, "video_id": task.video_id,
                    "failed": error.lines(), "exit_code": error.exit_code}  # fmt: skip
    # What is told of a thousand videos stays on disk; only its name travels.
    put(place(settings.work) / DONE / task.part, orjson.dumps(info))
    return {"key": task.key, "part": task.part}


@contextmanager
def no_collection():
    """Garbage collection off while one video's many small objects are made."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _ask_video(task: VideoTask, settings: AskSettings) -> Info:
    folder = part_folder(settings, task)
    damaged = settings.cache is not None and cache.is_damaged(folder)
    if damaged:
        remove_tree(folder)
    evidence, timeline = _structured(task, settings, folder)
    relation = relation_of([(evidence, timeline)])
    of_clips = any(one.unit.kind == "clip" for one in settings.templates)
    cut = _cut(evidence, timeline, settings) if of_clips else _uncut(evidence)
    split = _split(task, evidence, settings)
    known = cache.Known.nothing()
    if settings.cache:
        known = cache.load(folder, evidence, split, settings)
    fresh = [t for t in settings.templates if t.id not in known.templates]
    asked = _asked(relation, cut, fresh, settings.seed)
    table = _table([item for one in asked for item in one.items], evidence, fresh, split, known)
    declined = [*map(_reject_row(task), _declined(fresh, asked))]
    declined += known.declined
    tables: dict[str, pa.Table] = {}
    if not known.whole:
        tables |= evidence_tables(evidence, timeline, cut.windows)
        tables |= fact_tables(relation, evidence.video)
    _write_part(folder, evidence, tables, cut, table, declined, task)
    units = sum(one.units for one in asked)
    info = _info(task, evidence, cut, split, table, declined, _books(units, known, table, declined))
    info["damaged"] = damaged
    if settings.cache:
        cache.store(folder, evidence, split, settings)
    return info


def _split(task: VideoTask, evidence: VideoEvidence, settings: AskSettings) -> str:
    """Held out, as an official split has it, or by digest."""
    video = evidence.video
    named = {"dataset": video.dataset, "procedure": video.procedure, "specialty": video.specialty}
    if task.split == HELD_OUT or is_held(settings.held, named):
        return HELD_OUT
    return task.split or split_of(video.split_group, settings.seed, settings.shares)


def _asked(relation: Relation, cut: Cut, fresh: Sequence[Program], seed: str) -> list[Asked]:
    """Items and refusals of every template."""
    asker = Asker(relation, clips_of([(0, window) for window in cut.windows]), seed)
    return [asker.ask(one) for one in fresh]


def _structured(
    task: VideoTask, settings: AskSettings, folder: Place
) -> tuple[VideoEvidence, Timeline | None]:
    """Evidence and timeline, read or kept from an earlier run."""
    rate = None if task.rate is None else Fraction(task.rate)
    reader = load_reader(task.dataset)(place(task.root), task.include_known_bad, rate)
    # What a store adds is read anew: the reader's looks at the disk do not include it.
    laid_over = (task.evidence, task.anomalies, task.action_clips)
    kept = settings.cache is not None and all(one is None for one in laid_over)
    evidence = cache.recall(folder, reader) if kept else None
    if evidence is None:
        with told_in_words():  # a file that may not be read fails its video alone
            evidence = _observed_too(task, reader.read(task.video_id))
            if task.anomalies is not None:
                evidence = with_anomalies(evidence, place(task.anomalies))
            if task.action_clips is not None:
                evidence = with_action_clips(evidence, place(task.action_clips))
        if kept:
            cache.remember(folder, reader, evidence)
    evidence = observed(_on_own_terms(task, evidence), settings.observed)
    return evidence, build_timeline(evidence, settings.link)


def _observed_too(task: VideoTask, evidence: VideoEvidence) -> VideoEvidence:
    """The labels with the boxes of the run's evidence store, where it has the video."""
    if task.evidence is None:
        return evidence
    store = load_reader(OWN)(place(task.evidence))
    if task.video_id in store.found():
        return with_dense_boxes(evidence, store.read(task.video_id))
    why = "the evidence store does not hold this video: it is asked about as it was labelled"
    reject = Rejected("read", task.key, Code.NO_EVIDENCE, why, "evidence store")
    return replace(
        evidence,
        rejected=(*evidence.rejected, reject),
        books=(*evidence.books, Books("read", "observed videos", 1, 0, 1)),
    )


def _on_own_terms(task: VideoTask, evidence: VideoEvidence) -> VideoEvidence:
    """The evidence under the run's own licence and label source where it names any."""
    own = {"licence": task.licence, "label_source": task.label_source}
    own = {name: value for name, value in own.items() if value is not None}
    return replace(evidence, video=replace(evidence.video, **own)) if own else evidence


def _cut(evidence: VideoEvidence, timeline: Timeline | None, settings: AskSettings) -> Cut:
    if timeline is None:
        return _nothing_to_cut(evidence)
    return cut_clips(evidence.video, timeline.table.instants_us, settings.clips)


def _uncut(evidence: VideoEvidence) -> Cut:
    """Of questions that are put at a time nothing is cut; a video without labels says so."""
    labelled = (evidence.instruments or evidence.spans or evidence.labels or evidence.regions
                or evidence.moments)  # fmt: skip
    if labelled:
        return Cut((), (), Books("cut", "videos", 1, 1, 0))
    video = evidence.video
    reason = "nothing is labelled that a question could be about"
    reject = Rejected("cut", video.key, Code.NO_EVIDENCE, reason, video.key)
    return Cut((), (reject,), Books("cut", "videos", 1, 0, 1))


def _nothing_to_cut(evidence: VideoEvidence) -> Cut:
    """A video without instruments gives no clip, and says so."""
    video, whole = evidence.video, evidence.video.duration_us
    reason = "no instruments are annotated at instants, and clips are cut around those"
    reject = Rejected("cut", video.key, Code.NO_EVIDENCE, reason, video.key, whole)
    return Cut((), (reject,), Books("cut", "microseconds", whole, 0, whole))


def _table(
    items: Sequence[Item], evidence: VideoEvidence, fresh: Sequence[Program], split: str,
    known: cache.Known,
) -> pa.Table:  # fmt: skip
    shared = video_fields(evidence.video, split)
    bases = {t.id: blank(shared, template_fields(t)) for t in fresh}
    rows = [row(item, bases[item.template_id]) for item in items]
    pairs = pairs_of(rows)
    rows = [{**one, "pair": pairs.get(one["item_id"])} for one in rows]
    table = part_table(rows)
    if known.rows is not None and known.rows.num_rows:
        table = pa.concat_tables([table, known.rows]).sort_by("item_id")
    return table


def _declined(programs: Sequence[Program], asked: Sequence[Asked]) -> Iterator[Rejected]:
    """Units without an item; what was not certain is told as one finds it in the template."""
    named = {one.id: places(one) for one in programs}
    for one in asked:
        for reject in one.declined:
            known = named[reject.key.split(" ", 1)[0]]
            yield replace(reject, where=known.get(reject.where, reject.where))


def _reject_row(task: VideoTask):
    def as_row(reject: Rejected) -> dict:
        return {
            "stage": reject.stage,
            "dataset": task.dataset,
            "video_id": task.video_id,
            "key": reject.key,
            "code": str(reject.code),
            "reason": reject.reason,
            "where": reject.where,
            "count": reject.count,
            "outcome": reject.outcome,
        }

    return as_row


def _write_part(
    folder: Place, evidence, tables: Mapping[str, pa.Table], cut, table: pa.Table,
    declined: list[dict], task,
) -> None:  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / cache.STAMP).unlink(missing_ok=True)
    write_arrow(table, folder / ITEMS)
    for name, evidence_table in tables.items():
        write_arrow(evidence_table, folder / f"{name}.arrow")
    rejects = {
        "read": map(_reject_row(task), evidence.rejected),
        "cut": map(_reject_row(task), cut.rejected),
        "ask": sorted(declined, key=lambda r: (r["key"], r["code"], r["where"])),
    }
    for stage, entries in rejects.items():
        put(folder / f"{stage}.jsonl", json_lines(entries))


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
        "rows": _rows_by_benchmark(table),
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
    """(template, chain or item) of every unit that was asked about."""
    columns = (table.column(name).to_pylist() for name in ("template_id", "item_id", "chain_id"))
    return {(template, chain or item) for template, item, chain in zip(*columns, strict=True)}


def _books(units: int, known: cache.Known, table: pa.Table, declined: list[dict]) -> Books:
    """Every template and every unit: the engine tells how many it looked at, the part what came of
    them; of templates that were kept from an earlier run the part tells both.
    """
    kept = len(_asked_of(table))
    refused = sum(entry["count"] for entry in declined)
    before = sum(entry["count"] for entry in known.declined)
    before += len(_asked_of(known.rows)) if known.rows is not None else 0
    return Books("ask", "units x templates", units + before, kept, refused)


def _rows_by_benchmark(table: pa.Table) -> dict[str, int]:
    return dict(sorted(Counter(table.column("benchmark").to_pylist()).items()))


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
