"""A question of one's own: a file dropped into the folder, and nothing else edited."""

from __future__ import annotations

import shutil
from pathlib import Path

from surgqa.pipeline.preview import preview
from surgqa.transforms.checks import check_output
from surgqa.transforms.language import templates_folder
from surgqa.transforms.language.load import parse_folder
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.store import OutputFolder
from tests.transforms.scoring.grouped import first

from .conftest import run

TEMPLATE = """\
schema: question/v1
id: surgstu.hook_in_left_half
version: 1
title: Whether a class of instruments is in view at a moment, asked another way
benchmark: surgstu
task: existence/existence_local_inst
unit: clip
let:
  kind: {each: {labels: instrument}}
  moment: {each: instant}
  there: {exists: instrument, label: kind, at: moment}
  ever: {exists: instrument, label: kind}
draw: {even: [answer], prefer: [ever]}
answer: there
ask:
  - With the film stopped at {{ moment | clock }}, {{ kind | is }} {{ kind | any }} in the picture?
  - Would a viewer who stops at {{ moment | clock }} see {{ kind | any }}?
  - At {{ moment | clock }}, does the picture show {{ kind | any }}?
  - Does the picture at {{ moment | clock }} show {{ kind | any }}?
"""


def test_dropped_file_is_linted_previewed_built_checked_and_scored(
    sample_root: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "templates"
    shutil.copytree(templates_folder(), folder)
    file = folder / "surgstu" / "hook_in_left_half.yaml"
    file.write_text(TEMPLATE, encoding="utf-8")

    assert not [one for one in parse_folder(folder)[1] if file.name in one.path]
    shown = preview(str(file), "cholect50", 20)
    assert "stopped at" in shown or "stops at" in shown
    out = tmp_path / "out"
    run(sample_root, out, templates=folder, only=["surgstu.hook_in_left_half"])
    rows = list(OutputFolder(out).rows())
    assert len(rows) > 4
    assert {row["answer_key"] for row in rows} == {"A", "B"}
    assert check_output(out).differences == 0
    gold = {(row["item_id"], None): row["answer"] for row in OutputFolder(out).rows()}
    report = score_dataset(OutputFolder(out).rows(), gold)
    assert first(report.groups, kind="template", name="surgstu.hook_in_left_half").score == 1.0
