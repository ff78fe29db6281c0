"""What is peculiar to M2CAI16-Workflow."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceMissing
from surgqa.ontology.records import Code, MediaKind, VideoEvidence
from surgqa.transforms import registry
from surgqa.transforms.readers.base import split_group

Reader = registry.load_reader("m2cai16_workflow")

LABELS = "train_dataset/workflow_video_01.txt"
STAMPS = "train_dataset/workflow_video_01_timestamp.txt"


def lay(root: Path, labels: str, stamps: str | None = None) -> VideoEvidence:
    (root / "train_dataset").mkdir(exist_ok=True)
    (root / LABELS).write_text(labels)
    if stamps is not None:
        (root / STAMPS).write_text(stamps)
    return Reader(root).read("workflow_video_01")


def labels(count: int, first: int = 0) -> str:
    rows = "".join(f"{first + n}\tTrocarPlacement\n" for n in range(count))
    return "Frame\tPhase\n" + rows


def test_training_and_test_videos_lie_in_two_folders(tmp_path: Path) -> None:
    registry.load_sample("m2cai16_workflow")(tmp_path)
    (tmp_path / "test_dataset").mkdir()
    (tmp_path / "test_dataset" / "test_workflow_video_03.txt").write_text(labels(9))
    reader = Reader(tmp_path)
    assert reader.videos() == ["test_workflow_video_03", "workflow_video_01", "workflow_video_02"]
    assert reader.splits["official"]["test_workflow_video_03"] == "test"
    assert Counter(reader.splits["official"].values()) == {"train": 27, "test": 14}
    missing = reader.missing()
    assert len(missing) == 41 + 27 - 3 - 2
    assert "test_dataset/test_workflow_video_14.txt" in missing
    assert not any("test_workflow_video_14_timestamp" in name for name in missing)


def test_predictions_beside_the_labels_are_no_videos(tmp_path: Path) -> None:
    registry.load_sample("m2cai16_workflow")(tmp_path)
    assert (tmp_path / "train_dataset" / "workflow_video_01_pred.txt").is_file()
    assert Reader(tmp_path).videos() == ["workflow_video_01", "workflow_video_02"]


@pytest.mark.parametrize(("first", "noted"), [(0, 0), (1, 1), (2, 0)])
def test_a_file_that_counts_from_one_is_noted_and_starts_at_zero(
    tmp_path: Path, first: int, noted: int
) -> None:
    evidence = lay(tmp_path, labels(50, first))
    start = 0 if first < 2 else 80_000
    assert [(s.start_us, s.end_us) for s in evidence.spans] == [(start, start + 2_000_000)]
    assert evidence.video.duration_us == start + 2_000_000
    assert [e.code for e in evidence.rejected] == [Code.BAD_FRAME] * noted


@pytest.mark.parametrize(
    ("last", "noted"),
    [
        ("00:00:01.96\tTrocarPlacement", False),
        ("00:00:02.00 TrocarPlacement", False),
        ("00:00:03.04\tTrocarPlacement", True),
        ("00:00:00.96\tTrocarPlacement", True),
        ("01:00:02.00\tTrocarPlacement", True),
        ("00:00:02.00", True),
        ("00:00:0", True),
        ("", True),
    ],
)
def test_a_timestamp_file_tells_whether_the_labels_are_whole(
    tmp_path: Path, last: str, noted: bool
) -> None:
    evidence = lay(tmp_path, labels(50), last)
    assert [(e.code, e.where) for e in evidence.rejected] == [
        (Code.INCOMPLETE_INSTANT, f"{STAMPS}:1")
    ] * noted
    assert evidence.books[0].kept == 50


def test_all_eight_phases_are_read_in_their_order(tmp_path: Path) -> None:
    registry.load_sample("m2cai16_workflow")(tmp_path)
    evidence = Reader(tmp_path).read("workflow_video_01")
    spans = sorted(evidence.spans, key=lambda span: span.start_us)
    assert [span.label for span in spans] == [
        "port_placement", "preparation", "calot_triangle_dissection", "clipping_and_cutting",
        "gallbladder_dissection", "gallbladder_packaging", "cleaning_and_coagulation",
        "gallbladder_extraction",
    ]  # fmt: skip


def test_surgeries_are_no_aliases_because_the_numbers_are_others() -> None:
    ids = registry.files("m2cai16_workflow").video_ids
    groups = {split_group("m2cai16_workflow", video) for video in ids}
    assert len(groups) == 41
    assert not any(group.startswith("cholec/") for group in groups)


def test_a_recording_lies_beside_its_labels(tmp_path: Path) -> None:
    lay(tmp_path, labels(25))
    (tmp_path / "train_dataset" / "workflow_video_01.mp4").write_bytes(b"no video at all")
    media = Reader(tmp_path).read("workflow_video_01").video.media
    assert (media.kind, media.path) == (MediaKind.VIDEO, "train_dataset/workflow_video_01.mp4")
    with pytest.raises(SourceMissing, match="test_dataset/test_workflow_video_02.txt"):
        Reader(tmp_path).read("test_workflow_video_02")
