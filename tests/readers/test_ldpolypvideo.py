"""Quirks of LDPolypVideo's files, one test each."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.errors import SourceMissing
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms.readers.ldpolypvideo.reader import Reader
from surgqa.transforms.samples.pictures import HEIGHT, WIDTH, film, jpeg


def note(root: Path, name: str, text: str, top: str = "TrainValid") -> None:
    path = root / top / "Annotations" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def read(root: Path, video: str = "trainvalid-007", **more: Fraction) -> VideoEvidence:
    evidence = Reader(root, **more).read(video)
    assert all(books.balanced for books in evidence.books)
    return evidence


def boxes(evidence: VideoEvidence) -> list[list[float]]:
    return evidence.regions["finding"].box_xyxy.tolist()


def test_zero_means_that_there_is_no_polyp(tmp_path: Path) -> None:
    note(tmp_path, "7/3.txt", "0\n")
    note(tmp_path, "7/4.txt", "1\n56 48 280 240\n")
    table = read(tmp_path).regions["finding"]
    assert table.frames.tolist() == [3, 4]
    assert table.sample.tolist() == [1]
    assert table.box_xyxy.tolist() == [[0.1, 0.1, 0.5, 0.5]]


def test_a_frame_without_annotation_is_unknown_and_missing(tmp_path: Path) -> None:
    note(tmp_path, "7/3.txt", "0\n")
    pictures = tmp_path / "TrainValid/Images/7"
    pictures.mkdir(parents=True)
    for frame in (3, 4):
        (pictures / f"{frame}.jpg").write_bytes(jpeg(np.zeros((HEIGHT, WIDTH, 3), np.uint8)))
    found = read(tmp_path)
    assert found.regions["finding"].frames.tolist() == [3]
    assert "TrainValid/Annotations/7/4.txt" in Reader(tmp_path).missing()
    media = found.video.media
    assert (media.kind, media.width, media.height) == (MediaKind.FRAMES, WIDTH, HEIGHT)


def test_frames_and_folders_are_sorted_as_numbers(tmp_path: Path) -> None:
    for frame in (10, 9, 100):
        note(tmp_path, f"7/{frame}.txt", "0\n")
    note(tmp_path, "12/1.txt", "0\n")
    assert Reader(tmp_path).videos() == ["trainvalid-007", "trainvalid-012"]
    assert read(tmp_path).regions["finding"].frames.tolist() == [9, 10, 100]


def test_the_frame_is_the_last_number_of_a_name(tmp_path: Path) -> None:
    note(tmp_path, "7/7_2_31.txt", "0\n")
    assert read(tmp_path).regions["finding"].frames.tolist() == [31]


def test_the_first_part_may_be_called_train(tmp_path: Path) -> None:
    note(tmp_path, "7/1.txt", "0\n", top="Train")
    note(tmp_path, "7/1.txt", "0\n", top="Test")
    assert Reader(tmp_path).videos() == ["test-007", "trainvalid-007"]


def test_only_the_order_is_known_unless_a_rate_is_given(tmp_path: Path) -> None:
    note(tmp_path, "7/50.txt", "0\n")
    assert read(tmp_path).video.clock == Clock.ORDER
    timed = read(tmp_path, rate=Fraction(25))
    assert timed.video.clock == Clock.TIME
    assert timed.regions["finding"].instants_us.tolist() == [2_000_000]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2\n1 1 50 50\n", Code.CONTRADICTION),
        ("0\n1 1 50 50\n", Code.CONTRADICTION),
        ("1 1 50 50\n", Code.BAD_ROW),
        ("", Code.BAD_ROW),
        ("one\n1 1 50 50\n", Code.BAD_ROW),
    ],
)
def test_a_count_that_is_wrong_spoils_the_frame(tmp_path: Path, text: str, code: Code) -> None:
    note(tmp_path, "7/1.txt", "0\n")
    note(tmp_path, "7/2.txt", text)
    found = read(tmp_path)
    assert [(e.code, e.where) for e in found.rejected] == [
        (code, "TrainValid/Annotations/7/2.txt:1")
    ]
    assert found.regions["finding"].frames.tolist() == [1]
    assert (found.books[0].read, found.books[0].kept) == (2, 1)


@pytest.mark.parametrize("line", ["50 10 20 30", "1 2 3", "1 2 3 4 5", "a b c d", "10 10 10 20"])
def test_a_box_that_is_none_leaves_a_polyp_without_box(tmp_path: Path, line: str) -> None:
    note(tmp_path, "7/2.txt", f"2\n56 48 280 240\n{line}\n")
    found = read(tmp_path)
    assert np.isnan(boxes(found)).all(axis=1).tolist() == [False, True]
    assert [(e.code, e.outcome) for e in found.rejected] == [(Code.BAD_BOX, "repaired")]
    assert found.rejected[0].where.endswith("2.txt:3")


def test_two_files_of_one_frame(tmp_path: Path) -> None:
    note(tmp_path, "7/2.txt", "0\n")
    note(tmp_path, "7/b_2.txt", "0\n")
    assert [e.code for e in read(tmp_path).rejected] == [Code.DUPLICATE_FRAME]


@pytest.mark.parametrize(("path", "value"), [
    ("videos_with_polyps/1_3.avi", 1.0), ("videos_without_polyps/0_3.mp4", 0.0),
])  # fmt: skip
def test_a_long_film_has_a_polyp_or_not_and_its_id_does_not_tell(
    tmp_path: Path, path: str, value: float
) -> None:
    (tmp_path / path).parent.mkdir()
    (tmp_path / path).write_bytes(film(10, 25))
    (video,) = Reader(tmp_path).videos()
    found = read(tmp_path, video)
    assert [(label.label, label.value) for label in found.labels] == [("polyp", value)]
    assert (found.video.clock, found.video.duration_us) == (Clock.TIME, 400_000)
    assert "polyp" not in video and not video.startswith(("1", "0"))
    stem = path.rpartition(".")[0]
    assert f"{stem}.avi" not in Reader(tmp_path).missing()
    assert len(Reader(tmp_path).missing()) == 102


def test_a_film_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "videos_with_polyps").mkdir()
    path = tmp_path / "videos_with_polyps/1_42.avi"
    path.write_bytes(film(5, 25))
    (video,) = Reader(tmp_path).videos()
    path.unlink()
    with pytest.raises(SourceMissing, match=r"videos_with_polyps/1_42\.avi is missing"):
        read(tmp_path, video)


def test_a_sequence_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="Test/Annotations/20/1"):
        read(tmp_path, "test-020")
