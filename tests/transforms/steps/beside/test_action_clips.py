"""Files of action clips beside a dataset."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import Clock, Code, Media, MediaKind, Span, Video, VideoEvidence
from surgqa.transforms.steps.beside.action_clips import (
    KIND,
    check_clips,
    names_of,
    read_clips,
    with_action_clips,
)
from tests.each import cases

S = 1_000_000
TABLE = """video,start,end,action
VID01,2,9,Dissection
VID01,10,14,Vessel Clipping
VID01,15,30,cutting
VID02,0,3,Aspiration
"""


def labels(video_id: str = "VID01", seconds: int = 40, *spans: Span, **more) -> VideoEvidence:
    video = Video(
        "made", video_id, "cholecystectomy", "general", Fraction(1), S, seconds * S,
        Media(MediaKind.ABSENT), video_id, "-", "-", (), (), **more,
    )  # fmt: skip
    return VideoEvidence(video, None, spans=spans)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "clips.csv"
    path.write_text(TABLE)
    return path


def joined(evidence: VideoEvidence, path: Path) -> VideoEvidence:
    found = with_action_clips(evidence, path)
    assert all(books.balanced for books in found.books)
    assert not any(str(path.parent) in repr(one) for one in (*found.rejected, *found.spans))
    return found


def shape(evidence: VideoEvidence) -> list[tuple[str, int, int, str, str]]:
    return [
        (s.label, s.start_us // S, s.end_us // S, s.source, s.pointer)
        for s in evidence.spans
        if s.kind == KIND
    ]


def test_clips_become_spans_of_whole_seconds(table: Path) -> None:
    evidence = joined(labels(), table)
    assert shape(evidence) == [
        ("dissection", 2, 10, "clips.csv", "2"),
        ("vessel_clipping", 10, 15, "clips.csv", "3"),
        ("dissection", 15, 31, "clips.csv", "4"),
    ]
    (source,) = evidence.video.sources
    assert (source.path, source.sha256) == ("clips.csv", bytes_digest(TABLE.encode()))
    assert [(b.unit, b.read, b.kept) for b in evidence.books] == [("action clips", 3, 3)]
    assert not evidence.rejected


@pytest.mark.parametrize(
    ("seconds", "last", "why"),
    [(31, 31, ""), (30, 30, "run on"), (16, 16, "run on"), (15, None, "lie behind")],
)
def test_clips_end_with_the_recording(table: Path, seconds: int, last: int, why: str) -> None:
    evidence = joined(labels("VID01", seconds), table)
    assert [end for *_, end, _, _ in shape(evidence)] == [10, 15, *([last] if last else [])]
    assert [why in one.reason for one in evidence.rejected] == [True] * bool(why)


def test_they_take_the_place_of_clips_that_the_video_had_and_of_nothing_else(table: Path) -> None:
    phase = Span("phase", "preparation", 0, 40 * S, "a", "p")
    old = Span(KIND, "coagulation", 0, 40 * S, "a", "p")
    evidence = joined(labels("VID01", 40, old, phase), table)
    assert phase in evidence.spans and old not in evidence.spans
    assert list(evidence.spans) == sorted(evidence.spans, key=lambda s: (s.kind, s.start_us))


@cases(
    ("video_id", "names", "found"),
    [
        ("VID01", ["vid01", "VID01", "1"], ["VID01"]),
        ("VID01", ["vid01", "video01", "1"], ["vid01"]),
        ("VID01", ["video01", "VID10", "VID011"], ["video01"]),
        ("VID01", ["01"], ["01"]),
        ("1", ["Video_001"], ["Video_001"]),
        ("VID01", ["1", "001"], ["1", "001"]),
        ("Hei-Chole1", ["hei-chole 01"], ["hei-chole 01"]),
        ("Hei-Chole1", ["VID01", "1"], []),
        ("case_a", ["case_b"], []),
    ],
)
def test_names(video_id: str, names: list[str], found: list[str]) -> None:
    assert names_of(video_id, names) == found


def test_a_video_without_clips_is_told_in_the_books(table: Path) -> None:
    evidence = joined(labels("VID03"), table)
    assert not shape(evidence) and not evidence.video.sources
    assert [(r.code, r.where) for r in evidence.rejected] == [(Code.NO_EVIDENCE, "clips.csv")]
    assert [(b.read, b.kept, b.rejected) for b in evidence.books] == [(1, 0, 1)]


def test_where_two_names_may_be_meant_neither_is(tmp_path: Path) -> None:
    path = tmp_path / "clips.csv"
    path.write_text("video,start,end,action\n1,0,3,Dissection\n001,5,9,Dissection\n")
    evidence = joined(labels(), path)
    assert not shape(evidence)
    assert [r.code for r in evidence.rejected] == [Code.CONTRADICTION]


def test_what_cannot_be_used_is_left_out_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "clips.csv"
    path.write_text(
        "video,start,end,action\nVID01,0,3,Stapling\nVID01,4,9,Dissection\nVID01,8,12,Aspiration\n"
        "VID01,13,45,Coagulation\nVID01,50,60,Dissection\nVID02,1,0,Dissection\n"
    )
    evidence = joined(labels(), path)
    assert [row[:3] for row in shape(evidence)] == [("dissection", 4, 10), ("coagulation", 13, 40)]
    told = sorted((str(r.code), r.outcome, r.where) for r in evidence.rejected)
    assert told == [
        ("bad_time", "rejected", "clips.csv:6"),
        ("bad_time", "repaired", "clips.csv:5"),
        ("contradiction", "rejected", "clips.csv:4"),
        ("unknown_label", "rejected", "clips.csv:2"),
    ]
    (books,) = evidence.books
    assert (books.read, books.kept, books.rejected) == (5, 2, 3)


def test_without_a_clock_there_are_no_seconds(table: Path) -> None:
    evidence = joined(labels("VID01", 40, clock=Clock.ORDER), table)
    assert not shape(evidence)
    assert {r.code for r in evidence.rejected} == {Code.NO_CLOCK}


@pytest.mark.parametrize(
    ("phases", "end", "notes"),
    [
        ((("clipping_and_cutting", 0, 20), ("gallbladder_dissection", 20, 35)), 35, 0),
        ((("preparation", 0, 10),), 13, 1),
        ((), 13, 1),
    ],
)
def test_the_predecessor_s_last_clip_ends_with_the_phases(
    tmp_path: Path, phases, end: int, notes: int
) -> None:
    path = tmp_path / "old.json"
    clips = {"0": {"Action": "Dissection", "Frame_id": 4, "Test": False},
             "1": {"Action": "Coagulation", "Frame_id": 12, "Test": False}}  # fmt: skip
    path.write_text(json.dumps({"video01": clips}))
    spans = [Span("phase", label, a * S, b * S, "a", "p") for label, a, b in phases]
    evidence = joined(labels("VID01", 40, *spans), path)
    assert [row[:3] for row in shape(evidence)] == [("dissection", 4, 12), ("coagulation", 12, end)]
    assert [r.outcome for r in evidence.rejected] == ["repaired"] * notes
    assert evidence.spans[0].pointer == "video01 0"


def test_errors_name_the_file_as_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "clips.csv"
    with pytest.raises(SourceMissing, match="clips.csv"):
        with_action_clips(labels(), path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SourceBroken) as caught:
        with_action_clips(labels(), path)
    assert caught.value.where == f"{path}:1"
    other = path.with_suffix(".txt")
    other.write_text(TABLE)
    with pytest.raises(UserError, match="not a table of clips") as named:
        read_clips(other)
    assert named.value.where == str(other)


def test_before_a_run_the_file_must_be_about_its_videos(table: Path, tmp_path: Path) -> None:
    check_clips(table, ["VID02", "VID77"])
    with pytest.raises(UserError, match="none of these videos") as caught:
        check_clips(table, ["VID77"])
    assert "VID01" in str(caught.value.found)
    lacking = tmp_path / "lacking.csv"
    lacking.write_text(TABLE + ",4,5,Dissection\n")
    with pytest.raises(UserError, match="a clip without a video") as caught:
        check_clips(lacking, ["VID01"])
    assert caught.value.where == "lacking.csv:6"


def test_tables_in_other_folders_give_the_same(table: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "clips.csv"
    other.parent.mkdir()
    other.write_text(TABLE)
    assert with_action_clips(labels(), table) == with_action_clips(labels(), other)
    assert (
        replace(with_action_clips(labels(), table), spans=(), books=(), video=labels().video)
        == labels()
    )
