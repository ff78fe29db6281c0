"""Compares croissant.json and the dataset card (README.md) with the files that they describe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import pyarrow.parquet as pq

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


def _croissant(folder: OutputFolder) -> Compared:
    """Compare the digests of Parquet files and the column names in croissant.json."""
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


def _columns(folder: OutputFolder, name: str, path: str) -> list[tuple[str, str]]:
    schema = pq.read_schema(readable(below(folder.path, path)))
    return sorted((f"{name}/{column}", column) for column in schema.names)


def _fields(fields: list[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return sorted((str(one.get("@id")), str(one.get("name"))) for one in fields)
