"""Quirks of Kvasir-Capsule's tables, one test each, and the real split files."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms.readers.kvasir_capsule.reader import Reader

EXAM = "0123456789abcdef"
HEADER = "filename;video_id;frame_number;finding_category;finding_class;x1;y1;x2;y2;x3;y3;x4;y4"


def read(root: Path, *rows: str, name: str = "metadata.csv", **more: object) -> VideoEvidence:
    """Write rows below the real header and read the examination."""
    header = HEADER if name == "metadata.csv" else "filename,label"
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("\n".join([header, *rows]) + "\n")
    evidence = Reader(root, **more).read(EXAM)  # type: ignore[arg-type]
    assert all(books.balanced for books in evidence.books)
    return evidence


def row(frame: int, label: str, corners: str = ";;;;;;", category: str = "Luminal") -> str:
    return f"{EXAM}_{frame}.jpg;{EXAM};{frame};{category};{label};{corners}"


def test_rows_without_a_box_are_one_field_short(tmp_path: Path) -> None:
    line = row(7, "Ulcer")
    assert line.count(";") == HEADER.count(";") - 1
    table = read(tmp_path, line, line + ";", row(8, "Ulcer")).regions["finding"]
    assert table.frames.tolist() == [7, 8]
    assert np.isnan(table.box_xyxy).all()


def test_a_row_two_fields_short_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceBroken, match=r"metadata\.csv has a malformed line"):
        read(tmp_path, row(7, "Ulcer")[:-1])


def test_the_box_is_the_smallest_around_the_four_corners(tmp_path: Path) -> None:
    table = read(tmp_path, row(7, "Ulcer", "84;21;168;42;160;210;42;200")).regions["finding"]
    assert table.box_xyxy.tolist() == [[42 / 336, 21 / 336, 168 / 336, 210 / 336]]


def test_pictures_of_both_suffixes_are_accepted(tmp_path: Path) -> None:
    png = row(8, "Ulcer").replace(".jpg", ".png")
    assert read(tmp_path, row(7, "Ulcer"), png).regions["finding"].frames.tolist() == [7, 8]


def test_the_file_name_must_name_the_frame_of_the_columns(tmp_path: Path) -> None:
    found = read(tmp_path, row(7, "Ulcer").replace("_7", "_9"), row(8, "Ulcer"))
    assert [(e.code, e.where) for e in found.rejected] == [(Code.BAD_FRAME, "metadata.csv:2")]


def test_a_frame_may_show_two_things(tmp_path: Path) -> None:
    found = read(tmp_path, row(7, "Erosion"), row(7, "Pylorus", category="Anatomy"))
    assert {kind: table.frames.tolist() for kind, table in found.regions.items()} == {
        "finding": [7],
        "landmark": [7],
    }
    assert not found.rejected


def test_normal_mucosa_shows_no_finding_and_a_reduced_view_says_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, row(7, "Normal clean mucosa"), row(9, "Reduced mucosal view"))
    assert found.regions["finding"].frames.tolist() == [7]
    assert not found.regions["finding"].sample.size
    assert [(s.kind, s.label, s.start_us) for s in found.spans] == [
        ("condition", "normal_mucosa", 7_000_000),
        ("condition", "reduced_mucosal_view", 9_000_000),
    ]


def test_labels_break_where_a_frame_is_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, *(row(frame, "Pylorus") for frame in (4, 5, 6, 8, 9)))
    assert [(s.start_us, s.end_us, s.pointer) for s in found.spans] == [
        (4_000_000, 7_000_000, "metadata.csv:2 to metadata.csv:4"),
        (8_000_000, 10_000_000, "metadata.csv:5 to metadata.csv:6"),
    ]


def test_without_film_only_the_order_is_known_unless_a_rate_is_given(tmp_path: Path) -> None:
    found = read(tmp_path, row(12, "Polyp"))
    assert (found.video.clock, found.video.fps) == (Clock.ORDER, 1)
    timed = read(tmp_path, row(12, "Polyp"), rate=Fraction(4))
    assert timed.video.clock == Clock.TIME
    assert timed.regions["finding"].instants_us.tolist() == [3_000_000]


def test_a_film_tells_rate_length_and_size(tmp_path: Path, films) -> None:
    (tmp_path / "labelled_videos").mkdir()
    films.film(tmp_path / "labelled_videos" / f"{EXAM}.mp4", 1, 2.0)
    found = read(tmp_path, row(7, "Polyp", "0;0;32;0;32;24;0;24"), row(10**6, "Polyp"))
    video = found.video
    assert (video.clock, video.media.kind) == (Clock.TIME, MediaKind.VIDEO)
    assert video.fps > 1 and 1_900_000 <= video.duration_us <= 2_100_000
    expected = [0, 0, 32 / video.media.width, 24 / video.media.height]
    assert found.regions["finding"].box_xyxy.tolist() == [expected]
    assert [e.code for e in found.rejected] == [Code.BAD_TIME]


def test_the_split_files_spell_classes_in_another_way(tmp_path: Path) -> None:
    name = "official_splits/split_1.csv"
    found = read(tmp_path, f"{EXAM}_3.jpg,Blood", f"{EXAM}_4.jpg,Ileo-cecal valve", name=name)
    assert {s.label for s in found.spans} == {"fresh_blood", "ileocaecal_valve"}
    assert not found.rejected


@pytest.fixture(scope="module")
def real(real_dataset) -> Path:
    return real_dataset("kvasir-capsule")


@pytest.fixture(scope="module")
def evidence(real: Path) -> list[VideoEvidence]:
    reader = Reader(real)
    return [reader.read(video) for video in reader.videos()]


def test_the_real_split_files_are_read_row_by_row(
    real: Path, evidence: list[VideoEvidence]
) -> None:
    assert tuple(e.video.video_id for e in evidence) == Reader(real).files.video_ids
    rows: Counter[str] = Counter()
    for fold in (0, 1):
        with (real / f"official_splits/split_{fold}.csv").open() as file:
            rows.update(line["label"] for line in csv.DictReader(file))
    assert sum(rows.values()) == 23_061 + 24_100
    assert (
        sum(e.books[0].read for e in evidence) == sum(e.books[0].kept for e in evidence) == 47_161
    )
    assert not any(e.rejected for e in evidence)
    for spelling, kind, concept in (
        ("Angiectasia", "finding", "angiectasia"),
        ("Blood", "finding", "fresh_blood"),
        ("Foreign Bodies", "finding", "foreign_body"),
        ("Erythematous", "finding", "erythema"),
        ("Ulcer", "finding", "ulcer"),
        ("Pylorus", "landmark", "pylorus"),
        ("Ileo-cecal valve", "landmark", "ileocaecal_valve"),
    ):
        tables = [e.regions[kind] for e in evidence if kind in e.regions]
        found = sum(int((t.label == t.labels.index(concept)).sum()) for t in tables)
        assert found == rows[spelling], spelling
    normal = sum(s.end_us - s.start_us for e in evidence for s in e.spans
                 if s.label == "normal_mucosa")  # fmt: skip
    assert normal == rows["Normal"] * 1_000_000


def test_eight_real_frames_show_erosion_and_pylorus(evidence: list[VideoEvidence]) -> None:
    both = 0
    for found in evidence:
        if {"finding", "landmark"} <= set(found.regions):
            seen = [{int(t.frames[i]) for i in t.sample} for t in found.regions.values()]
            both += len(seen[0] & seen[1])
    assert both == 8
