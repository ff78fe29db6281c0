"""Quirks of JIGSAWS, one test each; its files may not be passed on, so none is at hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.ratings import rating
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms import registry

Reader = registry.load_reader("jigsaws")

META = (
    "Suturing_B009\t\tN\t\t11\t\t2\t2\t1\t2\t2\t2\r\n"
    "Suturing_C009\t\tI\t\t24\t\t4\t4\t4\t4\t4\t4\r\n\r\n"
)
SEGMENTS = "40 89 G12 \r\n90 180 G13 \r\n"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write the files of a task, or only one that differs, and read the first trial."""

    def write_and_read(
        segments: str = SEGMENTS, meta: str = META, folder: str = "Suturing", trial: str = "B009"
    ) -> VideoEvidence:
        root = tmp_path / folder
        (root / "transcriptions").mkdir(parents=True, exist_ok=True)
        (root / "meta_file_Suturing.txt").write_bytes(meta.encode())
        (root / f"transcriptions/Suturing_{trial}.txt").write_bytes(segments.encode())
        reader = Reader(tmp_path)
        assert reader.videos() == [f"Suturing_{trial}"]
        evidence = reader.read(f"Suturing_{trial}")
        assert all(books.balanced for books in evidence.books)
        return evidence

    return write_and_read


def codes(evidence: VideoEvidence) -> list[tuple[str, str]]:
    return [(entry.code, entry.where) for entry in evidence.rejected]


def test_frames_count_from_one_and_the_last_one_belongs_to_the_segment(read) -> None:
    first, second = read().spans
    assert (first.label, first.start_us, first.end_us) == (
        "reach_needle_left",
        1_300_000,
        2_966_667,
    )
    assert second.start_us == first.end_us
    assert second.end_us == 6_000_000


def test_gaps_between_gestures_stay_unlabelled(read) -> None:
    first, second = read(segments="1 30 G1 \n61 90 G1 \n").spans
    assert (first.end_us, second.start_us) == (1_000_000, 2_000_000)
    assert first.label == second.label


def test_a_gesture_that_follows_itself_is_two_segments(read) -> None:
    assert [s.start_us for s in read(segments="1 30 G5\n31 60 G5\n").spans] == [0, 1_000_000]


def test_every_gesture_from_1_to_15_is_read_in_every_task(read) -> None:
    lines = "".join(f"{30 * n - 29} {30 * n} G{n} \r\n" for n in range(1, 16))
    evidence = read(segments=lines)
    assert len({span.label for span in evidence.spans}) == 15
    assert evidence.rejected == ()


def test_level_and_scores_are_labels_of_the_whole_trial(read) -> None:
    evidence = read()
    found = {(label.kind, label.label): label.value for label in evidence.labels}
    assert len(found) == len(evidence.labels) == 8
    assert found["experience", "novice"] is None
    assert found["rating", "jigsaws_global_rating"] == 11
    assert found["rating", "jigsaws_time_and_motion"] == 1
    assert {label.pointer for label in evidence.labels} == {"line 1"}


def test_columns_are_separated_by_one_tab_or_two_or_blanks(read) -> None:
    evidence = read(meta="Suturing_B009 N\t 11  2 2 1\t\t2 2 2\n")
    assert len(evidence.labels) == 8


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("X\t11\t2\t2\t1\t2\t2\t2", [Code.UNKNOWN_LABEL]),
        ("N\t12\t2\t2\t1\t2\t2\t2", [Code.CONTRADICTION] * 7),
        ("N\t11\t2\t2\t1\t2\t2\t6", [Code.CONTRADICTION] * 6 + [Code.BAD_VALUE]),
        ("N\tx\t2\t2\t1\t2\t2\t2", [Code.BAD_VALUE]),
        ("N\t5\t0\t1\t1\t1\t1\t1", [Code.BAD_VALUE] * 2),
    ],
)
def test_scores_off_the_scale_or_that_do_not_add_up_are_rejected(read, row, expected) -> None:
    evidence = read(meta=f"Suturing_B009\t{row}\r\n")
    assert [code for code, _ in codes(evidence)] == expected
    assert {where for _, where in codes(evidence)} == {"Suturing/meta_file_Suturing.txt:1"}
    assert len(evidence.labels) == 8 - len(expected)


