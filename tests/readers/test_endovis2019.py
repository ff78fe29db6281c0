"""EndoVis2019 is HeiChole under another name: whatever one reads, the other does."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from surgqa.transforms import registry

Reader = registry.load_reader("endovis2019")


def test_it_is_read_as_heichole_and_shares_its_surgeries(tmp_path: Path) -> None:
    registry.load_sample("heichole")(tmp_path)
    for path in sorted(tmp_path.rglob("Hei-Chole1_*")):  # a third video, at 50 frames a second
        shutil.copy(path, path.with_name(path.name.replace("Chole1_", "Chole16_")))
    mine, other = Reader(tmp_path), registry.load_reader("heichole")(tmp_path)
    assert mine.videos() == other.videos() == ["Hei-Chole1", "Hei-Chole16", "Hei-Chole2"]
    for video in mine.videos():
        one, two = mine.read(video), other.read(video)
        assert replace(one.video, dataset="heichole") == two.video
        assert (one.instruments, one.spans, one.labels) == (two.instruments, two.spans, two.labels)
        assert one.video.split_group == f"heichole/{int(video[9:]):02d}"


def test_its_card_says_that_the_reading_is_ours() -> None:
    assert any("our reading" in note for note in registry.card("endovis2019").notes)
