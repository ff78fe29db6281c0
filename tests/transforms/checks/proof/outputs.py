"""Small outputs of real readers' samples: what a build writes, without a graph."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.transforms.language.load import parse_file
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.steps.tasks import AskSettings, VideoTask, part_folder
from surgqa.transforms.steps.video import ask_videos
from surgqa.transforms.store.folder import OutputFolder

TEMPLATES = Path("templates")


OF_THE_FOLDER = {
    "manifest_digest", "manifest_items", "file_unlisted", "shard_misplaced", "shard_order",
}  # fmt: skip
"""What is not as a build leaves it: these outputs have one shard and no manifest."""

ASKED = (
    "examples/clips_so_far", "medstream/action_on", "sapbench/next_action",
    *(f"surgcot/{name}" for name in ("action_ordering", "affordance")),
    *(f"surgstu/{name}" for name in (
        "classes", "closest", "counting_distinct", "existence_local_inst", "first_action",
        "idle_duration", "locate", "most_active_instrument", "movement_status", "next_action",
        "rel_pos", "segment", "target_interaction", "velocity", "window")),
)  # fmt: skip
"""All templates that tests ask over CholecT50's sample, in one build."""


def shipped(*benchmarks: str) -> Iterator[Path]:
    """Files of shipped templates of some benchmarks."""
    for name in benchmarks:
        yield from sorted((TEMPLATES / name).glob("*.yaml"))


def built(root: Path, dataset: str, files: Sequence[Path], reading: str = "worlds") -> OutputFolder:
    """The output of some templates over a dataset's sample.

    Args:
        root: an empty folder.
        reading: how the templates read the times of labels.
    """
    out, work, source = (root / name for name in ("out", "work", "source"))
    for folder in (out / "evidence", out / "data" / "made", work, source):
        folder.mkdir(parents=True)
    load_sample(dataset)(source)
    programs = []
    for file in files:
        kept = out / "templates" / file.parent.name / file.name
        kept.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8")
        kept.write_text(text.replace("\nlet:", f"\nreading: {reading}\nlet:", 1), encoding="utf-8")
        programs += parse_file(kept, out / "templates")[0]
    settings = AskSettings(tuple(programs), "0", {"train": 1.0}, str(work))
    parts = []
    for video in load_reader(dataset)(source, False, None).found():
        task = VideoTask(dataset, video, str(source), split="train")
        (info,) = ask_videos((task,), settings)
        assert "failed" not in info, info
        parts.append(Path(str(part_folder(settings, task))))
    for name, schema in EVIDENCE_TABLES.items():
        _joined(
            [part / f"{name}.arrow" for part in parts], schema, out / f"evidence/{name}.parquet"
        )
    _joined([part / "items.arrow" for part in parts], ITEM, out / "data/made/train-0.parquet")
    (out / "manifest.json").write_text(json.dumps({"files": {}, "digest": ""}))
    return OutputFolder(out)


built_anew = built
"""The same, for a test that plants something into what builds: runs of mutants, which change the
checks alone, keep what :func:`built` gives."""


def part(whole: Path, root: Path, names: Iterable[str]) -> OutputFolder:
    """Of a built output some templates' rows, with all evidence.

    Args:
        root: an empty folder.
        names: templates as ``benchmark/file``.
    """
    shutil.copytree(whole / "evidence", root / "evidence")
    shutil.copy(whole / "manifest.json", root)
    for name in names:
        kept = root / "templates" / f"{name}.yaml"
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(whole / "templates" / f"{name}.yaml", kept)
    begins = tuple(f"{name.replace('/', '.')}." for name in names)
    rows = pq.read_table(whole / "data/made/train-0.parquet")
    mine = [f"{one}.".startswith(begins) for one in rows["template_id"].to_pylist()]
    (root / "data" / "made").mkdir(parents=True)
    pq.write_table(rows.filter(pa.array(mine, pa.bool_())), root / "data/made/train-0.parquet")
    return OutputFolder(root)


def _joined(files: Sequence[Path], schema: pa.Schema, to: Path) -> None:
    tables = [pa.ipc.open_file(file).read_all().select(schema.names) for file in files]
    pq.write_table(pa.concat_tables(tables).cast(schema), to)


def rows_of(folder: OutputFolder) -> list[dict[str, Any]]:
    """All rows of an output."""
    return pq.read_table(str(folder.path / "data/made/train-0.parquet")).to_pylist()