@pytest.mark.parametrize("meta", [META + "Suturing_D001\tE\t12\r\n", META + META])
def test_a_table_with_a_row_of_nobody_is_broken_and_named(read, meta: str) -> None:
    with pytest.raises(SourceBroken) as error:
        read(meta=meta)
    assert (error.value.where or "").startswith("Suturing/meta_file_Suturing.txt:")


@pytest.mark.parametrize("folder", ["Suturing", "Suturing/Suturing", "."])
def test_archives_may_unpack_with_the_task_once_or_twice(read, folder: str) -> None:
    evidence = read(folder=folder)
    assert len(evidence.spans) == 2
    assert evidence.video.procedure == "suturing on a bench model"


def test_a_transcription_without_a_row_is_no_trial(read, tmp_path: Path) -> None:
    read()
    (tmp_path / "Suturing/transcriptions/Suturing_H002.txt").write_bytes(SEGMENTS.encode())
    assert Reader(tmp_path).videos() == ["Suturing_B009"]
    with pytest.raises(SourceMissing, match="no row for Suturing_H002"):
        Reader(tmp_path).read("Suturing_H002")


def test_without_the_video_the_trial_ends_with_its_last_gesture(read) -> None:
    video = read().video
    assert (video.duration_us, video.clock) == (6_000_000, Clock.TIME)
    assert video.media.kind is MediaKind.ABSENT


def test_a_trial_without_gestures_and_video_is_known_as_a_whole(read) -> None:
    evidence = read(segments="\n")
    assert evidence.video.clock is Clock.WHOLE
    assert evidence.video.duration_us == 33_333
    assert len(evidence.labels) == 8


def film(path: Path, frames: int) -> None:
    path.parent.mkdir(exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=30)
        stream.width, stream.height = 64, 48
        for number in range(frames):
            grey = np.full((48, 64, 3), number % 200, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(grey, format="rgb24")))
        container.mux(stream.encode(None))


def test_the_left_camera_is_shown_and_tells_the_length(read, tmp_path: Path) -> None:
    video = tmp_path / "Suturing/video"
    (tmp_path / "Suturing").mkdir()
    film(video / "Suturing_B009_capture2.avi", 210)
    right = read().video
    assert right.media.path == "Suturing/video/Suturing_B009_capture2.avi"
    film(video / "Suturing_B009_capture1.avi", 240)
    left = Reader(tmp_path).read("Suturing_B009").video
    assert left.media.path == "Suturing/video/Suturing_B009_capture1.avi"
    assert (left.media.width, left.media.height) == (64, 48)
    assert (right.duration_us, left.duration_us) == (7_000_000, 8_000_000)


def test_the_release_has_103_trials_and_every_user_is_left_out_once() -> None:
    reader = Reader(Path())
    ids = reader.files.video_ids
    assert [sum(trial.startswith(task) for trial in ids)
            for task in ("Suturing", "Knot_Tying", "Needle_Passing")] == [39, 36, 28]  # fmt: skip
    assert not {"Suturing_H002", "Knot_Tying_B005", "Knot_Tying_H001", "Knot_Tying_I004"} & set(ids)
    assert sorted(reader.splits) == [f"leave-{user}-out" for user in "BCDEFGHI"]
    for name, split in reader.splits.items():
        assert {trial for trial in ids if split[trial] == "test"} == {
            trial for trial in ids if trial[-4] == name[6]
        }


def test_trials_of_one_user_share_a_group(read) -> None:
    assert read(trial="C009").video.split_group == "jigsaws/C"


def test_ratings_fall_into_three_ranges() -> None:
    thirds = rating("jigsaws_global_rating").buckets["thirds"]
    words = [thirds.word(value) for value in (6, 13, 14, 21, 22, 30)]
    assert words == ["low", "low", "medium", "medium", "high", "high"]
    assert rating("jigsaws_flow_of_operation").buckets["thirds"].word(3) == "medium"
    assert rating("jigsaws_flow_of_operation").high == 5
