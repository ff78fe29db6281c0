"""Evidence of a reader's sample as a build writes it, without questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.records import VideoEvidence
from surgqa.ontology.rows import EVIDENCE_TABLES
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.checks.sources import Reopened, reopen
from surgqa.transforms.checks.sources.reopen import COLUMNS
from surgqa.transforms.exports.evidence import evidence_tables
from surgqa.transforms.places import place
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.steps.files import json_lines, rejected_row
from surgqa.transforms.steps.tasks import AskSettings
from surgqa.transforms.store.folder import OutputFolder
from surgqa.transforms.timeline import build_timeline

Change = Callable[[VideoEvidence], VideoEvidence]
LINK = AskSettings((), "0", {"train": 1.0}, "").link


def sample(root: Path, dataset: str) -> Path:
    """The sample's folder, written once."""
    source = root / "source" / dataset
    if not source.is_dir():
        source.mkdir(parents=True)
        load_sample(dataset)(source)
    return source


def output(
    root: Path, dataset: str, source: Path, change: Change | None = None, most: int | None = None
) -> OutputFolder:
    """An output folder with the evidence of a dataset's files.

    Args:
        change: what a reader with an error would give instead.
        most: no more recordings than these.
    """
    (root / "evidence").mkdir(parents=True)
    (root / "rejected").mkdir()
    reader = load_reader(dataset)(source, False, None)
    tables: dict[str, list[pa.Table]] = {}
    rejected: list[Any] = []
    for video in reader.found()[:most]:
        found = reader.read(video)
        evidence = change(found) if change else found
        for name, table in evidence_tables(evidence, build_timeline(evidence, LINK), ()).items():
            tables.setdefault(name, []).append(table)
        rejected += (rejected_row(one, dataset, video) for one in evidence.rejected)
    for name, schema in EVIDENCE_TABLES.items():
        parts = tables.get(name, [schema.empty_table()])
        pq.write_table(pa.concat_tables(parts), root / f"evidence/{name}.parquet")
    (root / "rejected/read.jsonl").write_bytes(json_lines(rejected))
    (root / "manifest.json").write_text('{"files": {}}')
    return OutputFolder(str(root))


def rows_of(folder: OutputFolder) -> list[pa.Table]:
    """All that the evidence says, for comparison."""
    return [pq.read_table(folder.path / f"evidence/{table}.parquet") for table in COLUMNS]


def reopened(
    folder: OutputFolder, dataset: str, source: Path, every: bool = True
) -> tuple[Findings, Reopened]:
    """What opening the files again finds, and what was done."""
    findings = Findings()
    done = reopen(folder, {dataset: place(str(source))}, findings, every=every)
    return findings, done[dataset]
