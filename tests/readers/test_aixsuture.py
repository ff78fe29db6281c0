"""Quirks of AIxSuture's table, one test each, and the lengths of the real videos."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.ratings import rating
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms.readers.aixsuture.reader import Reader
from surgqa.transforms.samples.workbook import workbook
from tests.each import cases

ITEMS = ["OSATS_RESPECT", "OSATS_MOTION", "OSATS_INSTRUMENT", "OSATS_SUTURE", "OSATS_FLOW",
         "OSATS_KNOWLEDGE", "OSATS_PERFORMANCE", "OSATS_FINAL_QUALITY"]  # fmt: skip
HEAD = ["STUDENT", "GROUP", "TIME", "SUTURES", "VIDEO", "INVESTIGATOR", *ITEMS,
        "GLOBA_RATING_SCORE"]  # fmt: skip
ROW = [17, "HMD", "PRE", 2, "P54M", "A", *[2] * 8, 16]


def changed(**cells: object) -> list:
    row = list(ROW)
    for column, cell in cells.items():
        row[HEAD.index(column)] = cell
    return row


def read(
    root: Path, *rows: Sequence, head: Sequence[str] = HEAD, name: str = "OSATS.xlsx"
) -> VideoEvidence:
    (root / name).write_bytes(workbook([head, *rows]))
    evidence = Reader(root).read("P54M")
    assert all(books.balanced for books in evidence.books)
    return evidence


def said(evidence: VideoEvidence) -> dict[tuple[str, str], float | None]:
    return {(label.label, label.rater): label.value for label in evidence.labels}


def test_three_raters_are_kept_apart(tmp_path: Path) -> None:
    rows = [changed(INVESTIGATOR=rater, OSATS_FLOW=score, GLOBA_RATING_SCORE=14 + score)
            for rater, score in (("A", 1), ("B", 3), ("C", 5))]  # fmt: skip
    found = said(read(tmp_path, *rows))
    assert [found["osats_flow", rater] for rater in "ABC"] == [1, 3, 5]
    assert [found["osats_global_rating", rater] for rater in "ABC"] == [15, 17, 19]
    assert found["sutures", ""] == 2 and ("before_course", "") in found
    assert len(found) == 3 * 9 + 2


@pytest.mark.parametrize(
    ("told", "rater"),
    [
        ("A", "A"),
        ("Investigator B", "B"),
        ("INVESTIGATOR_C", "C"),
        ("nobody", ""),
        ("raterC", "C"),
        ("Rater A1", "A"),
    ],
)
def test_a_rater_is_the_letter_that_is_contained(tmp_path: Path, told: str, rater: str) -> None:
    found = read(tmp_path, changed(INVESTIGATOR=told))
    assert {label.rater for label in found.labels if label.kind == "rating"} == ({rater} - {""})
    assert bool(found.rejected) != bool(rater)


@pytest.mark.parametrize("text", ["POST", "Post-Test", "2 POST"])
def test_before_and_after_are_contained_in_a_text(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, changed(TIME=text))
    assert ("after_course", "") in said(found)


def test_an_unknown_time_is_named_and_the_ratings_stay(tmp_path: Path) -> None:
    found = read(tmp_path, changed(TIME="later"))
    assert [(e.code, e.outcome) for e in found.rejected] == [(Code.UNKNOWN_LABEL, "repaired")]
    assert "later" in found.rejected[0].reason
    assert len(found.labels) == 9 + 1


@pytest.mark.parametrize(
    "spelling", ["GLOBA_RATING_SCORE", "GLOBALRATINGSCORE", "Global Rating Score"]
)
def test_the_missing_letter_and_underscores_do_not_matter(tmp_path: Path, spelling: str) -> None:
    head = [cell.replace("FINAL_QUALITY", "FINALQUALITY") for cell in HEAD[:-1]]
    found = said(read(tmp_path, ROW, head=[*head, spelling]))
    assert found["osats_global_rating", "A"] == 16
    assert found["osats_final_quality", "A"] == 2


def test_the_challenge_table_has_neither_group_nor_time(tmp_path: Path) -> None:
    keep = [place for place, cell in enumerate(HEAD) if cell not in ("GROUP", "TIME")]
    found = read(tmp_path, [ROW[place] for place in keep], head=[HEAD[place] for place in keep],
                 name="OSATS_MICCAI_trainset.xlsx")  # fmt: skip
    assert {label.kind for label in found.labels} == {"count", "rating"}


def test_scores_may_be_written_as_floats(tmp_path: Path) -> None:
    assert said(read(tmp_path, changed(OSATS_FLOW=2.0)))["osats_flow", "A"] == 2


@pytest.mark.parametrize("score", [0, 6, 2.5, "two"])
def test_a_score_off_the_scale_is_rejected(tmp_path: Path, score: object) -> None:
    found = read(tmp_path, changed(OSATS_FLOW=score), changed(INVESTIGATOR="B"))
    assert [(e.code, e.where) for e in found.rejected] == [(Code.BAD_VALUE, "OSATS.xlsx:2")]
    assert "OSATS_FLOW" in found.rejected[0].reason


def test_a_sum_that_is_none_is_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, changed(GLOBA_RATING_SCORE=17))
    assert ("osats_global_rating", "A") not in said(found) and ("osats_flow", "A") in said(found)
    assert [(e.code, e.outcome) for e in found.rejected] == [(Code.CONTRADICTION, "repaired")]


def test_both_videos_of_a_student_share_a_split_group(tmp_path: Path) -> None:
    read(tmp_path, ROW, changed(VIDEO="A01B", TIME="POST"), changed(VIDEO="Z99Z", STUDENT=18))
    reader = Reader(tmp_path)
    groups = {video: reader.read(video).video.split_group for video in reader.videos()}
    assert groups["A01B"] == groups["P54M"] == "aixsuture/student17" != groups["Z99Z"]


def test_videos_lie_flat_or_in_a_folder_and_tell_their_length(tmp_path: Path, films) -> None:
    assert read(tmp_path, ROW).video.clock == Clock.WHOLE
    (tmp_path / "video").mkdir()
    films.film(tmp_path / "video" / "P54M.mp4", 4, 1.0)
    video = read(tmp_path, ROW).video
    assert (video.clock, video.media.kind) == (Clock.TIME, MediaKind.VIDEO)
    assert video.media.path == "video/P54M.mp4" and 900_000 <= video.duration_us <= 1_100_000


def test_a_row_without_a_video_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceBroken, match="belongs to no video"):
        read(tmp_path, ROW, changed(VIDEO=""))


@cases(
    ("score", "authors", "challenge", "thirds"),
    [
        (8, "novice", "class 0", "low"),
        (15.67, "novice", "class 0", "low"),
        (16, "intermediate", "class 1", "medium"),
        (23.99, "intermediate", "class 1", "medium"),
        (24, "proficient", "class 2", "high"),
        (32, "proficient", "class 3", "high"),
    ],
)
def test_the_sum_falls_into_the_published_classes(score, authors, challenge, thirds) -> None:
    found = [rating("osats_global_rating").buckets[grouping].word(score)
             for grouping in ("authors", "challenge", "thirds")]  # fmt: skip
    assert found == [authors, challenge, thirds]


def test_the_real_lengths_are_read(real_dataset) -> None:
    root = real_dataset("aixsuture")
    told = json.loads((root / "video_meta_full.json").read_text())
    reader = Reader(root)
    videos = {video: reader.read(video).video for video in reader.videos()}
    assert sorted(f"{video}.mp4" for video in videos) == sorted(told["files"])
    assert len(videos) == told["summary"]["count"] == 349
    lengths = [video.duration_us for video in videos.values()]
    assert min(lengths) == told["summary"]["duration_min_sec"] * 1_000_000
    assert max(lengths) == told["summary"]["duration_max_sec"] * 1_000_000
    assert abs(sum(lengths) / 349e6 - told["summary"]["duration_mean_sec"]) < 1e-6
    for video, record in videos.items():
        assert abs(float(record.fps) - told["files"][f"{video}.mp4"]["fps"]) < 1e-6
        pictures = record.fps * Fraction(record.duration_us, 1_000_000)
        assert pictures.denominator == 1, "a whole number of pictures"
    assert sum(round(float(video.fps), 3) == 29.973 for video in videos.values()) == 348


def test_a_second_row_of_a_rater_for_a_video_is_left_out(tmp_path: Path) -> None:
    evidence = read(tmp_path, ROW, changed(INVESTIGATOR="B"), changed(OSATS_FLOW=5))
    assert [(e.code, e.where) for e in evidence.rejected] == [
        (Code.DUPLICATE_FRAME, "OSATS.xlsx:4")
    ]
    assert said(evidence)["osats_flow", "A"] == 2
