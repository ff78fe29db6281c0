"""Quirks of EndoVis VQLA's question-and-answer files, one test each."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceMissing
from surgqa.ontology.records import Clock, Code, VideoEvidence
from surgqa.pipeline.cli.contract import problems_of
from surgqa.transforms import registry

Reader = registry.load_reader("endovis18_vqla")

KIDNEY = "What organ is being operated?|kidney|1, 1, 1281, 1025"
STATE = "What is the state of bipolar forceps?|Grasping|641, 513, 1281, 1025"
PLACE = "Where is bipolar forceps located?|right-bottom|641, 513, 1281, 1025"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write frames of sequence 3, each as lines, and read it."""

    def write_and_read(*frames: list[str], folder: str = "vqla/label") -> VideoEvidence:
        for number, lines in enumerate(frames):
            path = tmp_path / "seq_3" / folder / f"frame{number:03d}_QA.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n")
        evidence = Reader(tmp_path, rate=Fraction(2)).read("seq_3")
        assert not list(problems_of(evidence))
        return evidence

    return write_and_read


def tools(evidence: VideoEvidence) -> list[tuple[str, list[float], dict[str, str]]]:
    table, out = evidence.instruments, []
    for i in range(table.sample.size):
        told = {a.name: a.words[int(a.values[i])] for a in table.attributes}
        out.append((table.labels[table.label[i]], table.box_xyxy[i].tolist(), told))
    return out


def codes(evidence: VideoEvidence) -> list[tuple[str, str, str]]:
    return [(e.code, e.where.rpartition(":")[2], e.outcome) for e in evidence.rejected]


def test_state_and_place_of_a_tool_are_one_instrument(read) -> None:
    evidence = read([KIDNEY, STATE, PLACE])
    told = {"action": "grasping", "place": "right_bottom"}
    assert tools(evidence) == [("bipolar", [0.5, 0.5, 1, 1], told)]
    assert evidence.rejected == ()
    organs = evidence.regions["structure"]
    assert organs.labels == ("kidney",) and organs.box_xyxy.tolist() == [[0, 0, 1, 1]]


def test_a_question_is_no_key_two_tools_of_a_kind_have_two_boxes(read) -> None:
    other = [line.replace("641, 513, 1281, 1025", "1, 1, 641, 513") for line in (STATE, PLACE)]
    evidence = read([KIDNEY, STATE, other[0], other[1], PLACE])
    assert [box for _, box, _ in tools(evidence)] == [[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]


def test_the_older_form_has_no_boxes_and_pairs_tools_in_order(read) -> None:
    frame = [
        "What organ is being operated?|kidney",
        "What is the state of large_needle_driver?|Suturing",
        "What is the state of large_needle_driver?|Idle",
        "Where is large_needle_driver located?|left-top",
        "Where is large_needle_driver located?|right-top",
    ]
    evidence = read(frame, folder="vqa/Classification")
    assert [told for _, _, told in tools(evidence)] == [
        {"action": "suturing", "place": "left_top"},
        {"action": "idling_instrument", "place": "right_top"},
    ]
    assert evidence.instruments.box_origin == "none"


def test_words_are_told_apart_without_case_dashes_and_underscores(read) -> None:
    frame = [
        KIDNEY,
        "What is the state of clip_applier?|tool-manipulation|5, 5, 9, 9",
        "What is the tool in the left bottom?|clip-applier|5, 5, 9, 9",
    ]
    ((tool, _, told),) = tools(read(frame))
    assert (tool, told) == (
        "clipper", {"action": "manipulating_tool", "place": "left_bottom"},
    )  # fmt: skip


def test_actions_are_spans_over_frames_in_a_row(read) -> None:
    idle = STATE.replace("Grasping", "Idle")
    frames = [[KIDNEY, STATE, PLACE]] * 2 + [[KIDNEY, idle, PLACE], [KIDNEY, STATE, PLACE]]
    evidence = read(*frames)
    spans = [(s.label, s.start_us // 10**6, s.end_us // 10**6) for s in evidence.spans]
    assert spans == [("grasping", 0, 2), ("idling_instrument", 2, 3), ("grasping", 3, 4)]
    assert {span.subject for span in evidence.spans} == {"bipolar"}


def test_frames_were_taken_out_so_no_rate_makes_them_times(read) -> None:
    video = read([KIDNEY]).video
    assert (video.clock, video.fps, video.split_group) == (Clock.ORDER, 1, "endovis2018/seq_3")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("What is the state of spoon?|Idle|1, 1, 5, 5", Code.UNKNOWN_LABEL),
        ("What is the state of suction?|Dancing|1, 1, 5, 5", Code.UNKNOWN_LABEL),
        ("Where is suction located?|middle|1, 1, 5, 5", Code.UNKNOWN_LABEL),
        ("How many tools are there?|2|1, 1, 5, 5", Code.UNKNOWN_LABEL),
        ("Where is suction located?|left-top|5, 5, 1, 1", Code.BAD_BOX),
        ("Where is suction located?|left-top|0, 1, 5, 5", Code.BAD_BOX),
        ("Where is suction located?|left-top|1, 1, 1400, 5", Code.BAD_BOX),
        ("Where is suction located?|left-top|1, 1, 5", Code.BAD_BOX),
        ("nothing", Code.BAD_ROW),
        (STATE, Code.CONTRADICTION),
    ],
)
def test_a_line_that_cannot_be_takes_the_whole_frame(read, line: str, code: Code) -> None:
    evidence = read([KIDNEY, STATE, PLACE, line], [KIDNEY])
    assert evidence.instruments.frames.tolist() == [1]
    assert codes(evidence) == [
        (Code.INCOMPLETE_INSTANT, "1", "rejected"),
        (code, "4", "rejected"),
    ]
    assert (evidence.books[0].read, evidence.books[0].kept) == (5, 1)


def test_a_tool_whose_lines_have_different_boxes_is_not_two_tools(read) -> None:
    evidence = read([KIDNEY, STATE, PLACE.replace("641", "640")])
    assert evidence.instruments.frames.size == 0
    assert (Code.CONTRADICTION, "2", "rejected") in codes(evidence)


def test_what_is_lacking_is_noted_and_the_rest_kept(read) -> None:
    evidence = read([STATE])
    assert [label for label, _, _ in tools(evidence)] == ["bipolar"]
    assert [(e.code, e.outcome) for e in evidence.rejected] == [
        (Code.INCOMPLETE_INSTANT, "repaired")
    ] * 2
    assert len(read([KIDNEY, PLACE]).rejected) == 1


def test_features_tell_which_labels_are_missing(read, tmp_path: Path) -> None:
    read([KIDNEY])
    features = tmp_path / "seq_3" / "vqla" / "img_features" / "5x5"
    features.mkdir(parents=True)
    for number in (0, 1):
        (features / f"frame{number:03d}.hdf5").write_bytes(b"")
    missing = Reader(tmp_path).missing()
    assert "seq_3/vqla/label/frame001_QA.txt" in missing
    assert "seq_3/vqla/label/frame000_QA.txt" not in missing
    with pytest.raises(SourceMissing, match="seq_4/vqla/label"):
        Reader(tmp_path).read("seq_4")
