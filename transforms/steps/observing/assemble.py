"""Make the evidence of one video from what the models found in it, and write it to the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.errors import UserError
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.observed import KINDS, MASKING, TRANSIENT
from surgqa.ontology.records import Books, Code, Rejected
from surgqa.transforms.evidence.curate import decide, harmonise
from surgqa.transforms.evidence.curate import stretches as quality_stretches
from surgqa.transforms.evidence.derive import derive
from surgqa.transforms.evidence.speech import phase_anchors, phases
from surgqa.transforms.exports.parquet import dictionary_columns, write_table
from surgqa.transforms.media.accounts import fault_problems, sound_problems
from surgqa.transforms.places import Place
from surgqa.transforms.steps.files import put, staged, write_arrow
from surgqa.transforms.steps.observing import join, work
from surgqa.transforms.steps.observing.plan import note_failure, problem_row
from surgqa.transforms.steps.observing.tasks import Info, ObserveSettings, ObserveTask, Piece
from surgqa.transforms.store.evidence import VIDEO, video_folder

DONE = "done.json"
UNLINKED = "the boxes repeat better ones, or belong to no track that is sure enough"


def plan_masks(task: ObserveTask, settings: ObserveSettings) -> list[Piece]:
    """Link the boxes of a video to tracks; return the windows of frames to segment, as pieces."""
    folder = work.video_work(settings, task)
    if settings.masks is None or (folder / work.FAILED).is_file():
        return []
    try:
        plan = work.read_json(folder / work.PLAN)
        tables = join.seen_tables(task, settings, folder, plan)
        write_arrow(tables["boxes"], folder / work.BOXES)
        if work.is_kept(work.raw_file(settings, settings.masks, plan["medium"], task)):
            return []
        return join.mask_pieces(task, settings, plan, tables)
    except UserError as error:
        note_failure(folder, error)
        return []


def assemble_video(task: ObserveTask, settings: ObserveSettings) -> Info:
    """Write one video's evidence; return the video's key and the name of its work folder.

    The work folder gets a summary of the evidence, or the reason why it failed.
    """
    folder = work.video_work(settings, task)
    try:
        if not (folder / work.FAILED).is_file():
            info = _assembled(task, settings, folder)
    except UserError as error:
        note_failure(folder, error)
    if (folder / work.FAILED).is_file():
        failure = work.read_json(folder / work.FAILED)
        info = {"key": task.key, "video_id": task.video_id, "failed": failure["lines"],
                "code": failure["code"]}  # fmt: skip
    work.write_json(folder / DONE, info)
    return {"key": task.key, "part": task.part}


def _assembled(task: ObserveTask, settings: ObserveSettings, folder: Place) -> Info:
    plan = work.read_json(folder / work.PLAN)
    medium = plan["medium"]
    tables = join.seen_tables(task, settings, folder, plan)
    found, people = tables.pop("found").num_rows, join.reviewed(task, settings, plan, tables)
    tables.pop("alone")
    tables["boxes"] = tables["boxes"].filter(pc.is_valid(tables["boxes"].column("track")))
    seen = {e.name: join.seen_facts(e, settings, medium) for e in settings.frames}
    tables |= join.joined_masks(task, settings, folder, plan, tables)
    tables |= join.heard_tables(task, settings, folder, plan, tables["boxes"])
    heard = join.heard_facts(settings, medium)
    derived = derive(tables, plan["end_us"], settings.derive)
    film = {**plan["film"], "sound_heard": heard, "metadata": task.metadata}
    tables["decisions"] = decide(film, tables, settings.curate)
    tables["happenings"] = derived["happenings"]
    more = [derived["stretches"], quality_stretches(tables["frames"], settings.curate)]
    more += [rule(tables["anchors"]) for rule in (phase_anchors, phases) if settings.sound]
    by = [(name, "ascending") for name in ("start_us", "kind", "label")]
    tables["stretches"] = pa.concat_tables(more).sort_by(by)
    books = _books(tables, found, seen, heard)
    unused = (*sound_problems(task.media.path or "", heard["sound"]),
              *_lost_boxes(task, books, seen))  # fmt: skip
    problems = [*plan["problems"], *_faults(task, tables, seen),
                *(problem_row(task, row) for row in unused)]  # fmt: skip
    facts = _facts(task, settings, {**plan, "problems": problems}, seen, heard, books)
    return _written(task, settings, {**facts, **people}, tables)


def _faults(
    task: ObserveTask, tables: join.Tables, seen: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the frames that could not be decoded: one row for each run of consecutive frames."""
    faults = next(iter(seen.values()))["faults"]
    times = tables["frames"].column("time_us").to_numpy()
    if not faults:
        return []
    import numpy as np

    rows = fault_problems(task.media.path or "", times, np.array(faults, dtype=np.uint8))
    return [problem_row(task, row) for row in rows]


