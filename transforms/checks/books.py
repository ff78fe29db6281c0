"""Checks what the manifest states about an output's documents, settings, row counts and inputs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from surgqa.ontology.keys import file_sha256
from surgqa.transforms.checks.folder import rows_in
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.checks.tables import headers
from surgqa.transforms.places import below
from surgqa.transforms.store.folder import OutputFolder

MANIFEST = "manifest.json"
DOCUMENTS = ("README.md", "config.yaml", "croissant.json", "licences.md", "report.html")

UNITS = {"plan": "videos", "ask": "units x templates", "choose": "items"}
"""Stage of a build -> what its row counts count; for other stages this depends on the reader."""


def check_books(folder: OutputFolder, findings: Findings) -> None:
    """Check all statements of the manifest that can be computed from other files of the folder."""
    manifest = folder.manifest
    _documents(folder, findings)
    if "settings_digest" in manifest:
        said = [manifest.get(name) for name in ("settings", "templates", "readers")]
        found = hashlib.sha256(_canonical(said)).hexdigest()
        if found != manifest["settings_digest"]:
            recorded = f"expected {found}, found {manifest['settings_digest']}"
            findings.add("settings_digest", "", recorded)
    for line in manifest.get("books", ()):
        parts = [line[name] for name in ("kept", "rejected", "failed")]
        if line["read"] != sum(parts):
            what = f"{line['stage']} {line['unit']}: {line['read']} read, {parts} kept, rejected"
            findings.add("books_unbalanced", "", f"{what} and failed")
    if "books" in manifest:
        for what, recorded, found in _sums(folder):
            if recorded != found:
                findings.add("books_differ", "", f"{what}: manifest {recorded}, found {found}")


def _documents(folder: OutputFolder, findings: Findings) -> None:
    """Check the digests of the card, settings, licences, Croissant file, report and manifest."""
    recorded: Mapping[str, str] = folder.manifest.get("documents") or {}
    others = {MANIFEST, *folder.manifest.get("files", ())}
    for name in sorted({*recorded, *DOCUMENTS} - others):
        file = below(folder.path, name)
        found = file_sha256(file) if file.is_file() else None
        if found != recorded.get(name):
            detail = f"{name}: expected {recorded.get(name)}, found {found}"
            findings.add("document_digest", "", detail)
    rest = {name: value for name, value in folder.manifest.items() if name != "documents"}
    found = hashlib.sha256(_canonical(rest, orjson.OPT_INDENT_2) + b"\n").hexdigest()
    if recorded and recorded.get(MANIFEST) != found:
        detail = f"{MANIFEST}: expected {recorded.get(MANIFEST)}, found {found}"
        findings.add("document_digest", "", detail)


def _canonical(value: Any, more: int = 0) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | more)


def _sums(folder: OutputFolder) -> Iterator[tuple[str, Any, Any]]:
    """Yield (name of a total, its value in the manifest, its value computed from the files)."""
    manifest = folder.manifest
    books: Counter[tuple[str, str]] = Counter()
    for line in manifest["books"]:
        for name in ("read", "kept", "rejected", "failed"):
            books[line["stage"], name] += line[name]
    units = {line["stage"]: line["unit"] for line in manifest["books"] if line["stage"] in UNITS}
    yield "units of stages", units, UNITS
    rows = rows_in(folder)
    videos = {key: row["sources"] for key, row in headers(folder).items()}
    dropped = sum(manifest.get("dropped", {}).values())
    yield "rows of data/", books["choose", "kept"], rows
    yield "items that were chosen from", books["choose", "read"], rows + dropped
    yield "items that were dropped", books["choose", "rejected"], dropped
    inputs = manifest.get("inputs", ())
    yield "items of the inputs", sum(one["rows"] for one in inputs), rows + dropped
    yield "videos", books["plan", "kept"], len(videos)
    yield "inputs", sorted((one["dataset"], one["video_id"]) for one in inputs), sorted(videos)
    for one in inputs:
        key = (one["dataset"], one["video_id"])
        yield f"label files of {'/'.join(key)}", one["sources"], videos.get(key)
    yield "videos left out", books["plan", "rejected"], len(manifest.get("excluded", ()))
    yield "videos that failed", books["plan", "failed"], len(manifest.get("failed", ()))
    ledger = manifest.get("ledger", {}).values()
    yield "units that were asked", books["ask", "kept"], sum(one["asked"] for one in ledger)
    declined = sum(sum(one["declined"].values()) for one in ledger)
    yield "units that were declined", books["ask", "rejected"], declined
    rejected = _rejected(manifest)
    for stage in sorted({stage for stage, _ in books} - UNITS.keys()):
        yield f"rejects of stage {stage}", books[stage, "rejected"], rejected[stage]


def _rejected(manifest: Mapping[str, Any]) -> Counter[str]:
    """Return the number of rejected rows, by stage."""
    out: Counter[str] = Counter()
    for name, count in manifest.get("rejected", {}).items():
        out[name.partition("/")[0]] += count if name.endswith("/rejected") else 0
    return out
