"""Write the record of a store: all its videos, rejected rows, and one digest over everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.evidence.curate import near_duplicates, verdict
from surgqa.transforms.exports.parquet import dictionary_columns, write_table
from surgqa.transforms.places import below
from surgqa.transforms.steps.files import json_lines, put, staged
from surgqa.transforms.steps.observing.assemble import DONE
from surgqa.transforms.steps.observing.tasks import Info, ObserveSettings, ObserveTask
from surgqa.transforms.steps.observing.work import read_json, video_work, write_json
from surgqa.transforms.store import evidence

RESULT = "result.json"
"""Name of the file with the result, which the run reads after its Beam graph."""


def record_store(settings: ObserveSettings, tasks: Sequence[ObserveTask]) -> Info:
    """Write the record of all videos that the store contains now; return the run's result."""
    infos = [read_json(path) for task in tasks
             if (path := video_work(settings, task) / DONE).is_file()]  # fmt: skip
    failed = [info for info in infos if info["failed"]]
    write_roots(settings, tasks)
    _write_rejects(settings, infos)
    record: dict[str, Any] = {
        "schema": evidence.SCHEMA,
        "dataset": tasks[0].dataset,
        "rules": settings.rules,
        "extractors": {e.name: e.digest for e in (*settings.frames, settings.sound, settings.masks)
                       if e is not None},
        "videos": _videos(settings),
    }  # fmt: skip
    _judge(evidence.EvidenceStore(settings.folder, record), settings)
    record["digest"] = bytes_digest(orjson.dumps(record["videos"], option=orjson.OPT_SORT_KEYS))
    data = orjson.dumps(record, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)
    put(settings.folder / evidence.STORE, data)
    unbalanced = [info["key"] for info in infos for line in info.get("books", ())
                  if line["read"] != line["kept"] + line["rejected"] + line["failed"]]  # fmt: skip
    result = {"digest": record["digest"], "failed": failed, "unbalanced": unbalanced}
    write_json(settings.folder / "work" / RESULT, result)
    return result


def _videos(settings: ObserveSettings) -> dict[str, Any]:
    videos = {}
    for video_id in evidence.video_ids(settings.folder):
        data = (settings.folder / "videos" / video_id / "video.json").read_bytes()
        facts = orjson.loads(data)
        videos[video_id] = {
            "digest": bytes_digest(data),
            "medium": facts["medium"]["sha256"],
            "rows": {kind: entry["rows"] for kind, entry in sorted(facts["kinds"].items())},
        }
    return videos


def _judge(store: evidence.EvidenceStore, settings: ObserveSettings) -> None:
    """Find videos that are nearly the same; record for each video whether it is kept, and why."""
    videos = [(v, store.table(v, "frames"), store.facts(v)) for v in store.videos()]
    decided = {v: store.table(v, "decisions") for v in store.videos()}
    unfit = {v for v, rows in decided.items() if not verdict(rows, settings.curate).keep}
    alike = near_duplicates(videos, settings.curate, unfit)
    with staged(settings.folder / "duplicates.parquet") as local:
        write_table(alike, local, dictionary_columns(alike.schema, ()))
    for video_id, entry in store.record["videos"].items():
        found = verdict(decided[video_id], settings.curate, video_id, alike)
        entry |= {"keep": found.keep, "reasons": found.reasons, "noted": found.noted}
        mark = below(settings.folder, f"{evidence.DROPPED}/{video_id}.json")
        if found.keep:
            mark.unlink(missing_ok=True)
        else:
            put(mark, orjson.dumps({"reason": "; ".join(found.reasons)}))


def write_roots(settings: ObserveSettings, tasks: Sequence[ObserveTask]) -> None:
    """Record the folders of media on this machine, also if nothing has to be observed again."""
    local = settings.folder / evidence.LOCAL
    roots = read_json(local)["roots"] if local.is_file() else {}
    write_json(local, {"roots": {**roots, **{task.video_id: task.root for task in tasks}}})


def _write_rejects(settings: ObserveSettings, infos: Sequence[Info]) -> None:
    """Write the rejected rows of this run's videos; rows of other videos stay in the file."""
    path = settings.folder / "rejected" / "observe.jsonl"
    lines = path.read_bytes().splitlines() if path.is_file() else []
    mine = {info["video_id"] for info in infos}
    entries = [e for e in map(orjson.loads, lines) if e["video_id"] not in mine]
    for info in infos:
        entries += info.get("problems", ())
        entries += [{"video_id": info["video_id"], **entry} for entry in info.get("rejected", ())]
        if info["failed"]:
            entries.append({"stage": "observe", "video_id": info["video_id"], "key": info["key"],
                            "code": "unreadable", "reason": "; ".join(info["failed"]),
                            "outcome": "failed", "count": 1})  # fmt: skip
    entries.sort(key=lambda e: (e["video_id"], orjson.dumps(e, option=orjson.OPT_SORT_KEYS)))
    if entries:
        put(path, json_lines(entries))
    else:
        path.unlink(missing_ok=True)
