"""Records by frame: what is parsed at once and what is parsed record by record are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from surgqa.transforms import registry
from surgqa.transforms.readers.base.frame_bulk import Bulk


@pytest.mark.parametrize("name", ["cholect50", "cholectrack20"])
def test_a_file_read_record_by_record_is_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.load_sample(name)(tmp_path)
    reader = registry.load_reader(name)(tmp_path)
    videos = reader.found()
    at_once, parse = [reader.read(video) for video in videos], Bulk.__init__
    some = [False]

    def one_by_one(bulk, parser, entries):
        parse(bulk, parser, entries)
        some.append(bulk.damaged.size < len(entries))
        bulk.damaged = np.arange(len(entries))

    monkeypatch.setattr(Bulk, "__init__", one_by_one)
    assert all(reader.read(v) == e for v, e in zip(videos, at_once, strict=True))
    assert any(some), "no frame was parsed at once"
