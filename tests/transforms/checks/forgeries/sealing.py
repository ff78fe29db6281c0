"""A finished output changed and sealed again: digests and counts are made anew."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.keys import bytes_digest, digest
from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.pipeline.manifest import DOCUMENTS, MANIFEST, digest_of, manifest_bytes, signed
from surgqa.transforms.exports.rows import canonical
from surgqa.transforms.language.program import Program
from tests.transforms.checks.forgeries import places

Row = dict[str, Any]
Changes = Mapping[str, bytes]
"""Path within an output -> the file's new bytes."""


class Sealed:
    """A finished output that forgeries are made of; itself it is not changed.

    Attributes:
        shards: path of a Parquet shard -> its rows.
        tables: name of a table of ``evidence/`` -> its rows.
        manifest: as it lies there.
        files: paths of all other files.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.manifest = orjson.loads((root / MANIFEST).read_bytes())
        every = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
        self.shards = {p: pq.read_table(root / p).to_pylist()
                       for p in every if p.startswith("data/")}  # fmt: skip
        self.tables = {name: pq.read_table(root / f"evidence/{name}.parquet").to_pylist()
                       for name in EVIDENCE_TABLES}  # fmt: skip
        self.files = [p for p in every if not p.startswith(("data/", "evidence/"))
                      and p != MANIFEST]  # fmt: skip

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        return [row for rows in self.shards.values() for row in rows]

    def with_rows(self, to: Path, forged: Mapping[str, Row]) -> None:
        """The output with other rows: id as it was -> the row."""
        changes = {}
        for path, rows in self.shards.items():
            if any(row["item_id"] in forged for row in rows):
                new = [forged.get(row["item_id"], row) for row in rows]
                new.sort(key=lambda row: row["item_id"])
                changes[path] = parquet(new, ITEM)
        every = [forged.get(row["item_id"], row) for row in self.rows]
        self._write(to, changes, {**self.manifest, "items": counted(every)})

    def with_table(self, to: Path, name: str, rows: Sequence[Row]) -> None:
        """The output with other rows of a table of ``evidence/``."""
        ranked = sorted(rows, key=lambda row: (row["dataset"], row["video_id"]))
        data = parquet(ranked, EVIDENCE_TABLES[name])
        self._write(to, {f"evidence/{name}.parquet": data}, self.manifest)

    def with_file(self, to: Path, path: str, data: bytes) -> None:
        """The output with another file."""
        self._write(to, {path: data}, self.manifest)

    def with_manifest(self, to: Path, path: places.Path, value: Any) -> None:
        """The output with another entry of its manifest, which no sealing undoes."""
        copied(self.root, to, [MANIFEST])
        forged = places.put(self.manifest, path, value)
        sealed = resealed(forged, {}, forged.get("documents") or {})
        if places.at(sealed, path) != value:
            sealed = places.put(sealed, path, value)
        if path != ("documents", MANIFEST):
            sealed = signed(sealed, {n: s for n, s in sealed["documents"].items() if n != MANIFEST})
        (to / MANIFEST).write_bytes(manifest_bytes(sealed))

    def _write(self, to: Path, changes: Changes, manifest: Mapping[str, Any]) -> None:
        shas = {path: bytes_digest(data) for path, data in changes.items()}
        every = {**self._telling(resealed(manifest, shas, {})), **changes}
        copied(self.root, to, [*every, MANIFEST])
        for path, data in every.items():
            (to / path).write_bytes(data)
        documents = {n: bytes_digest((to / n).read_bytes()) for n in DOCUMENTS}
        (to / MANIFEST).write_bytes(manifest_bytes(resealed(manifest, shas, documents)))

    def _telling(self, manifest: Mapping[str, Any]) -> dict[str, bytes]:
        """Croissant and card with the digests of another manifest."""
        old = {**self.manifest["files"], "": self.manifest["digest"]}
        new = {**manifest["files"], "": manifest["digest"]}
        out = {}
        for name in ("croissant.json", "README.md"):
            text = (self.root / name).read_text(encoding="utf-8")
            for path, sha in new.items():
                text = text.replace(old[path], sha)
            out[name] = text.encode()
        return out


def copied(root: Path, to: Path, but: Iterable[str]) -> None:
    """The files of a folder as links, but those that will be written."""
    shutil.copytree(root, to, copy_function=os.link)
    for path in but:
        (to / path).unlink()


def parquet(rows: Sequence[Row], schema: pa.Schema) -> bytes:
    """A Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), sink)
    return sink.getvalue().to_pybytes()


def resealed(
    manifest: Mapping[str, Any], shas: Mapping[str, str], documents: Mapping[str, str]
) -> dict[str, Any]:
    """A manifest with every digest that follows from others made anew."""
    files = {**manifest["files"], **{p: s for p, s in shas.items() if p in manifest["files"]}}
    settings = [manifest["settings"], manifest["templates"], manifest["readers"]]
    out = {
        **manifest,
        "files": files,
        "digest": digest_of(files),
        "digests": {
            kind: digest_of({p: s for p, s in files.items() if p.endswith(f".{kind}")})
            for kind in manifest["digests"]
        },
        "settings_digest": bytes_digest(orjson.dumps(settings, option=orjson.OPT_SORT_KEYS)),
    }
    return signed(out, {name: sha for name, sha in documents.items() if name != MANIFEST})


def counted(rows: Sequence[Row]) -> dict[str, Any]:
    """Items by benchmark, template and split, as a manifest has them."""
    out: dict[str, Any] = {}
    for name in sorted({row["benchmark"] for row in rows}):
        mine = [row for row in rows if row["benchmark"] == name]
        out[name] = {
            "total": len(mine),
            "by_template": dict(sorted(Counter(row["template_id"] for row in mine).items())),
            "by_split": dict(sorted(Counter(row["split"] for row in mine).items())),
        }
    return out


NAMES_AN_ITEM = ("dataset", "video_id", "window_id", "slots", "template_version", "template_id")


def renamed(program: Program, row: Row) -> Row:
    """A row with the ids that follow from its values."""
    slots = orjson.loads(row["slots"])
    chain = program.unit.kind == "chain"
    parts = [row["template_id"], str(row["template_version"]),
             f"{row['dataset']}/{row['video_id']}", *([] if chain else [row["window_id"]]),
             canonical({name: slots[name] for name in program.drawn if name in slots})]  # fmt: skip
    stage = row["task"].removeprefix(f"{program.task}/") if chain else ""
    chain_id = digest(*parts) if chain else None
    return {**row, "chain_id": chain_id, "item_id": digest(*parts, *([stage] if stage else []))}
