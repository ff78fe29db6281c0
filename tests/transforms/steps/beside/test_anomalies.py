"""Files of anomalies beside a dataset."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Code, Media, MediaKind, VideoEvidence
from surgqa.transforms.readers.cholect50.reader import Reader
from surgqa.transforms.steps.beside.anomalies import with_anomalies
from tests.readers.made import cholect50 as sample

KEYS = ((647, [540, 420, 80, 60]), (650, [535, 415, 90, 70]), (655, [530, 410, 100, 80]),
        (680, [530, 410, 100, 80]))  # fmt: skip
ENTRY = {
    "anomaly_id": "a1", "onset_frame": 647, "onset_time": 21.57, "anomaly_type": "bleeding",
    "initial_bbox": KEYS[0][1],
    "evolution": [{"frame": frame, "bbox": box} for frame, box in KEYS[1:]],
    "source": {"tissue": "cystic_artery"}, "hemostasis_time": 22.67,
}  # fmt: skip
RATE = {"video_metadata": {"fps": 30, "width": 1280, "height": 720}}


@pytest.fixture
def labels(tmp_path: Path) -> VideoEvidence:
    """A video with one label a second."""
    root = tmp_path / "data"
    root.mkdir()
    sample.write(root, procedures=2, seconds=40)
    reader = Reader(root)
    evidence = reader.read(reader.videos()[0])
    return replace(evidence, video=replace(evidence.video, media=Media(MediaKind.ABSENT)))


def joined(labels: VideoEvidence, folder: Path, tree: object) -> VideoEvidence:
    (folder / f"{labels.video.video_id}.json").write_text(json.dumps(tree))
    evidence = with_anomalies(labels, folder)
    assert all(books.balanced for books in evidence.books)
    return evidence


def shape(evidence: VideoEvidence) -> list[tuple[str, str, int, int, str]]:
    return [(m.kind, m.label, m.start_us, m.end_us, m.origin) for m in evidence.moments]


def test_a_file_gives_onset_key_frames_and_that_it_was_looked_for(labels, tmp_path) -> None:
    evidence = joined(labels, tmp_path, {**RATE, "anomaly_evidence": {"anomalies": [ENTRY]}})
    times = (21_566_667, 21_666_667, 21_833_333, 22_666_667)
    assert shape(evidence) == [
        ("anomaly", "bleeding", 21_566_667, 22_670_000, "imported"),
        *(("roi", "", time, time, "imported") for time in times),
        ("watched", "anomaly", 0, 40_000_000, "imported"),
    ]
    assert [m.value for m in evidence.moments if m.kind == "roi"] == [k for k, _ in KEYS]
    assert evidence.moments[1].box_xyxy == (540 / 1280, 420 / 720, 620 / 1280, 480 / 720)
    assert evidence.video.sources[-1].path == f"{labels.video.video_id}.json"
    assert evidence.books[-1].unit == "anomalies"
    assert replace(evidence, video=labels.video, moments=(), books=labels.books) == labels


@pytest.mark.parametrize(
    "tree", [[ENTRY], {"anomalies": [ENTRY]}, {"anomaly_evidence": {"anomalies": [ENTRY]}}]
)
def test_without_metadata_a_rate_is_taken_that_the_times_agree_with(labels, tmp_path, tree) -> None:
    assert labels.video.fps == 1
    assert [m.kind for m in joined(labels, tmp_path, tree).moments][:2] == ["anomaly", "roi"]


def test_where_no_rate_fits_the_anomaly_is_left_out(labels, tmp_path) -> None:
    evidence = joined(labels, tmp_path, [{**ENTRY, "onset_time": 21.6}])
    assert [(r.code, r.outcome) for r in evidence.rejected] == [(Code.CONTRADICTION, "rejected")]
    assert "frame 647 at 1 fps is 647.000 s" in evidence.rejected[0].reason


def test_a_video_s_own_rate_goes_before_thirty(labels, tmp_path) -> None:
    one = {**ENTRY, "onset_frame": 0, "onset_time": 0.01, "evolution": [], "hemostasis_time": None}
    evidence = joined(labels, tmp_path, [one])
    assert evidence.moments[0].resolution_us == 1_000_000


def test_an_empty_list_says_that_nothing_went_wrong(labels, tmp_path) -> None:
    assert shape(joined(labels, tmp_path, [])) == [
        ("watched", "anomaly", 0, 40_000_000, "imported")
    ]


def test_a_video_without_a_file_is_told_and_kept(labels, tmp_path) -> None:
    evidence = with_anomalies(labels, tmp_path)
    assert evidence.moments == ()
    assert evidence.rejected[-1].code == Code.NO_EVIDENCE
    assert evidence.books[-1].balanced


def test_the_size_of_the_dataset_s_pictures_is_that_of_boxes(labels, tmp_path) -> None:
    media = Media(MediaKind.VIDEO, "x.mp4", 1600, 1000)
    large = replace(labels, video=replace(labels.video, media=media))
    first = joined(large, tmp_path, [ENTRY]).moments[0]
    assert first.box_xyxy == (540 / 1600, 420 / 1000, 620 / 1600, 480 / 1000)


@pytest.mark.parametrize("text", ["", "{", "3", '{"anomalies": 4}', "[" * 100_000, "[1e]"])
def test_a_file_that_holds_none_is_an_error_with_its_name(labels, tmp_path, text) -> None:
    name = f"{labels.video.video_id}.json"
    (tmp_path / name).write_text(text)
    with pytest.raises(SourceBroken) as error:
        with_anomalies(labels, tmp_path)
    assert error.value.where == f"{name}:1"
