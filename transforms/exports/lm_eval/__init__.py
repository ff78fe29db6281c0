"""``--as lm-eval``: a folder with tasks for the evaluation framework lm-evaluation-harness."""

from __future__ import annotations

import re
from pathlib import Path

from surgqa.transforms.exports.taskfolder import Headlines, module_text, task_format

YAML = """\
task: surgqa_{own}
custom_dataset: !function surgqa_task.dataset_{own}
test_split: test
output_type: generate_until
doc_to_text: !function surgqa_task.{text}
doc_to_target: !function surgqa_task.target
{images}generation_kwargs:
  until: []
  do_sample: false
  max_gen_toks: 512
process_results: !function surgqa_task.results
metric_list:
{metrics}metadata:
  version: 1
"""
METRIC = """\
  - metric: {name}
    aggregation: !function surgqa_task.{name}
    higher_is_better: true
"""


def write_files(to: Path, headlines: Headlines) -> None:
    """Write ``surgqa_<benchmark>.yaml`` for each benchmark, and a module with their functions."""
    (to / "surgqa_task.py").write_text(module_text(headlines, datasets=True), encoding="utf-8")
    shown = (to / "media").is_dir()
    images = "doc_to_image: !function surgqa_task.images\n" if shown else ""
    for benchmark, names in headlines.items():
        own = re.sub(r"\W+", "_", benchmark)
        metrics = "".join(METRIC.format(name=name) for name in names)
        text = YAML.format(own=own, text="tagged" if shown else "text", images=images,
                           metrics=metrics)  # fmt: skip
        (to / f"surgqa_{own}.yaml").write_text(text, encoding="utf-8")


FORMAT = task_format(
    "lm-eval", "tasks for lm-evaluation-harness, scored by surgqa", write_files, ("frames", "none")
)
