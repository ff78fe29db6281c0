"""Overlays of an export: which boxes, when, from where the clock counts; plain files stay."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.rows import VIDEOS
from surgqa.pipeline.cli.app import run
from surgqa.transforms.exports.shots import Overlays
from surgqa.transforms.store import OutputFolder
from tests.transforms.exports.talked import S, write_media, write_output
from tests.transforms.exports.test_marked import write_evidence


@pytest.fixture
def desk(tmp_path):
    write_output(tmp_path / "out")
    videos = pq.read_table(tmp_path / "out" / "evidence" / "videos.parquet")
    write_evidence(tmp_path / "out")
    path = tmp_path / "out" / "evidence" / "videos.parquet"
    pq.write_table(pa.Table.from_pylist(videos.to_pylist(), VIDEOS), path)
    write_media(tmp_path / "root")
    return tmp_path


def test_boxes_stand_for_half_a_period_on_either_side(desk):
    asked = {"dataset": "made", "labels": {"video_id": "v1"}, "zero_us": S}
    overlays = Overlays(OutputFolder(desk / "out"))
    found = overlays.of(asked, 0, 4 * S)
    assert found.zero_us == S
    assert [(one.start_us, one.end_us, one.label) for one in found.marks] == [
        (1_500_000, 2_500_000, "hook")
    ]
    assert len(overlays.of(asked, 0, 10 * S).marks) == 2
    assert overlays.of(asked, 2_500_000, 4_500_000).marks == ()


def test_an_export_with_overlays_cuts_other_files(desk):
    line = ["export", str(desk / "out"), "--as", "messages", "--media", "frames", "--size", "64",
            "--root", f"made={desk / 'root'}"]  # fmt: skip
    assert run([*line, "--to", str(desk / "plain")]) == 0
    assert run([*line, "--to", str(desk / "drawn"), "--overlay"]) == 0
    plain, drawn = (
        {path.name: path.read_bytes() for path in (desk / name / "media").rglob("*.jpg")}
        for name in ("plain", "drawn")
    )
    assert len(plain) <= len(drawn) and not set(plain) & set(drawn)
    assert not set(plain.values()) & set(drawn.values())
    told = json.loads((desk / "drawn" / "export.json").read_bytes())
    assert told["overlay"] is True
    assert run([*line, "--to", str(desk / "again")]) == 0
    again = {path.name: path.read_bytes() for path in (desk / "again" / "media").rglob("*.jpg")}
    assert again == plain
