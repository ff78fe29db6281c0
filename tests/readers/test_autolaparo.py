"""AutoLaparo's quirks; the one real file is a clip of the project's site."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms import registry
from surgqa.transforms.media.found import recording
from surgqa.transforms.media.masks import area_of
from surgqa.transforms.places import place
from surgqa.transforms.readers.autolaparo.reader import CLIP_US, FPS, FRAMES, Reader
from surgqa.transforms.samples.pictures import png

ONE, TWO, THREE = "task1", "task2", "task3"
MOTIONS = f"{TWO}/laparoscope_motion_label.txt"


@pytest.fixture
def lay(tmp_path: Path):
    def laying(name: str, data: str | bytes | np.ndarray) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(data, np.ndarray):
            data = png(np.repeat(data.astype(np.uint8)[:, :, None], 3, axis=2))
        path.write_bytes(data.encode() if isinstance(data, str) else data)

    return laying


@pytest.fixture
def phases(lay, tmp_path: Path):
    def reading(*codes: object) -> VideoEvidence:
        rows = "".join(f"{frame}\t{code}\n" for frame, code in enumerate(codes, start=1))
        lay(f"{ONE}/labels/label_01.txt", "Frame\tPhase\n" + rows)
        return Reader(tmp_path).read("01")

    return reading


@pytest.fixture
def clip(lay, tmp_path: Path):
    def reading(*masks: np.ndarray, motions: str | None = None) -> VideoEvidence:
        for frame, mask in zip((1, 25, 50, 75), masks, strict=False):
            lay(f"{THREE}/masks/228{frame:03d}.png", mask)
        if motions is not None:
            lay(MOTIONS, "Clip\tLabel\tPhase\n" + motions)
        return Reader(tmp_path).read("clip228")

    return reading


def told(evidence: VideoEvidence) -> list[tuple[str, str, int, int]]:
    return [(s.kind, s.label, s.start_us // 10**6, s.end_us // 10**6) for s in evidence.spans]


def ground(*rectangles: tuple[int, int, int, int, int]) -> np.ndarray:
    grey = np.zeros((30, 40))
    for value, x1, y1, x2, y2 in rectangles:
        grey[y1:y2, x1:x2] = value
    return grey


def test_row_one_is_second_zero(phases) -> None:
    evidence = phases(1, 1, 2, 7)
    assert told(evidence) == [
        ("phase", "preparation", 0, 2),
        ("phase", "ligament_and_peritoneum_division", 2, 3),
        ("phase", "washing", 3, 4),
    ]
    assert evidence.video.duration_us == 4_000_000


def test_a_file_with_a_zero_and_no_seven_counts_phases_from_zero(phases) -> None:
    assert [label for _, label, _, _ in told(phases(0, 1, 6))] == [
        "preparation", "ligament_and_peritoneum_division", "washing",
    ]  # fmt: skip


def test_a_file_with_a_zero_and_a_seven_has_an_unknown_phase(phases) -> None:
    evidence = phases(1, 0, 7)
    assert [(entry.code, entry.where) for entry in evidence.rejected] == [
        (Code.UNKNOWN_LABEL, f"{ONE}/labels/label_01.txt:3")
    ]
    assert [label for _, label, _, _ in told(evidence)] == ["preparation", "washing"]


def test_frame_zero_is_no_frame(lay, tmp_path: Path) -> None:
    lay(f"{ONE}/labels/label_01.txt", "Frame\tPhase\n0\t1\n1\t1\n1\t2\n2\t3\n")
    evidence = Reader(tmp_path).read("01")
    assert [entry.code for entry in evidence.rejected] == [
        Code.BAD_FRAME, Code.DUPLICATE_FRAME, Code.DUPLICATE_FRAME,
    ]  # fmt: skip
    assert told(evidence) == [("phase", "uterine_vessel_and_ligament_division", 1, 2)]


def test_a_phase_file_without_a_usable_row_is_broken(phases) -> None:
    with pytest.raises(SourceBroken, match="contains no usable row"):
        phases("x")


@pytest.mark.parametrize("folder", ["Task 1 Surgical workflow recognition", "TASK-1", "task_1 new"])
def test_folders_may_be_renamed(lay, tmp_path: Path, folder: str) -> None:
    lay(f"{folder}/labels/label_21.txt", "Frame\tPhase\n1\t5\n")
    lay("task10/labels/label_03.txt", "")
    lay(f"{folder}/videos/21.mp4", "film")
    reader = Reader(tmp_path)
    assert reader.videos() == ["21"]
    assert reader.read("21").video.media.path == f"{folder}/videos/21.mp4"


def test_a_motion_starts_in_the_midst_of_its_clip(clip) -> None:
    evidence = clip(motions="001\t0\t1\n228\t5\t3\n")
    assert told(evidence) == [
        ("motion", "zoom_in", 5, 10),
        ("phase", "uterine_vessel_and_ligament_division", 0, 10),
    ]
    assert evidence.instruments is None
    assert (evidence.video.clock, evidence.video.fps) == (Clock.TIME, Fraction(25))
    assert evidence.video.split_group == "autolaparo/clips-test"


@pytest.mark.parametrize("row", ["228\t7\t3", "228\tup\t3", "228\t1\t9"])
def test_a_motion_or_phase_that_is_not_listed_is_an_unknown_label(clip, row: str) -> None:
    evidence = clip(motions=f"{row}\n")
    assert [(e.code, e.where) for e in evidence.rejected] == [(Code.UNKNOWN_LABEL, f"{MOTIONS}:2")]
    assert evidence.spans == ()
    assert evidence.books[0].balanced


@pytest.mark.parametrize("row", ["x\t1\t1", "228\t1\t1", "0\t1\t1", "1000\t1\t1", "228\t1"])
def test_a_motion_of_no_clip_is_named(clip, row: str) -> None:
    with pytest.raises(SourceBroken) as error:
        clip(motions=f"228\t1\t1\n{row}\n")
    assert error.value.where == f"{MOTIONS}:3"


def test_a_clip_without_motion_and_masks_names_what_is_missing(lay, tmp_path: Path) -> None:
    lay(f"{TWO}/clips/228.mp4", "film")
    assert Reader(tmp_path).videos() == ["clip228"]
    with pytest.raises(SourceMissing) as error:
        Reader(tmp_path).read("clip228")
    assert error.value.where == MOTIONS


def test_clips_are_those_of_the_table_where_nothing_else_is(lay, tmp_path: Path) -> None:
    lay(MOTIONS, "Clip\tLabel\tPhase\n300\t1\t1\n007\t1\t1\n")
    assert Reader(tmp_path).videos() == ["clip007", "clip300"]


def test_a_tool_is_its_manipulator_and_its_shaft(clip) -> None:
    evidence = clip(ground((20, 4, 3, 8, 6), (40, 8, 3, 20, 6)))
    table = evidence.instruments
    assert [table.labels[code] for code in table.label] == ["grasper"]
    assert table.box_xyxy.tolist() == [[4 / 40, 3 / 30, 20 / 40, 6 / 30]]
    shares = {a.name: a.values.tolist() for a in table.attributes}
    assert shares == {"area": [48 / 1200], "manipulator_area": [12 / 1200],
                      "shaft_area": [36 / 1200]}  # fmt: skip
    assert evidence.video.vocabulary == ("dissecting_forceps", "grasper", "hook", "ligasure")


def test_two_pieces_may_be_two_tools_and_have_no_box(clip) -> None:
    table = clip(ground((140, 0, 0, 5, 5), (140, 20, 20, 25, 25))).instruments
    assert np.isnan(table.box_xyxy).all()
    assert area_of(table.masks[0]) == 50 / 1200


def test_the_one_uterus_has_a_box_around_all_its_pieces(clip) -> None:
    evidence = clip(ground((180, 0, 0, 40, 10), (60, 0, 10, 40, 20), (180, 0, 20, 40, 30)))
    assert evidence.regions["structure"].box_xyxy.tolist() == [[0, 0, 1, 1]]
    assert evidence.regions["structure"].labels == ("uterus",)


def test_mask_names_count_frames_from_one(clip) -> None:
    table = clip(ground(), ground(), ground()).instruments
    assert table.frames.tolist() == [0, 24, 49]
    assert table.instants_us.tolist() == [0, 960_000, 1_960_000]
    assert table.sample.size == 0  # annotated and empty


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(ground((30, 0, 0, 2, 2)), Code.BAD_MASK, id="another-grey"),
        pytest.param(ground((200, 0, 0, 2, 2)), Code.BAD_MASK, id="shaft-of-the-uterus"),
        pytest.param(png(np.full((8, 8, 3), (20, 0, 0), np.uint8)), Code.BAD_MASK, id="colour"),
        pytest.param(png(np.zeros((8, 8, 3), np.uint8))[:-9], Code.UNREADABLE, id="cut"),
        pytest.param(b"no picture", Code.UNREADABLE, id="text"),
        pytest.param(b"", Code.UNREADABLE, id="empty"),
    ],
)
def test_a_bad_mask_is_rejected_and_its_instant_unknown(clip, lay, data, code) -> None:
    lay(f"{THREE}/masks/228025.png", data)
    lay(f"{THREE}/masks/228251.png", ground())
    evidence = clip(ground((20, 0, 0, 4, 4)))
    assert evidence.instruments.frames.tolist() == [0]
    assert [(entry.code, entry.where) for entry in evidence.rejected] == [
        (code, f"{THREE}/masks/228025.png"), (Code.BAD_FRAME, f"{THREE}/masks/228251.png"),
    ]  # fmt: skip
    assert (evidence.books[0].read, evidence.books[0].kept) == (3, 1)


def test_the_official_split_is_of_operations_and_of_clips() -> None:
    split = registry.files("autolaparo").splits["official"]
    assert (split["10"], split["14"], split["15"]) == ("train", "val", "test")
    assert (split["clip170"], split["clip171"], split["clip228"]) == ("train", "val", "test")


def test_a_real_clip_is_as_long_as_clips_are_taken_to_be(real_dataset) -> None:
    found = recording(place(real_dataset("autolaparo")), ["files/Up-1_2.mp4"], probed=True)
    assert (found.fps, found.duration_us) == (FPS, CLIP_US)
    assert found.duration_us * found.fps / 1_000_000 == FRAMES
    assert (found.media.kind, found.media.width, found.media.height) == (
        MediaKind.VIDEO, 1920, 1080,
    )  # fmt: skip
