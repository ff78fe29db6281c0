"""Quirks of HyperKvasir's tables, one test each, and the real ones that are public."""

from __future__ import annotations

import csv
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.concepts import label_map
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms.readers.hyper_kvasir.reader import Reader
from surgqa.transforms.samples.pictures import HEIGHT, WIDTH, jpeg
from tests.readers.run_lengths import run_lengths

STILL = "11111111-2222-3333-4444-555555555555"
IMAGES, FILMS = "labeled-images/image-labels.csv", "labeled-videos/video-labels.csv"
MEASURES, BOXES = "hyper-kvasir-video-metadata.csv", "segmented-images/bounding-boxes.json"
HEADERS = {
    IMAGES: "Video file,Organ,Finding,Classification",
    FILMS: "Video file,Organ,Finding 1,Finding 2,Classification 1",
    MEASURES: "file-name;finding;width;height;number-of-frames;fps;length;kilobytes",
    "official_splits/5_fold_split.csv": "file-name;class-name;split-index",
}


@pytest.fixture
def put(tmp_path: Path):
    """Write a table (rows below the real header) or any other file."""

    def write(name: str, *rows: str, data: bytes | None = None) -> Path:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        text = "\n".join([HEADERS.get(name, ""), *rows]) + "\n"
        (tmp_path / name).write_bytes(text.encode() if data is None else data)
        return tmp_path

    return write


def only(root: Path) -> VideoEvidence:
    reader = Reader(root)
    (video,) = reader.videos()
    evidence = reader.read(video)
    assert all(books.balanced for books in evidence.books)
    return evidence


def said(evidence: VideoEvidence) -> list[tuple[str, str]]:
    return [(label.kind, label.label) for label in evidence.labels]


def test_stills_stand_in_a_column_of_video_files(put) -> None:
    found = only(put(IMAGES, f"{STILL},Upper GI,z-line,anatomical-landmarks"))
    assert found.video.video_id == STILL
    assert said(found) == [("landmark", "z_line"), ("structure", "upper_gi_tract")]
    assert found.video.clock == Clock.WHOLE


@pytest.mark.parametrize(
    ("spelling", "label"),
    [
        ("hemorroids", ("finding", "haemorrhoids")),
        ("normal-cecum", ("landmark", "caecum")),
        ("oesophagitis-b-d", ("finding", "oesophagitis_b_d")),
        ("short-segment-barretts", ("finding", "barretts_short_segment")),
        ("polyp", ("finding", "polyp")),
    ],
)
def test_the_folds_spell_classes_in_another_way(put, spelling, label) -> None:
    root = put("official_splits/5_fold_split.csv", f"{STILL}.jpg;{spelling};3")
    assert said(only(root)) == [label]
    assert Reader(root).splits == {"5-fold-3": {STILL: "test"}}


def test_the_picture_is_found_in_any_class_folder(put) -> None:
    folder = "labeled-images/upper-gi-tract/anatomical-landmarks/z-line"
    put(f"{folder}/{STILL}.jpg", data=jpeg(np.zeros((HEIGHT, WIDTH, 3), np.uint8)))
    media = only(put(IMAGES, f"{STILL},Upper GI,z-line,anatomical-landmarks")).video.media
    assert (media.kind, media.path) == (MediaKind.IMAGE, f"{folder}/{STILL}.jpg")
    assert (media.width, media.height) == (WIDTH, HEIGHT)


def test_grey_edges_of_a_jpeg_mask_are_cut_at_128(put) -> None:
    mask = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    mask[8:16, 8:24], mask[8:16, 24:32] = 255, 100
    put(f"segmented-images/masks/{STILL}.jpg", data=jpeg(mask))
    box = {"label": "polyp", "xmin": 0, "ymin": 0, "xmax": 48, "ymax": 48}
    entry = {STILL: {"height": HEIGHT, "width": WIDTH, "bbox": [box]}}
    found = only(put(BOXES, data=json.dumps(entry).encode()))
    (text,) = found.regions["finding"].masks
    expected = np.zeros((HEIGHT, WIDTH), bool)
    expected[8:16, 8:24] = True
    assert text == run_lengths(expected)
    assert found.video.sources[-1].path == f"segmented-images/masks/{STILL}.jpg"


def test_each_polyp_of_a_still_has_its_own_part_of_the_mask(put) -> None:
    mask = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    mask[0:8, 0:8] = mask[24:40, 32:48] = 255
    put(f"segmented-images/masks/{STILL}.jpg", data=jpeg(mask))
    corners = [(0, 0, 16, 16), (30, 20, 50, 44)]
    boxes = [dict(zip(("xmin", "ymin", "xmax", "ymax"), c, strict=True)) for c in corners]
    entry = {STILL: {"height": HEIGHT, "width": WIDTH,
                     "bbox": [{"label": "polyp", **box} for box in boxes]}}  # fmt: skip
    table = only(put(BOXES, data=json.dumps(entry).encode())).regions["finding"]
    parts = []
    for x1, y1, x2, y2 in ((0, 0, 8, 8), (32, 24, 48, 40)):
        part = np.zeros((HEIGHT, WIDTH), bool)
        part[y1:y2, x1:x2] = True
        parts.append(run_lengths(part))
    assert list(table.masks) == parts
    assert table.attributes[0].values.tolist() == [64 / 3072, 256 / 3072]


def test_a_name_that_tells_the_finding_is_no_id(put) -> None:
    found = only(put(MEASURES, "Polypp 5.avi;polyp;720;576;5537;25;221;126567"))
    assert found.video.video_id.startswith("film-")
    assert "olyp" not in found.video.key
    assert found.video.duration_us == 5537 * 40_000


