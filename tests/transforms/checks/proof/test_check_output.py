"""``check`` of an output sends each row to the rules that it was made by."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.transforms.checks.proof.outputs import built, rows_of, shipped
from transforms.checks.run import check_output
from transforms.store.folder import OutputFolder

OF_THE_FOLDER = {
    "manifest_digest", "manifest_items", "file_unlisted", "shard_misplaced", "shard_order",
}  # fmt: skip
"""What is not as a build leaves it: the small output has one shard and no manifest."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> OutputFolder:
    files = [file for file in shipped("surgstu") if file.stem in ("classes", "locate")]
    return built(tmp_path_factory.mktemp("built"), "cholect50", files)


def test_rows_are_counted_by_the_rule_that_proves_them(folder: OutputFolder):
    report = check_output(str(folder.path))
    assert set(report.counts) <= OF_THE_FOLDER
    assert sum(report.recomputed.values()) == report.items == len(rows_of(folder))
    assert set(report.recomputed) == {"set", "box"}


def test_the_first_rows_alone_can_be_proved(folder: OutputFolder):
    report = check_output(str(folder.path), limit=2)
    assert sum(report.recomputed.values()) == 2


def test_a_template_that_is_not_kept_leaves_its_items_unproved(
    folder: OutputFolder, tmp_path: Path
):
    other = tmp_path / "out"
    shutil.copytree(str(folder.path), other)
    (other / "templates" / "surgstu" / "locate.yaml").unlink()
    report = check_output(str(other))
    rows = [row for row in rows_of(folder) if row["template_id"] == "surgstu.locate"]
    assert report.counts["template_missing"] == len(rows)
    assert set(report.recomputed) == {"set"}
