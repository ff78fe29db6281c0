"""HeiChole's quirks; no real label file is public in a repository."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms import registry

Reader = registry.load_reader("heichole")

PHASE, SKILL = "Phase/Hei-Chole1_Annotation_Phase.csv", "Skill/Hei-Chole1_Skill.csv"
TYPES = "Instrument/Hei-Chole1_Annotation_Instrument_Detailed.csv"
CATEGORIES = "Instrument/Hei-Chole1_Annotation_Instrument.csv"
ACTION, HANDS = (f"Action/Hei-Chole1_Annotation_Action{end}.csv" for end in ("", "_Detailed"))


@pytest.fixture
def read(tmp_path: Path):
    def reading(files: dict[str, str], video: str = "Hei-Chole1", **more) -> VideoEvidence:
        for name, text in files.items():
            path = tmp_path / "Annotations" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Reader(tmp_path, **more).read(video)

    return reading


def line(frame: int, width: int, *on: int) -> str:
    return ",".join([str(frame), *(str(int(column in on)) for column in range(width))]) + "\n"


def phases(*codes: object, first: int = 0) -> str:
    return "".join(f"{frame},{code}\n" for frame, code in enumerate(codes, start=first))


def told(evidence: VideoEvidence, kind: str) -> list[tuple[str, str, int, int]]:
    return [
        (s.label, s.subject, s.start_us // 1000, s.end_us // 1000)
        for s in evidence.spans if s.kind == kind
    ]  # fmt: skip


def seen(evidence: VideoEvidence) -> list[tuple[int, str]]:
    table = evidence.instruments
    return [
        (int(table.frames[sample]), table.labels[label])
        for sample, label in zip(table.sample, table.label, strict=True)
    ]


def codes(evidence: VideoEvidence) -> list[tuple[Code, str, int]]:
    return [(e.code, e.where.removeprefix("Annotations/"), e.count) for e in evidence.rejected]


def render(path: Path, frames: int, rate: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=rate)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(frames):
            picture = np.full((48, 64, 3), number % 256, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


# ---- time


@pytest.mark.parametrize(("number", "ms"), [(1, 40), (15, 40), (16, 20), (22, 40), (24, 20)])
def test_without_films_the_known_rates_hold(read, number: int, ms: int) -> None:
    name = f"Phase/Hei-Chole{number}_Annotation_Phase.csv"
    evidence = read({name: phases(0, 0, 1)}, f"Hei-Chole{number}")
    assert told(evidence, "phase") == [
        ("preparation", "", 0, 2 * ms), ("calot_triangle_dissection", "", 2 * ms, 3 * ms),
    ]  # fmt: skip
    assert evidence.video.fps == 1000 // ms


def test_a_film_tells_its_rate_and_length(read, tmp_path: Path) -> None:
    render(tmp_path / "Videos/Full/hei-chole1.mp4", 30, 10)
    video = read({PHASE: phases(0, 0, 1)}).video
    assert (video.fps, video.duration_us, video.clock) == (10, 3_000_000, Clock.TIME)
    assert (video.media.kind, video.media.path) == (MediaKind.VIDEO, "Videos/Full/hei-chole1.mp4")
    assert (video.media.width, video.media.height) == (64, 48)


def test_a_film_that_is_too_short_for_its_labels_is_another_film(read, tmp_path: Path) -> None:
    render(tmp_path / "Videos/Full/HeiChole1.mp4", 5, 5)
    with pytest.raises(SourceBroken) as error:
        read({PHASE: phases(*[0] * 20)})
    assert error.value.where == "Videos/Full/HeiChole1.mp4"
    assert read({}, rate=Fraction(25)).video.duration_us == 1_000_000


def test_of_an_unknown_video_only_the_order_is_known(read) -> None:
    name = "Phase/Hei-Chole30_Annotation_Phase.csv"
    assert read({name: phases(0, 1)}, "Hei-Chole30").video.clock is Clock.ORDER
    video = read({}, "Hei-Chole30", rate=Fraction(50)).video
    assert (video.clock, video.duration_us) == (Clock.TIME, 40_000)


def test_frames_may_count_from_one(read) -> None:
    evidence = read({PHASE: phases(0, 1, first=1), TYPES: line(1, 31, 6) + line(2, 31)})
    assert told(evidence, "phase")[0] == ("preparation", "", 0, 40)
    assert seen(evidence) == [(0, "hook")]
    evidence = read({TYPES: line(0, 31, 6) + line(1, 31)})
    assert told(evidence, "phase")[0] == ("preparation", "", 40, 80)


# ---- files


def test_one_is_not_ten_and_names_are_written_in_many_ways(read, tmp_path: Path) -> None:
    read({
        "Phase/hei-chole10_annotation_phase.csv": phases(3),
        "Phase/HeiChole1_Annotation_Phase.csv": phases(2),
        "Phase/Raw_annotations.csv": "ignored",
    })  # fmt: skip
    reader = Reader(tmp_path)
    assert reader.videos() == ["Hei-Chole1", "Hei-Chole10"]
    assert told(reader.read("Hei-Chole1"), "phase")[0][0] == "clipping_and_cutting"
    assert told(reader.read("Hei-Chole10"), "phase")[0][0] == "gallbladder_dissection"
    with pytest.raises(SourceMissing) as error:
        reader.read("Hei-Chole2")
    assert error.value.where == "Annotations/Phase/Hei-Chole2_Annotation_Phase.csv"


def test_types_are_read_where_they_are_and_categories_else(read) -> None:
    categories = line(0, 21, 0, 2) + line(1, 21, 20)
    evidence = read({CATEGORIES: categories})
    assert seen(evidence) == [(0, "coagulation_instrument"), (0, "grasper"),
                              (1, "unidentified_shaft")]  # fmt: skip
    evidence = read({TYPES: line(0, 31, 5, 14) + line(1, 31)})
    assert seen(evidence) == [(0, "ligasure"), (0, "tiger_mouth_forceps")]
    assert evidence.instruments.row.tolist() == [5, 14]
    assert evidence.instruments.frames.tolist() == [0, 1]  # annotated and empty
    assert len(evidence.video.vocabulary) == 22
    assert [source.path for source in evidence.video.sources] == [f"Annotations/{TYPES}"]


def test_a_reserved_column_is_an_unknown_label(read) -> None:
    text = line(0, 31, 6) + line(1, 31, 6, 25) + line(2, 31, 21) + line(3, 31, 6)
    evidence = read({TYPES: text})
    assert seen(evidence) == [(0, "hook"), (3, "hook")]
    assert codes(evidence) == [(Code.UNKNOWN_LABEL, f"{TYPES}:2", 2)]
    assert (evidence.books[0].read, evidence.books[0].kept) == (4, 2)


def test_a_phase_that_is_not_listed_is_an_unknown_label(read) -> None:
    evidence = read({PHASE: phases(0, 7, 7, 1)})
    assert codes(evidence) == [(Code.UNKNOWN_LABEL, f"{PHASE}:2", 2)]
    assert [label for label, *_ in told(evidence, "phase")] == [
        "preparation", "calot_triangle_dissection",
    ]  # fmt: skip


def test_numbers_may_be_written_with_blanks_and_as_decimals(read) -> None:
    evidence = read({ACTION: "0.0, 1.0,0 ,0,0\n1,0,0,0,0\n"})
    assert told(evidence, "action") == [("grasping", "", 0, 40)]


def test_a_file_that_ends_before_the_others_is_noted(read) -> None:
    evidence = read({PHASE: phases(0, 0, 0), ACTION: line(0, 4, 1)})
    assert codes(evidence) == [(Code.INCOMPLETE_INSTANT, f"{ACTION}:1", 1)]
    assert evidence.rejected[0].outcome == "repaired"
    assert evidence.video.duration_us == 120_000


# ---- actions and skill


def test_actions_of_hands_have_a_subject_and_those_of_the_scene_have_none(read) -> None:
    evidence = read({ACTION: line(0, 4, 1, 2), HANDS: line(0, 12, 1, 4 + 2)})
    assert told(evidence, "action") == [
        ("cutting", "", 0, 40), ("cutting", "right_hand", 0, 40),
        ("holding", "", 0, 40), ("holding", "left_hand", 0, 40),
    ]  # fmt: skip


def test_hands_that_do_not_do_what_the_scene_does_are_not_believed(read) -> None:
    evidence = read({
        ACTION: line(0, 4, 1) + line(1, 4, 1), HANDS: line(0, 12, 8 + 1) + line(1, 12, 3),
    })  # fmt: skip
    assert codes(evidence) == [(Code.CONTRADICTION, f"{HANDS}:2", 1)]
    assert ("holding", "assistant", 0, 40) in told(evidence, "action")


def test_five_scores_are_labels_of_the_whole_operation(read) -> None:
    evidence = read({SKILL: "5,4,4,3,2\n"})
    assert {label.label: label.value for label in evidence.labels} == {
        "heichole_depth_perception": 5, "heichole_bimanual_dexterity": 4,
        "heichole_efficiency": 4, "heichole_tissue_handling": 3, "heichole_case_difficulty": 2,
    }  # fmt: skip
    assert evidence.video.clock is Clock.WHOLE
    assert evidence.instruments is None


def test_scores_of_a_phase_hold_from_its_first_start_to_its_last_end(read) -> None:
    name = "Skill/Hei-Chole1_Calot_Skill.csv"
    evidence = read({PHASE: phases(0, 1, 2, 1, 3), name: "1,2,3,4,5\n"})
    assert told(evidence, "rating") == [
        (f"heichole_{what}", "", 40, 160)
        for what in sorted(("depth_perception", "bimanual_dexterity", "efficiency",
                            "tissue_handling", "case_difficulty"))
    ]  # fmt: skip
    values = {span.label: span.value for span in evidence.spans if span.kind == "rating"}
    assert values["heichole_tissue_handling"] == 4
    assert evidence.labels == ()


def test_a_rated_phase_that_nobody_noted_has_no_time(read) -> None:
    name = "Skill/Hei-Chole1_Dissection_Skill.csv"
    evidence = read({PHASE: phases(0, 1), name: "1,2,3,4,5\n"})
    assert codes(evidence) == [(Code.BAD_TIME, f"{name}:1", 1)]


@pytest.mark.parametrize(
    ("text", "code", "count"),
    [
        ("5,4,4,3\n", Code.BAD_ROW, 1),
        ("5,4,4,3,2\n5,4,4,3,2\n", Code.BAD_ROW, 2),
        ("5,4,4,3,6\n", Code.BAD_VALUE, 1),
        ("5,4,4,3,0\n", Code.BAD_VALUE, 1),
        ("5,4,4,3,2.5\n", Code.BAD_VALUE, 1),
    ],
)
def test_bad_scores_are_rejected(read, text: str, code: Code, count: int) -> None:
    evidence = read({SKILL: text})
    assert codes(evidence) == [(code, f"{SKILL}:1", count)]
    assert evidence.labels == () and evidence.books[0].balanced
