"""Quirks of Colonoscopic-web's names and lists, one test each, and the real lists."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms.readers.colonoscopic_web.reader import Reader
from surgqa.transforms.samples.pictures import film


def put(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(film(10, 25))
    return root


def read_all(root: Path) -> list[VideoEvidence]:
    reader = Reader(root)
    found = [reader.read(video) for video in reader.videos()]
    assert all(books.balanced for e in found for books in e.books)
    return found


def said(evidence: VideoEvidence) -> list[str]:
    return [label.label for label in evidence.labels]


def test_a_name_without_bracket_is_lesion_0(tmp_path: Path) -> None:
    found = read_all(put(tmp_path, "Hyperplasic/NBI.mp4", "Hyperplasic/WL.mp4"))
    assert {e.video.split_group for e in found} == {"colonoscopic_web/lesion00"}
    assert sorted(map(said, found)) == [
        ["narrow_band_imaging", "hyperplastic_lesion"],
        ["white_light", "hyperplastic_lesion"],
    ]


def test_two_lights_of_a_lesion_stay_together(tmp_path: Path) -> None:
    put(tmp_path, "Adenoma/WL(36).mp4", "Adenoma/NBI(36).mp4", "Adenoma/WL(37).mp4")
    groups = Counter(e.video.split_group for e in read_all(tmp_path))
    assert groups == {"colonoscopic_web/lesion36": 2, "colonoscopic_web/lesion37": 1}


def test_ids_tell_neither_class_nor_light(tmp_path: Path) -> None:
    for found in read_all(put(tmp_path, "Adenoma/WL(36).mp4", "Serrated/NBI(21).mp4")):
        key = found.video.key.removeprefix("colonoscopic_web/").lower()
        assert not [word for word in ("wl", "nbi", "adenoma", "serrated") if word in key]


def test_the_films_own_container_tells_its_length(tmp_path: Path) -> None:
    (found,) = read_all(put(tmp_path, "Serrated/WL(21).mp4"))
    assert (found.video.clock, found.video.media.kind) == (Clock.TIME, MediaKind.VIDEO)
    assert (found.video.fps, found.video.duration_us) == (25, 400_000)
    assert [source.path for source in found.video.sources] == ["Serrated/WL(21).mp4"]


def test_films_with_other_names_have_a_class_and_no_light(tmp_path: Path) -> None:
    (found,) = read_all(put(tmp_path, "Serrated/case 12 a.avi"))
    assert said(found) == ["serrated_lesion"]
    assert found.video.split_group == f"colonoscopic_web/{found.video.video_id}"
    assert not found.rejected


def test_other_folders_are_no_classes(tmp_path: Path) -> None:
    put(tmp_path, "Adenoma/WL(36).mp4", "Normal/WL(80).mp4", "Adenoma/notes.txt")
    assert len(read_all(tmp_path)) == 1


def test_a_list_that_contradicts_itself_is_noted(tmp_path: Path) -> None:
    (tmp_path / "splits").mkdir()
    (tmp_path / "splits/val.csv").write_text(
        "__DATA_ROOT__/Colonoscopic-web/Adenoma/WL(36).mp4 2\n"
        "__DATA_ROOT__/Colonoscopic-web/Adenoma/WL(37).mp4 0\n"
    )
    rejected = [(e.code, e.where) for found in read_all(tmp_path) for e in found.rejected]
    assert rejected == [(Code.CONTRADICTION, "splits/val.csv:1")]


def test_a_list_of_something_else_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "splits").mkdir()
    (tmp_path / "splits/val.csv").write_text("WL(36).mp4 0\n")
    with pytest.raises(SourceBroken, match="belongs to no video"):
        Reader(tmp_path).videos()


def test_a_film_that_went_away_is_named(tmp_path: Path) -> None:
    reader = Reader(put(tmp_path, "Adenoma/WL(36).mp4"))
    (video,) = reader.videos()
    (tmp_path / "Adenoma/WL(36).mp4").unlink()
    with pytest.raises(SourceMissing, match=r"Adenoma/WL\(36\)\.mp4 is missing"):
        reader.read(video)


def test_a_changed_film_is_noticed(tmp_path: Path) -> None:
    reader = Reader(put(tmp_path, "Adenoma/WL(36).mp4"))
    reader.read(reader.videos()[0])
    assert Reader(tmp_path).unchanged(reader.seen)
    (tmp_path / "Adenoma/WL(36).mp4").write_bytes(film(11, 25))
    assert not Reader(tmp_path).unchanged(reader.seen)


def test_the_real_lists_name_all_152_films(real_dataset) -> None:
    root = real_dataset("colonoscopic-web")
    lines = [line for part in ("train", "val", "test")
             for line in (root / f"splits/{part}.csv").read_text().split("\n") if line]  # fmt: skip
    folders = Counter(line.split("/")[2] for line in lines)
    assert folders == {"Adenoma": 80, "Hyperplasic": 42, "Serrated": 30}
    found = read_all(root)
    assert tuple(e.video.video_id for e in found) == Reader(root).files.video_ids
    assert Counter(label for e in found for label in said(e)) == {
        "adenoma": 80, "hyperplastic_lesion": 42, "serrated_lesion": 30,
        "white_light": 76, "narrow_band_imaging": 76,
    }  # fmt: skip
    assert Counter(Counter(e.video.split_group for e in found).values()) == {2: 76}
    assert not any(e.rejected for e in found)
    assert len(Reader(root).missing()) == 152
