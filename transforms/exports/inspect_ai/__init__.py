"""``--as inspect``: a task for the evaluation framework Inspect."""

from __future__ import annotations

from pathlib import Path

from surgqa.transforms.exports.taskfolder import Headlines, shipped, task_format


def write_files(to: Path, headlines: Headlines) -> None:
    """Write ``surgqa_inspect.py``: a task for each benchmark."""
    text = shipped("inspect_ai", "task.py.txt")
    names = {benchmark: sorted(mine.values()) for benchmark, mine in headlines.items()}
    (to / "surgqa_inspect.py").write_text(text.replace("HEADLINES = {}", f"HEADLINES = {names!r}"),
                                          encoding="utf-8")  # fmt: skip


FORMAT = task_format("inspect", "a task file for Inspect, scored by surgqa", write_files)