def _lost_boxes(task: ObserveTask, books: list[Books], seen: Mapping[str, Any]) -> list[Rejected]:
    """Return the found boxes that the evidence lacks: of dropped classes, and without track."""
    dropped = seen["detect"]["dropped"] if "detect" in seen else {}
    lost = [Rejected("observe", task.key, Code.DROPPED_LABEL, f"the class map drops {name}",
                     "boxes", count) for name, count in dropped.items()]  # fmt: skip
    boxes = next(one for one in books if one.unit == "boxes")
    if unlinked := boxes.rejected - sum(dropped.values()):
        lost.append(Rejected("observe", task.key, Code.UNLINKED, UNLINKED, "boxes", unlinked))
    return lost


def _books(
    tables: join.Tables, found: int, seen: Mapping[str, Any], heard: Mapping[str, Any]
) -> list[Books]:
    samples = tables["frames"].num_rows
    trusted = int(pc.sum(tables["frames"].column("trusted")).as_py() or 0)
    boxes = tables["boxes"]
    given = pc.is_in(boxes.column("origin"), pa.array(["detector", "manual"]))
    detected = pc.sum(given).as_py() or 0
    dropped = sum(seen["detect"]["dropped"].values()) if "detect" in seen else 0
    silenced = sum(len(piece.get("rejected", ())) for piece in heard["pieces"])
    said = tables["utterances"].num_rows
    return [
        Books("observe", "frames", samples, trusted, samples - trusted),
        Books("observe", "boxes", found + dropped, detected, found + dropped - detected),
        Books("observe", "utterances", said + silenced, said, silenced),
    ]


def _written(
    task: ObserveTask, settings: ObserveSettings, facts: dict[str, Any], tables: join.Tables
) -> Info:
    target = video_folder(settings.folder, task.video_id)
    target.mkdir(parents=True, exist_ok=True)
    (target / VIDEO).unlink(missing_ok=True)
    kinds = {}
    for kind, schema in KINDS.items():
        keep = [name for name in schema.names if name not in TRANSIENT]
        table = tables[kind].select(keep)
        with staged(target / f"{kind}.parquet") as local:
            write_table(table, local, dictionary_columns(table.schema, ()))
            kinds[kind] = {"rows": len(table), "sha256": bytes_digest(local.read_bytes())}
    record = {**facts, "kinds": kinds}
    data = orjson.dumps(record, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)
    put(target / VIDEO, data)
    return {
        "key": task.key, "video_id": task.video_id, "failed": None, "kinds": kinds,
        "digest": bytes_digest(data), "problems": facts["problems"], "books": facts["books"],
        "rejected": [entry for piece in facts["sound"]["pieces"]
                     for entry in piece.get("rejected", ())],
    }  # fmt: skip


def _harmonised(task: ObserveTask) -> dict[str, Any]:
    """Return the metadata in the ontology's names, and the list of changes made for that."""
    known, changes = harmonise(task.metadata)
    return {"metadata": known, "changes": [asdict(change) for change in changes]}


def _facts(
    task: ObserveTask, settings: ObserveSettings, plan: Mapping[str, Any], seen: Mapping[str, Any],
    heard: Mapping[str, Any], books: list[Books],
) -> dict[str, Any]:  # fmt: skip
    rate = settings.rate
    extractors = [*settings.frames, settings.sound, settings.masks]
    media = task.media
    return {
        "dataset": task.dataset,
        "video_id": task.video_id,
        "made_from": settings.made_from(task, plan["medium"]),
        "medium": {
            "kind": str(media.kind), "path": media.path, "sha256": plan["medium"],
            "fps": plan["fps"], "width": plan["width"], "height": plan["height"],
            "first": media.first,
        },
        "duration_us": plan["end_us"],
        "film": plan["film"],
        "sound": heard,
        "metadata": task.metadata,
        "harmonised": _harmonised(task),
        "rate": None if rate is None else [rate.numerator, rate.denominator],
        "rules": settings.rules,
        "masking": MASKING,
        "extractors": {
            e.name: {
                "version": e.version, "digest": e.digest, "identity": e.identity,
                "facts": seen.get(e.name, {}).get("facts", {}),
                "dropped": seen.get(e.name, {}).get("dropped", {}),
            }
            for e in extractors
            if e is not None
        },
        "books": [asdict(line) for line in books],
        "problems": plan["problems"],
    }  # fmt: skip
