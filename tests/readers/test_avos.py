"""Quirks of AVOS' tables, one test each, and the authors' real working files."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Clock, Code, VideoEvidence
from surgqa.transforms.readers.avos.reader import Reader
from surgqa.transforms.samples.pictures import HEIGHT, WIDTH, jpeg

VIDEO = "-Ab_Cd-Ef1G"
SEGMENTS = "open_surgery_temporal_annotations_Jan16.csv"
BOXES = "open_surgery_bboxes_Jan16.csv"
WORKING = "data/new_annotations/test/test_data_emmett_annotations.csv"
HEADERS = {
    SEGMENTS: ",video_id,start_seconds,end_seconds,start_frame,end_frame,label\n",
    BOXES: "image_name,x1,y1,x2,y2,class\n",
}


def read(root: Path, name: str, *rows: str) -> VideoEvidence:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(HEADERS.get(name, "") + "\n".join(rows) + "\n")
    reader = Reader(root)
    (video,) = reader.videos()
    evidence = reader.read(video)
    assert all(books.balanced for books in evidence.books)
    return evidence


def still(root: Path, frame: int) -> str:
    (root / "images").mkdir(exist_ok=True)
    name = f"{VIDEO}-{frame:09d}.jpg"
    (root / "images" / name).write_bytes(jpeg(np.zeros((HEIGHT, WIDTH, 3), np.uint8)))
    return name


def test_a_video_id_may_begin_with_and_contain_a_dash(tmp_path: Path) -> None:
    found = read(tmp_path, BOXES, f"{VIDEO}-000004999.jpg,1,1,9,9,hand")
    assert found.video.video_id == VIDEO


def test_a_still_counts_at_15_frames_a_second(tmp_path: Path) -> None:
    found = read(tmp_path, BOXES, f"{VIDEO}-000005021.jpg,1,1,9,9,bovie")
    assert found.instruments.frames.tolist() == [5021]
    assert found.instruments.instants_us.tolist() == [334_733_333]
    assert found.video.clock == Clock.TIME


def test_actions_use_the_seconds_and_not_the_frames_beside_them(tmp_path: Path) -> None:
    found = read(tmp_path, SEGMENTS, f"0,{VIDEO},20.25,50.0,1,2,cutting")
    assert [(s.label, s.start_us, s.end_us) for s in found.spans] == [
        ("cutting", 20_250_000, 50_000_000)
    ]
    assert found.instruments is None


def test_background_is_other_activity_and_abstentions_are_left_out(tmp_path: Path) -> None:
    rows = [f"{n},{VIDEO},{n},{n + 1},0,0,{label}"
            for n, label in enumerate(("background", "abstain", "none", "tying"))]  # fmt: skip
    found = read(tmp_path, SEGMENTS, *rows)
    assert [s.label for s in found.spans] == ["other_activity", "tying"]
    assert [e.code for e in found.rejected] == [Code.DROPPED_LABEL] * 2


def test_actions_may_overlap(tmp_path: Path) -> None:
    found = read(tmp_path, SEGMENTS, f"0,{VIDEO},0,9,0,0,cutting", f"1,{VIDEO},5,12,0,0,tying")
    assert [(s.start_us, s.end_us) for s in found.spans] == [
        (0, 9_000_000),
        (5_000_000, 12_000_000),
    ]


def test_an_action_that_starts_before_the_video_is_cut(tmp_path: Path) -> None:
    found = read(tmp_path, SEGMENTS, f"0,{VIDEO},-2.0,3.0,0,0,tying", f"1,{VIDEO},-3,-2,0,0,tying")
    assert [(s.start_us, s.end_us) for s in found.spans] == [(0, 3_000_000)]
    assert [(e.code, e.outcome) for e in found.rejected] == [
        (Code.BAD_TIME, "repaired"),
        (Code.BAD_TIME, "rejected"),
    ]


def test_hands_are_no_instruments(tmp_path: Path) -> None:
    name = still(tmp_path, 45)
    found = read(tmp_path, BOXES, f"{name},0,0,32,24,hand", f"{name},32,24,64,48,needledriver")
    assert found.instruments.labels == ("bovie", "forceps", "needle_driver")
    assert found.instruments.box_xyxy.tolist() == [[0.5, 0.5, 1.0, 1.0]]
    assert found.regions["structure"].box_xyxy.tolist() == [[0.0, 0.0, 0.5, 0.5]]


def test_a_still_with_empty_cells_shows_nothing(tmp_path: Path) -> None:
    path = f"../data/new_annotations/test/{VIDEO}-000000150.jpg"
    found = read(tmp_path, WORKING, f"{path},,,,,")
    assert found.instruments.instants_us.tolist() == [10_000_000]
    assert not found.instruments.sample.size and not found.regions["structure"].sample.size
    assert (found.books[0].read, found.books[0].kept) == (1, 1)


def test_without_the_still_the_object_is_known_and_its_box_is_not(tmp_path: Path) -> None:
    found = read(tmp_path, BOXES, f"{VIDEO}-000000150.jpg,1,1,9,9,forceps")
    assert np.isnan(found.instruments.box_xyxy).all() and found.instruments.sample.size == 1
    assert [(e.code, e.outcome) for e in found.rejected] == [(Code.BAD_BOX, "repaired")]


def test_the_films_size_serves_where_the_still_is_missing(tmp_path: Path, films) -> None:
    (tmp_path / "videos").mkdir()
    films.film(tmp_path / "videos" / f"{VIDEO}.mp4", 3, 1.0)
    rows = [f"{VIDEO}-{frame:09d}.jpg,0,0,200,120,forceps" for frame in (3, 900)]
    found = read(tmp_path, BOXES, *rows)
    assert found.instruments.box_xyxy.tolist() == [[0.0, 0.0, 0.5, 0.5]]
    assert found.video.fps == 15
    assert [(e.code, e.where) for e in found.rejected] == [(Code.BAD_TIME, f"{BOXES}:3")]


def test_a_yolo_file_beside_the_still_gives_the_box(tmp_path: Path) -> None:
    stem = f"data/new_annotations/test/{VIDEO}-000000150"
    (tmp_path / stem).parent.mkdir(parents=True)
    (tmp_path / f"{stem}.txt").write_text("1 0.5 0.5 0.25 0.5\n")
    found = read(tmp_path, WORKING, f"../{stem}.jpg,240,90,400,270,forceps")
    assert found.instruments.box_xyxy.tolist() == [[0.375, 0.25, 0.625, 0.75]]
    assert f"{stem}.txt" in [source.path for source in found.video.sources]
    (tmp_path / f"{stem}.txt").write_text("0 0.5 0.5 0.25 0.5\n")
    other = Reader(tmp_path).read(VIDEO)
    assert np.isnan(other.instruments.box_xyxy).all(), "its classes are others"


def test_a_row_of_another_still_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceBroken, match="belongs to no video"):
        read(tmp_path, BOXES, "somewhere.jpg,1,1,9,9,hand")


@pytest.fixture(scope="module")
def real(real_dataset) -> Path:
    return real_dataset("avos")


@pytest.fixture(scope="module")
def evidence(real: Path) -> dict[str, VideoEvidence]:
    reader = Reader(real)
    return {video: reader.read(video) for video in reader.videos()}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_real_actions_are_read(real: Path, evidence) -> None:
    tsm = real / "MULTITASK_FILES/TSM_FILES/annotations"
    rows = rows_of(tsm / "v0.5.0-anns-smoothed.csv")
    told = ("video_id", "start_seconds", "end_seconds", "label")
    once = {tuple(row[column] for column in told) for row in rows}
    counts = Counter(label for *_, label in once)
    assert (len(rows), len({row["video_id"] for row in rows})) == (7352, 330)
    spans = Counter(span.label for e in evidence.values() for span in e.spans)
    assert spans == {
        "other_activity": counts["background"], "cutting": counts["cutting"],
        "suturing": counts["suturing"], "tying": counts["tying"],
    }  # fmt: skip
    codes = Counter(entry.code for e in evidence.values() for entry in e.rejected)
    assert codes[Code.DROPPED_LABEL] == counts["abstain"] == 178
    assert len(rows) == len(once)
    early = sum(float(row["start_seconds"]) < 0 for row in rows)
    assert codes[Code.BAD_TIME] == early == 7
    seconds = sum(
        float(end) - max(0, float(start)) for _, start, end, label in once if label != "abstain"
    )
    read = sum(s.end_us - s.start_us for e in evidence.values() for s in e.spans)
    assert read == round(seconds * 1_000_000)


def test_the_real_stills_are_read(real: Path, evidence) -> None:
    rows = []
    for part in ("train", "test"):
        path = real / f"data/new_annotations/{part}/{part}_data_emmett_annotations.csv"
        rows += [line.split(",") for line in path.read_text().splitlines()]
    assert len(rows) == 5184 + 1489
    stills: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        stills[row[0].split("/")[-1][:11]].add(row[0])
    assert sum(map(len, stills.values())) == 1825 + 538
    for video, found in evidence.items():
        instants = 0 if found.instruments is None else found.instruments.instants_us.size
        assert instants == len(stills.get(video, ()))
    counts = Counter(row[5] for row in {tuple(row): row for row in rows}.values())
    tools: Counter[str] = Counter()
    for found in evidence.values():
        for table in (found.instruments, *found.regions.values()):
            tools.update(table.labels[code] for code in table.label.tolist()) if table else None
    assert tools == {
        "hand": counts["hand"], "needle_driver": counts["needledriver"],
        "bovie": counts["bovie"], "forceps": counts["forceps"],
    }  # fmt: skip
    codes = Counter(entry.code for e in evidence.values() for entry in e.rejected)
    assert len(rows) - len({tuple(row) for row in rows}) == 4
    assert codes[Code.DUPLICATE_FRAME] == 4


def test_the_twenty_real_yolo_files_give_boxes(real: Path, evidence) -> None:
    boxes = 0
    for found in evidence.values():
        for table in (found.instruments, *found.regions.values()):
            boxes += 0 if table is None else int(np.isfinite(table.box_xyxy).all(axis=1).sum())
    files = sorted((real / "data/new_annotations/test").glob("*.txt"))
    assert len(files) == 20
    assert boxes == sum(len(file.read_text().split("\n")) - 1 for file in files) == 64


def test_the_real_table_of_videos_tells_length_and_quality(real: Path, evidence) -> None:
    rows = rows_of(real / "MULTITASK_FILES/TSM_FILES/annotations/videos.csv")
    assert len(rows) == 334
    known = {row["video_id"]: row for row in rows if row["video_id"] in evidence}
    for video, row in known.items():
        assert evidence[video].video.duration_us >= float(row["duration_seconds"]) * 1_000_000
    labels = Counter(label.label for e in evidence.values() for label in e.labels)
    quality = Counter(row["quality"] for row in known.values())
    assert labels == {
        "recording_good": quality["good"], "recording_fair": quality["okay"],
        "recording_poor": quality["bad"],
    }  # fmt: skip


def test_the_official_parts_are_the_real_lists(real: Path) -> None:
    tsm = real / "MULTITASK_FILES/TSM_FILES/annotations"
    parts = {part: {row["video_id"] for row in rows_of(tsm / f"{part}.csv")}
             for part in ("train", "test")}  # fmt: skip
    split = Reader(real).splits["official"]
    assert {part: {v for v, side in split.items() if side == part} for part in parts} == parts
    assert Counter(split.values()) == {"train": 288, "test": 55}


@pytest.mark.parametrize(
    ("second", "code"),
    [("1,1,9,9,bovie", Code.DUPLICATE_FRAME), (",,,,", Code.CONTRADICTION)],
)
def test_a_row_of_a_still_that_repeats_or_denies_another_is_left_out(
    tmp_path: Path, second: str, code: Code
) -> None:
    name = still(tmp_path, 5021)
    found = read(tmp_path, BOXES, f"{name},1,1,9,9,bovie", f"{name},{second}")
    assert [(e.code, e.where) for e in found.rejected] == [(code, f"{BOXES}:3")]
    assert found.instruments.sample.size == 1
