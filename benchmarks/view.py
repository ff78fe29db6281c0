"""Measure how long the viewer's page takes to answer over many items, and its server's memory.

    python -m benchmarks.view OUT [--items 1000000]

The rows of OUT are repeated with varying windows, questions and answers.  Printed are the wall time
and the processor time in seconds, and the peak of memory so far.
"""

from __future__ import annotations

import argparse
import re
import resource
import tempfile
import time
from collections.abc import Sequence
from hashlib import md5
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view import Api, Database

SHARD = 50_000
VIDEOS, HOUR_US, WINDOW_US = 50, 3_600_000_000, 30_000_000
ASKED = {
    "first page": [("items", {}), ("facets", {})],
    "filter": [("items", {"form": ["choice"]}), ("facets", {"form": ["choice"]})],
    "search, many found": [("items", {"q": ["grasper"]}), ("facets", {"q": ["grasper"]})],
    "search, few found": [("items", {"q": ["1234.56"]}), ("facets", {"q": ["1234.56"]})],
    "search, none found": [("items", {"q": ["nowhere"]}), ("facets", {"q": ["nowhere"]})],
    "answers": [("answers", {})],
    "overview": [("overview", {})],
}


def held_mb() -> int:
    """Return the peak memory of this process in MiB.

    ``ru_maxrss`` is not used, because on Linux it starts at the peak of the parent process.
    """
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024**2  # bytes on macOS
    return int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]) // 1024


def write(source: Path, out: Path, count: int) -> None:
    """Write an output folder with ``count`` items."""
    rows = list(OutputFolder(source).rows())
    draw = np.random.default_rng(1)
    ids = sorted(md5(str(k).encode()).hexdigest() for k in range(count))
    (out / "data" / "many").mkdir(parents=True)
    (out / "evidence").mkdir()
    for first in range(0, count, SHARD):
        made = [_row(rows, name, draw) for name in ids[first : first + SHARD]]
        shard = out / "data" / "many" / f"train-{first // SHARD:05d}.parquet"
        pq.write_table(pa.Table.from_pylist(made, schema=ITEM), shard, compression="zstd",
                       row_group_size=8192)  # fmt: skip
    for name, schema in EVIDENCE_TABLES.items():
        told = [{"dataset": rows[0]["dataset"], "video_id": f"V{k:03d}", "duration_us": HOUR_US}
                for k in range(VIDEOS)] if name == "videos" else []  # fmt: skip
        table = pa.Table.from_pylist(told, schema=schema)
        pq.write_table(table, out / "evidence" / f"{name}.parquet")
    (out / "manifest.json").write_text('{"digest": "d", "files": {}}')


def _row(rows: Sequence[dict], item_id: str, draw: np.random.Generator) -> dict:
    start, asked, said = (int(one) for one in draw.integers(0, 360_000, 3))
    row = rows[int(draw.integers(len(rows)))]
    return row | {
        "item_id": item_id, "benchmark": "many", "video_id": f"V{int(draw.integers(VIDEOS)):03d}",
        "start_us": start * 10_000, "end_us": start * 10_000 + WINDOW_US,
        "question": f"{row['question']} Asked at {asked / 100:.2f} s.",
        "answer": f"{row['answer']} ({said / 100:.2f} s)",
    }  # fmt: skip


def main() -> int:
    """Write the output, send the requests, print the results."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("out", type=Path)
    asked.add_argument("--items", type=int, default=1_000_000)
    told = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # Another process writes the data, so that its memory is not counted.
        writing = get_context("spawn").Process(
            target=write, args=(told.out, Path(folder), told.items)
        )
        writing.start()
        writing.join()
        api = Api(Database(OutputFolder(folder)))
        for name, requests in ASKED.items():
            for path, values in requests:
                wall, busy = time.perf_counter(), time.process_time()
                assert api.answer(f"api/{path}", values).status == 200
                took = time.perf_counter() - wall, time.process_time() - busy
                held = held_mb()
                print(f"{name:20} {path:9} {took[0]:5.2f} s  {took[1]:5.2f} s  {held:4} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
