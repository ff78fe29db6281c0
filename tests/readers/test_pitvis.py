"""PitVis' quirks; of the release itself only five frames are public."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Code, MediaKind, VideoEvidence
from surgqa.transforms import registry
from surgqa.transforms.media.found import frames_media
from surgqa.transforms.places import place
from surgqa.transforms.readers.pitvis.reader import Reader

HEADER = "int_video,int_time,int_step,int_instrument1,int_instrument2\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    registry.load_sample("pitvis")(tmp_path)
    return tmp_path


@pytest.fixture
def read(root: Path):
    """Reads video 4 of rows ``step,instrument1,instrument2``, second by second."""

    def reading(*rows: str, last: str = "-1,-1,-2") -> VideoEvidence:
        lines = (f"4,{second},{row}\n" for second, row in enumerate((*rows, last)))
        (root / "annotations_04.csv").write_text(HEADER + "".join(lines))
        return Reader(root).read("04")

    return reading


def told(evidence: VideoEvidence) -> list[tuple[str, str, int, int]]:
    return [(s.kind, s.label, s.start_us // 10**6, s.end_us // 10**6) for s in evidence.spans]


def seen(evidence: VideoEvidence) -> list[tuple[int, str]]:
    table = evidence.instruments
    return [
        (int(table.frames[sample]), table.labels[label])
        for sample, label in zip(table.sample, table.label, strict=True)
    ]


def codes(evidence: VideoEvidence) -> list[tuple[Code, str, int]]:
    return [
        (entry.code, entry.outcome, int(entry.where.split(":")[1])) for entry in evidence.rejected
    ]


LAST = (Code.BAD_TIME, "rejected")


def test_the_row_after_the_last_picture_is_left_out(read) -> None:
    evidence = read("1,0,-2", "1,5,-2")
    assert evidence.video.duration_us == 2_000_000
    assert evidence.instruments.frames.tolist() == [0, 1]
    assert codes(evidence) == [(*LAST, 4)]


def test_a_table_that_does_not_end_with_background_is_cut_short(read) -> None:
    evidence = read("1,5,-2", last="1,1,-2")
    assert codes(evidence) == [(Code.INCOMPLETE_INSTANT, "rejected", 3)]
    assert seen(evidence) == [(0, "freer_elevator")]


def test_background_is_out_of_body_between_two_steps_alone(read) -> None:
    out = "-1,-1,-2"
    evidence = read(out, "1,0,-2", out, out, "5,8,-2", out)
    assert told(evidence) == [
        ("event", "out_of_body", 2, 4),
        ("step", "nasal_corridor_creation", 1, 2),
        ("step", "sellotomy", 4, 5),
    ]
    assert evidence.video.duration_us == 6_000_000


def test_out_of_the_patient_nothing_is_known_and_inside_nothing_may_be_seen(read) -> None:
    evidence = read("1,0,-2", "-1,-1,-2", "1,16,-2")
    assert evidence.instruments.frames.tolist() == [0, 2]
    assert seen(evidence) == [(2, "suction_instrument")]


def test_two_instruments_keep_their_columns(read) -> None:
    evidence = read("7,13,16")
    assert seen(evidence) == [(0, "ring_curette"), (0, "suction_instrument")]
    assert evidence.instruments.row.tolist() == [1, 2]


def test_a_second_instrument_zero_is_none(read) -> None:
    evidence = read("7,13,0")
    assert seen(evidence) == [(0, "ring_curette")]
    assert codes(evidence) == [(Code.BAD_VALUE, "repaired", 2), (*LAST, 3)]
    assert (evidence.books[0].read, evidence.books[0].kept) == (2, 1)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        pytest.param("-1,5,-2", Code.CONTRADICTION, id="a-tool-outside"),
        pytest.param("1,-1,-2", Code.CONTRADICTION, id="a-step-outside"),
        pytest.param("1,0,16", Code.CONTRADICTION, id="second-without-first"),
        pytest.param("15,1,-2", Code.UNKNOWN_LABEL, id="step-15"),
        pytest.param("1,19,-2", Code.UNKNOWN_LABEL, id="instrument-19"),
        pytest.param("0,1,-2", Code.UNKNOWN_LABEL, id="step-0"),
        pytest.param("1,1,-3", Code.UNKNOWN_LABEL, id="second-minus-3"),
        pytest.param("1,,-2", Code.BAD_ROW, id="empty"),
        pytest.param("1,1", Code.BAD_ROW, id="short"),
    ],
)
def test_a_bad_row_is_rejected_with_its_place(read, row: str, code: Code) -> None:
    evidence = read("1,1,-2", row, "1,1,-2")
    assert codes(evidence) == [(code, "rejected", 3), (*LAST, 5)]
    assert evidence.instruments.frames.tolist() == [0, 2]
    assert told(evidence)[0] == ("step", "nasal_corridor_creation", 0, 1)


def test_a_row_of_another_video_is_a_contradiction(root: Path) -> None:
    (root / "annotations_04.csv").write_text(HEADER + "4,0,1,1,-2\n5,1,1,1,-2\n4,2,-1,-1,-2\n")
    assert codes(Reader(root).read("04")) == [
        (Code.CONTRADICTION, "rejected", 3), (*LAST, 4),
    ]  # fmt: skip


def test_a_second_that_stands_twice_is_not_used(root: Path) -> None:
    rows = "4,0,1,1,-2\n4,1,1,1,-2\n4,1,1,2,-2\n4,2,-1,-1,-2\n"
    (root / "annotations_04.csv").write_text(HEADER + rows)
    evidence = Reader(root).read("04")
    assert [entry.code for entry in evidence.rejected] == [
        Code.DUPLICATE_FRAME, Code.DUPLICATE_FRAME, Code.BAD_TIME,
    ]  # fmt: skip
    assert evidence.instruments.frames.tolist() == [0]


def test_names_are_taken_from_the_lists_and_spelt_either_way(read, root: Path) -> None:
    path = root / "map_instruments.csv"
    path.write_text(path.read_text().replace("1,bipolar forceps", "1,Ring_Curette"))
    assert seen(read("1,1,-2")) == [(0, "ring_curette")]


def test_minus_one_and_zero_have_several_names(root: Path) -> None:
    assert (root / "map_steps.csv").read_text().count("\n-1,") == 3
    assert (root / "map_instruments.csv").read_text().count("\n0,") == 2
    assert Reader(root).read("01").instruments.labels[:2] == ("bipolar", "cottle")


@pytest.mark.parametrize("line", ["5,sellotomy", "x,sellotomy", "sellotomy"])
def test_a_list_of_names_that_is_not_understood_is_broken(root: Path, line: str) -> None:
    path = root / "map_steps.csv"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(SourceBroken) as error:
        Reader(root).read("01")
    assert error.value.where == "map_steps.csv:19"


def test_a_list_under_its_other_name_will_do(read, root: Path) -> None:
    (root / "map_instruments.csv").rename(root / "map_instrument.csv")
    assert seen(read("1,5,-2")) == [(0, "freer_elevator")]
    (root / "map_instrument.csv").unlink()
    with pytest.raises(SourceMissing) as error:
        Reader(root).read("04")
    assert error.value.where == "map_instruments.csv"


def test_there_is_no_table_of_video_19() -> None:
    ids = registry.files("pitvis").video_ids
    assert len(ids) == 24 and "19" not in ids and ids[-1] == "25"


def test_real_frames_are_measured_by_their_content_and_not_by_their_name(real_dataset) -> None:
    root = real_dataset("pitvis")
    media = frames_media(place(root), "docker_example/inputs/01", ())
    assert (media.kind, media.width, media.height) == (MediaKind.FRAMES, 1280, 720)
    first = (root / "docker_example/inputs/01/00000.png").read_bytes()
    assert first.startswith(b"\xff\xd8")  # JPEG, whatever it is called
