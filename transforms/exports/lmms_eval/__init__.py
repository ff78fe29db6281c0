"""``--as lmms-eval``: a folder with tasks for lmms-eval, which must be started in this folder."""

from __future__ import annotations

import re
from pathlib import Path

import orjson

from surgqa.transforms.exports.evaluating import DOCS
from surgqa.transforms.exports.lm_eval import METRIC
from surgqa.transforms.exports.taskfolder import Headlines, module_text, task_format

YAML = """\
# lmms-eval reads the paths of data_files from the folder in which it is started: this one.
task: surgqa_{own}
dataset_path: json
dataset_kwargs:
  data_files:
    test: docs-{own}.jsonl
test_split: test
output_type: generate_until
doc_to_visual: !function surgqa_task.visuals
doc_to_text: !function surgqa_task.text
doc_to_messages: !function surgqa_task.chat
doc_to_target: !function surgqa_task.target
generation_kwargs:
  max_new_tokens: 512
  temperature: 0
  do_sample: false
process_results: !function surgqa_task.results
metric_list:
{metrics}metadata:
  - version: 1
"""


def write_files(to: Path, headlines: Headlines) -> None:
    """Write a YAML file and the questions of each benchmark, and a module with functions."""
    (to / "surgqa_task.py").write_text(module_text(headlines), encoding="utf-8")
    with (to / DOCS).open("rb") as lines:
        docs = [(orjson.loads(line)["benchmark"], line) for line in lines]
    for benchmark, names in headlines.items():
        own = re.sub(r"\W+", "_", benchmark)
        mine = b"".join(line for name, line in docs if name == benchmark)
        (to / f"docs-{own}.jsonl").write_bytes(mine)
        metrics = "".join(METRIC.format(name=name) for name in names)
        (to / f"surgqa_{own}.yaml").write_text(YAML.format(own=own, metrics=metrics), "utf-8")


FORMAT = task_format("lmms-eval", "tasks for lmms-eval, scored by surgqa", write_files)
