"""Compares the manifest's settings, templates, videos and rejections with other files of an output.

Settings are also stored in ``config.yaml``, templates in ``templates/``, videos in ``evidence/``
and dropped items in ``rejected/``. croissant.json and the dataset card (README.md) are compared
with the files that they describe.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from surgqa.ontology.errors import UserError
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.checks.proof.evidence import in_bounds
from surgqa.transforms.checks.proof.prove import RowsToProve
from surgqa.transforms.checks.proof.shares import share_problems
from surgqa.transforms.checks.splits import Splits
from surgqa.transforms.checks.tables import Key
from surgqa.transforms.language.program import Program
from surgqa.transforms.places import below
from surgqa.transforms.store.folder import OutputFolder, readable

Compared = Iterator[tuple[str, Any, Any]]
"""(name of what is compared, expected value, value found)"""


def documents_compared(folder: OutputFolder) -> Compared:
    """Yield the versions, digests and column names in both documents with their expected values."""
    yield from _card(folder)
    yield from _croissant(folder)


def _card(folder: OutputFolder) -> Compared:
    """Compare the version and digest in the card with the manifest."""
    file = folder.path / "README.md"
    text = file.read_bytes().decode(errors="replace") if file.is_file() else ""
    version, digest = (str(folder.manifest.get(name)) for name in ("version", "digest"))
    if text:
        found = re.search(r"with surgqa (\S+) from", text), re.search(r"`([0-9a-f]{64})`", text)
        yield "README.md", (version, digest), tuple(one[1] if one else None for one in found)


Described = tuple[str, str, str, str]
"""The id, the name, the column of the file, and the path in it, of a field in croissant.json."""


def _croissant(folder: OutputFolder) -> Compared:
    """Compare the digests of Parquet files and their columns with croissant.json."""
    file = folder.path / "croissant.json"
    if not file.is_file():
        return  # reported as missing by the check of the digests
    try:
        said = orjson.loads(file.read_bytes())
        files = {str(one["@id"]): dict(one) for one in said["distribution"]}
        sets = {str(one["@id"]): _fields(one["field"]) for one in said["recordSet"]}
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        yield "croissant.json", "valid Croissant metadata", "another structure, or invalid JSON"
        return
    there = {path: sha for path, sha in folder.manifest.get("files", {}).items()
             if path.endswith(".parquet")}  # fmt: skip
    found = {path: one.get("sha256") for path, one in files.items() if path.endswith(".parquet")}
    yield "croissant.json files", there, found
    for path, one in files.items():
        if path in there:
            yield f"croissant.json {path}", [path, path], [one.get("name"), one.get("contentUrl")]
    for path in sorted(there):
        name = path.split("/")[1] if path.startswith("data/") else path.removesuffix(".parquet")
        if name in sets:
            yield f"croissant.json {name}", _columns(folder, name, path), sets.pop(name)


def _columns(folder: OutputFolder, name: str, path: str) -> list[Described]:
    schema = pq.read_schema(readable(below(folder.path, path)))
    found = sorted(one for column in schema for one in _described(name, column, (column.name,)))
    split = (f"{name}/split", "split", "None", "None")  # of items, it is in the file's path
    return [split if path.startswith("data/") and one[0] == split[0] else one for one in found]


def _described(parent: str, column: pa.Field, path: tuple[str, ...]) -> Iterator[Described]:
    """Yield how a column of a file, and each of its parts, has to be described."""
    own, kind = f"{parent}/{column.name}", column.type
    kind = kind.value_type if pa.types.is_list(kind) else kind
    if pa.types.is_struct(kind):
        yield own, column.name, "None", "None"
        for part in kind:
            yield from _described(own, part, (*path, part.name))
    else:
        yield own, column.name, path[0], ".".join(path[1:]) or "None"


def _fields(fields: Iterable[Mapping[str, Any]]) -> list[Described]:
    found: list[Described] = []
    for one in fields:
        source = one.get("source", {})
        column = source.get("extract", {}).get("column")
        where = source.get("transform", {}).get("jsonPath")
        found.append((str(one.get("@id")), str(one.get("name")), str(column), str(where)))
        found += _fields(one.get("subField", ()))
    return sorted(found)


ASKED = """select template_id, count(distinct coalesce(chain_id, item_id)) from programmed
group by template_id"""
"""Returns each template with the number of its chains, or of its items if it has no chains."""

SCHEMA = "surgqa/manifest-v1"

OF_A_RUN = {"review", "templates", "max_failed", "allow_empty"}
"""Settings that are not compared: only one file has them, or both write them differently."""


def manifest_problems(
    folder: OutputFolder, programs: Mapping[str, Program], videos: Mapping[Key, Mapping[str, Any]],
    splits: Splits, rows: RowsToProve, scratch: Path,
) -> Iterator[str]:  # fmt: skip
    """Yield a message for each statement of the manifest that differs from another file.

    Args:
        programs: parsed templates of the output, by template id.
        videos: rows of ``evidence/videos``.
        splits: splits of all rows.
        scratch: an existing folder for data that does not fit into memory.
    """
    asked: dict[str, int] = {}
    with in_bounds(scratch) as con:
        if rows.close():
            rows.view(con)
            asked = dict(con.execute(ASKED).fetchall())
            yield from share_problems(folder, programs, con)
    compared = (*_settings(folder), *_templates(folder, programs), *_packages(folder),
                *_recordings(folder, videos, splits), *_rejects(folder),
                *_ledger(folder, asked), *documents_compared(folder))  # fmt: skip
    for what, recorded, found in compared:
        if recorded != found:
            yield f"{what}: manifest {recorded!r}, found {found!r}"


def _settings(folder: OutputFolder) -> Compared:
    file = folder.path / "config.yaml"
    if not file.is_file():
        return  # reported by the check of the documents
    try:
        config = read_yaml(file.read_bytes().decode(), file.name).data
    except (UserError, UnicodeDecodeError):
        config = None
    if not isinstance(config, dict):
        yield "settings", "those of config.yaml", "an invalid config.yaml"
        return
    settings = folder.manifest.get("settings") or {}
    for name in sorted({*settings, *map(str, config)} - OF_A_RUN):
        yield f"settings.{name}", settings.get(name), config.get(name)


def _templates(folder: OutputFolder, programs: Mapping[str, Program]) -> Compared:
    for name, recorded in sorted(folder.manifest.get("templates", {}).items()):
        one = programs.get(name)
        found = one and {"digest": one.digest, "task": one.task, "title": one.title,
                         "version": one.version}  # fmt: skip
        yield f"templates.{name}", recorded, found


def _packages(folder: OutputFolder) -> Compared:
    """Compare the manifest's schema with surgqa's, its Arrow version with the Parquet files'."""
    recorded = (folder.manifest.get("packages") or {}).get("pyarrow")
    videos = pq.read_metadata(readable(folder.path / "evidence" / "videos.parquet"))
    yield "schema", folder.manifest.get("schema"), SCHEMA
    yield "packages.pyarrow", recorded, str(videos.created_by).rpartition(" ")[2]


