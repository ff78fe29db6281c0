"""``--as lm-eval``: a folder with tasks for the evaluation framework lm-evaluation-harness."""

from __future__ import annotations

from pathlib import Path

from surgqa.transforms.exports.taskfolder import Headlines, task_format, write_task


def write_files(to: Path, headlines: Headlines) -> None:
    """Write a YAML file for each benchmark, and a module with their functions."""
    write_task(to, headlines, "lm_eval", datasets=True, shown=(to / "media").is_dir())


FORMAT = task_format(
    "lm-eval", "tasks for lm-evaluation-harness, scored by surgqa", write_files, ("frames", "none")
)
