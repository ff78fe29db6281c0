"""``--as inspect``: a task for the evaluation framework Inspect."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from surgqa.transforms.exports.taskfolder import Headlines, task_format


def write_files(to: Path, headlines: Headlines) -> None:
    """Write ``surgqa_inspect.py``: a task for each benchmark."""
    text = resources.files(__name__).joinpath("task.py.txt").read_text("utf-8")
    names = {benchmark: sorted(mine.values()) for benchmark, mine in headlines.items()}
    (to / "surgqa_inspect.py").write_text(text.replace("HEADLINES = {}", f"HEADLINES = {names!r}"),
                                          encoding="utf-8")  # fmt: skip


FORMAT = task_format("inspect", "a task file for Inspect, scored by surgqa", write_files)
