"""Croissant and card against the files that they describe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import pyarrow.parquet as pq

from transforms.places import below
from transforms.store.folder import OutputFolder, readable

Compared = Iterator[tuple[str, Any, Any]]
"""(what, as one place tells it, as another does)"""


def documents_compared(folder: OutputFolder) -> Compared:
    """What can be held against the folder; sentences cannot."""
    yield from _card(folder)
    yield from _croissant(folder)


def _card(folder: OutputFolder) -> Compared:
    """The card says what made the output, and its digest."""
    file = folder.path / "README.md"
    text = file.read_bytes().decode(errors="replace") if file.is_file() else ""
    version, digest = (str(folder.manifest.get(name)) for name in ("version", "digest"))
    if text:
        found = re.search(r"with surgqa (\S+) from", text), re.search(r"`([0-9a-f]{64})`", text)
        yield "README.md", (version, digest), tuple(one[1] if one else None for one in found)


def _croissant(folder: OutputFolder) -> Compared:
    """Digests of Parquet files, names of columns."""
    file = folder.path / "croissant.json"
    if not file.is_file():
        return  # which the documents tell
    try:
        said = orjson.loads(file.read_bytes())
        files = {str(one["@id"]): dict(one) for one in said["distribution"]}
        sets = {str(one["@id"]): _fields(one["field"]) for one in said["recordSet"]}
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        yield "croissant.json", "as Croissant writes it", "something else"
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


def _columns(folder: OutputFolder, name: str, path: str) -> list[tuple[str, str]]:
    schema = pq.read_schema(readable(below(folder.path, path)))
    return sorted((f"{name}/{column}", column) for column in schema.names)


def _fields(fields: list[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return sorted((str(one.get("@id")), str(one.get("name"))) for one in fields)
