"""``--as vlmevalkit``: a table of questions for VLMEvalKit, and a class to ask and score them."""

from __future__ import annotations

import csv
import io
import json
from importlib import resources
from pathlib import Path

from surgqa.transforms.exports.evaluating import EvaluationTask
from surgqa.transforms.exports.taskfolder import Headlines, task_format

COLUMNS = ("index", "question", "answer", "image_path", "video_path", "item_id", "round_index",
           "benchmark")  # fmt: skip


def write_files(to: Path, _headlines: Headlines) -> None:
    """Write ``surgqa.tsv``, whose paths are relative, and the class."""
    task, sink = EvaluationTask(to), io.StringIO(newline="")
    lines = csv.DictWriter(sink, COLUMNS, delimiter="\t", lineterminator="\n")
    lines.writeheader()
    for doc in task.docs():
        paths = {
            kind: [part["text"] for part in doc["parts"] if part["kind"] == kind]
            for kind in ("image", "video")
        }
        lines.writerow({
            "index": doc["id"], "question": task.text(doc), "answer": doc["answer"],
            **{f"{kind}_path": json.dumps(mine) for kind, mine in paths.items()},
            "item_id": doc["item_id"], "round_index": doc["round_index"],
            "benchmark": doc["benchmark"],
        })  # fmt: skip
    (to / "surgqa.tsv").write_text(sink.getvalue(), encoding="utf-8")
    (to / "surgqa_dataset.py").write_text(
        resources.files(__name__).joinpath("dataset.py.txt").read_text("utf-8"), "utf-8"
    )


FORMAT = task_format("vlmevalkit", "a table and a dataset class for VLMEvalKit", write_files)
