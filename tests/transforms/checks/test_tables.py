"""The tables of evidence and the videos in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.checks.tables import evidence_file, headers, require_order
from tests.transforms.checks.world import evidence_of

KEYS = [("d", "a"), ("d", "b"), ("e", "a")]


def test_headers_are_sorted(tmp_path: Path):
    out = evidence_of(tmp_path, videos=[{"dataset": d, "video_id": v} for d, v in KEYS[::-1]])
    assert list(headers(out)) == KEYS


def test_a_table_may_not_be_missing(tmp_path: Path):
    out = evidence_of(tmp_path)
    (tmp_path / "evidence/tracks.parquet").unlink()
    with pytest.raises(OutputBroken):
        evidence_file(out, "tracks")


@pytest.mark.parametrize(
    "keys", [(KEYS[1], KEYS[0]), (KEYS[2], KEYS[0]), (KEYS[0], KEYS[1], KEYS[0])]
)
def test_videos_out_of_order(tmp_path: Path, keys: list[tuple[str, str]]):
    out = evidence_of(tmp_path, tracks=[{"dataset": d, "video_id": v} for d, v in keys])
    with pytest.raises(OutputBroken) as caught:
        require_order(out, "tracks")
    last = [key for key in keys if key != KEYS[0]][-1]
    assert caught.value.found == f"d/a after {'/'.join(last)}"


def test_videos_in_order(tmp_path: Path):
    rows = [{"dataset": d, "video_id": v} for d, v in (KEYS[0], *KEYS)]
    require_order(evidence_of(tmp_path, tracks=rows), "tracks")
