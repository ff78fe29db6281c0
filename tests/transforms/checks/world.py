"""A small output that a build made, taken apart: every row and table can be changed and checked."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.transforms.checks import CheckReport, check_output
from surgqa.transforms.store.folder import OutputFolder

Rows = list[dict[str, Any]]
SHARD = "data/surgstu/{split}-00000-of-00001.parquet"

TEMPLATES = ("surgstu/classes", "surgstu/first_action", "surgstu/locate")


def evidence_of(root: Path, video: str = "v", **tables: Rows) -> OutputFolder:
    """An output with some rows of evidence alone; rows that name no video are of ``d/v``.

    Args:
        tables: name -> rows of a table of ``evidence/``; others are empty.
    """
    (root / "evidence").mkdir(parents=True)
    (root / "manifest.json").write_text("{}")
    for name, schema in EVIDENCE_TABLES.items():
        rows = [{"dataset": "d", "video_id": video} | row for row in tables.get(name, [])]
        pq.write_table(pa.Table.from_pylist(rows, schema), root / f"evidence/{name}.parquet")
    return OutputFolder(root)


class World:
    """The output while it is being changed; ``check`` writes and checks it.

    Args:
        made: an output of :data:`TEMPLATES`, which is read and not changed.

    Attributes:
        rows: those of ``data/``, by id.
        tables: name -> rows of a table of ``evidence/``.
    """

    def __init__(self, made: Path, root: Path) -> None:
        self.root = root
        shutil.copytree(made / "templates", root / "templates")
        rows = pq.read_table(made / "data/made/train-0.parquet").to_pylist()
        self.rows: Rows = sorted(rows, key=lambda row: row["item_id"])
        self.tables: dict[str, Rows] = {
            kind: pq.read_table(made / f"evidence/{kind}.parquet").to_pylist()
            for kind in EVIDENCE_TABLES
        }

    def of(self, template: str) -> dict[str, Any]:
        """The first row of a template, to be changed in place."""
        return next(row for row in self.rows if row["template_id"] == template)

    def check(self, **options: Any) -> CheckReport:
        """Write everything and check it."""
        self.write()
        return check_output(self.root, **options)

    def write(self) -> None:
        """Write evidence, shards and manifest."""
        (self.root / "evidence").mkdir(parents=True, exist_ok=True)
        for kind, rows in self.tables.items():
            ranked = sorted(rows, key=lambda row: (row["dataset"], row["video_id"]))
            table = pa.Table.from_pylist(ranked, schema=EVIDENCE_TABLES[kind])
            pq.write_table(table, self.root / f"evidence/{kind}.parquet", row_group_size=40)
        self.rows.sort(key=lambda row: row["item_id"])
        for split in sorted({row["split"] for row in self.rows}):
            self.write_shard(split, [row for row in self.rows if row["split"] == split])
        self.write_manifest()

    def write_shard(self, split: str, rows: Rows) -> Path:
        """The shard of one split, its rows as they come."""
        path = self.root / SHARD.format(split=split)
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=ITEM), path)
        return path

    def write_manifest(self, **changes: Any) -> None:
        """The manifest of what lies there, with entries changed."""
        files = {
            path.relative_to(self.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and path.name != "manifest.json"
        }
        lines = "".join(f"{path} {files[path]}\n" for path in sorted(files))
        digest = hashlib.sha256(lines.encode()).hexdigest()
        manifest = {"files": files, "digest": digest, "items": self.counts(), **changes}
        (self.root / "manifest.json").write_text(json.dumps(manifest))

    def counts(self) -> dict[str, Any]:
        """Rows by template and split, as the manifest has them."""
        found: dict[str, Any] = {"total": len(self.rows), "by_template": {}, "by_split": {}}
        for row in self.rows:
            for kind, name in (("by_template", row["template_id"]), ("by_split", row["split"])):
                found[kind][name] = found[kind].get(name, 0) + 1
        return {"surgstu": found}
