"""The tables of evidence and the videos in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.checks.tables import evidence_file, headers
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