def test_free_words_are_read_without_case_and_odd_blanks(put) -> None:
    found = only(put(MEASURES, f"{STILL}.avi;Retroflexed  stomach,\xa0;720;576;50;25;2;1"))
    assert said(found) == [("landmark", "retroflexed_stomach")]
    assert (found.video.clock, found.video.fps) == (Clock.TIME, Fraction(25))


def test_the_classes_of_films_go_before_the_free_words(put) -> None:
    put(MEASURES, f"{STILL}.avi;out of patient;720;576;50;25;2;1")
    found = only(put(FILMS, f"{STILL},Lower GI,Polyps,BBPS-2-3,pathological-findings"))
    assert said(found) == [
        ("condition", "bowel_preparation_2_3"),
        ("finding", "polyp"),
        ("structure", "lower_gi_tract"),
    ]
    assert found.books[0].read == found.books[0].kept == 2


def test_a_film_without_a_stated_finding_is_kept_for_its_length(put) -> None:
    found = only(put(MEASURES, f"{STILL}.mpg;None;576;576;415;25;16;3649"))
    assert not found.labels
    assert [(e.code, e.outcome) for e in found.rejected] == [(Code.DROPPED_LABEL, "repaired")]


def test_a_film_without_a_row_of_measures_is_asked_itself(put, films) -> None:
    root = put(FILMS, f"{STILL},Lower GI,Polyps,,pathological-findings")
    folder = root / "labeled-videos/lower-gi-tract/pathological-findings/polyps"
    folder.mkdir(parents=True)
    films.film(folder / f"{STILL}.mp4", 2, 1.0)
    video = only(root).video
    assert (video.clock, video.fps, video.media.kind) == (Clock.TIME, 10, MediaKind.VIDEO)
    assert 900_000 <= video.duration_us <= 1_100_000


def test_a_class_that_nobody_knows_is_named(put) -> None:
    found = only(put(FILMS, f"{STILL},Middle GI,Hedgehogs,,x"))
    assert [(e.code, e.where) for e in found.rejected] == [(Code.UNKNOWN_LABEL, f"{FILMS}:2")]
    assert "hedgehogs" in found.rejected[0].reason


def test_a_box_entry_of_another_shape_is_an_error(put) -> None:
    with pytest.raises(SourceBroken, match="missing or invalid fields"):
        only(put(BOXES, data=json.dumps({STILL: {"bbox": [{"label": "polyp"}]}}).encode()))


@pytest.fixture(scope="module")
def real(real_dataset) -> Path:
    return real_dataset("hyper-kvasir")


@pytest.fixture(scope="module")
def rows(real: Path) -> list[dict[str, str]]:
    with (real / "official_splits/2_fold_split.csv").open() as file:
        return list(csv.DictReader(file, delimiter=";"))


def test_real_stills_have_the_class_of_the_folds(real: Path, rows) -> None:
    assert len(rows) == 10_662
    reader = Reader(real)
    assert len(reader.videos()) == 10_662 + 373
    known = label_map("hyper_kvasir")
    concept = {name: (kind, known[kind][name]) for kind in known for name in known[kind]}
    for row in rows[::60]:
        found = reader.read(row["file-name"].removesuffix(".jpg"))
        assert said(found) == [concept[row["class-name"]]]
    counts = Counter(row["class-name"] for row in rows)
    assert (counts["polyp"], counts["hemorroids"], len(counts)) == (1028, 6, 23)


def test_real_folds_are_splits(real: Path, rows) -> None:
    splits = Reader(real).splits
    assert sorted(splits) == ["2-fold-0", "2-fold-1", *(f"5-fold-{fold}" for fold in range(5))]
    test = [row["file-name"].removesuffix(".jpg") for row in rows if row["split-index"] == "0"]
    assert sorted(test) == sorted(v for v, side in splits["2-fold-0"].items() if side == "test")


def test_all_real_boxes_are_read(real: Path) -> None:
    entries = json.loads((real / BOXES).read_text())
    assert len(entries) == 1000
    assert sum(len(entry["bbox"]) for entry in entries.values()) == 1071
    reader = Reader(real)
    for stem in list(entries)[::12]:
        table = reader.read(stem).regions["finding"]
        wide, high = entries[stem]["width"], entries[stem]["height"]
        expected = sorted([b["xmin"] / wide, b["ymin"] / high, b["xmax"] / wide, b["ymax"] / high]
                          for b in entries[stem]["bbox"])  # fmt: skip
        assert table.box_xyxy.tolist() == expected


def test_all_real_films_are_read(real: Path) -> None:
    with (real / MEASURES).open() as file:
        films = list(csv.DictReader(file, delimiter=";"))
    reader = Reader(real)
    stills = set(reader.splits["2-fold-0"])
    evidence = [reader.read(video) for video in reader.videos() if video not in stills]
    assert len(evidence) == len(films) == 373
    assert sum(e.video.duration_us for e in evidence) == sum(
        int(row["number-of-frames"]) * 1_000_000 // int(row["fps"]) for row in films
    ) + sum(int(row["number-of-frames"]) * 10**6 * 2 // int(row["fps"]) % 2 for row in films)
    assert Counter(e.video.fps for e in evidence) == {25: 347, 30: 23, 20: 3}
    codes = Counter(entry.code for e in evidence for entry in e.rejected)
    assert codes == {Code.DROPPED_LABEL: 16}
    assert sum(bool(e.labels) for e in evidence) == 373 - 16
    lifted = sum(row["finding"].strip().lower() == "lifted polyp" for row in films)
    assert lifted == 75
    assert sum(("finding", "lifted_polyp") in said(e) for e in evidence) == 75 + 10