def _recordings(
    folder: OutputFolder, videos: Mapping[Key, Mapping[str, Any]], splits: Splits
) -> Compared:
    clips, placed = _clips(folder), splits.by_recording()
    for entry in folder.manifest.get("inputs", ()):
        key = entry["dataset"], entry["video_id"]
        video = videos.get(key)
        if video is None:
            continue  # a different list of videos is reported by the check of row counts
        what = f"inputs {'/'.join(key)}"
        yield f"{what} split_group", entry.get("split_group"), video["split_group"]
        yield f"{what} media", entry.get("media"), video["media_kind"]
        yield f"{what} windows", entry.get("windows"), clips[key]
        for split in sorted(placed.get(key, ()), key=str):
            yield f"{what} split", entry.get("split"), split


def _clips(folder: OutputFolder) -> Counter[Key]:
    """Return the number of clips of each video."""
    file = readable(folder.path / "evidence" / "segments.parquet")
    table = pq.read_table(file, columns=["dataset", "video_id", "kind"])
    clips = table.filter(pc.equal(table.column("kind"), "clip"))
    keys = (clips.column(name).to_pylist() for name in ("dataset", "video_id"))
    return Counter(zip(*keys, strict=True))


def _rejects(folder: OutputFolder) -> Compared:
    found: Counter[str] = Counter()
    for stage in ("read", "cut"):
        for row in folder.rejected(stage):
            found[f"{row['stage']}/{row['code']}/{row['outcome']}"] += row["count"]
    yield "rejected", folder.manifest.get("rejected", {}), dict(found)
    dropped = Counter(row["where"] for row in folder.rejected("choose"))
    yield "dropped", folder.manifest.get("dropped", {}), dict(dropped)


def _ledger(folder: OutputFolder, asked: Mapping[str, int]) -> Compared:
    declined: dict[str, Counter[str]] = defaultdict(Counter)
    for row in folder.rejected("ask"):
        template = row["key"].partition(" ")[0]
        declined[template][f"{row['code']}: {row['where']}"] += row["count"]
    ledger = folder.manifest.get("ledger", {})
    dropped = folder.manifest.get("dropped", {})
    for name in sorted({*ledger, *declined, *asked}):
        recorded = ledger.get(name)
        if recorded is None:
            yield f"ledger.{name}", None, "items or rejected units"
            continue
        found = recorded["asked"] if name in dropped else asked.get(name, 0)
        reasons = dict(declined[name])
        units = found + sum(reasons.values())
        yield f"ledger.{name}", recorded, {"asked": found, "declined": reasons, "units": units}
