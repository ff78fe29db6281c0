"""``--as lmms-eval``: a folder with tasks for lmms-eval, which must be started in this folder."""

from __future__ import annotations

from pathlib import Path

import orjson

from surgqa.transforms.exports.evaluating import DOCS
from surgqa.transforms.exports.taskfolder import Headlines, own_name, task_format, write_task


def write_files(to: Path, headlines: Headlines) -> None:
    """Write a YAML file and the questions of each benchmark, and a module with functions."""
    write_task(to, headlines, "lmms_eval")
    with (to / DOCS).open("rb") as lines:
        docs = [(orjson.loads(line)["benchmark"], line) for line in lines]
    for benchmark in headlines:
        mine = b"".join(line for name, line in docs if name == benchmark)
        (to / f"docs-{own_name(benchmark)}.jsonl").write_bytes(mine)


FORMAT = task_format("lmms-eval", "tasks for lmms-eval, scored by surgqa", write_files)
