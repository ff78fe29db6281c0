"""Quirks of CholecT50's label files, one test each."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import IDLE, UNKNOWN, Code, MediaKind, Rejected, VideoEvidence
from surgqa.transforms.readers.cholect50.reader import Reader
from surgqa.transforms.samples.pictures import jpeg, picture
from tests.readers.made import cholect50 as sample

NULL = [-1, -1, -1.0, *[-1.0] * 4, -1, -1, *[-1.0] * 5, 2]
NAME = "labels/VID01.json"


BOX = (0.1, 0.2, 0.3, 0.4)


def row(
    triplet: float = 17, instrument: int = 0, verb: int = 1, target: int = 0, phase: float = 2,
    box: tuple[float, ...] = BOX, score: float = 1.0,
) -> list[float]:  # fmt: skip
    """One label row; by default a grasper retracting the gallbladder."""
    return [triplet, instrument, score, *box, verb, target, 1.0, *[-1.0] * 4, phase]


NO_BOX = (-1.0,) * 4
IDLE_HOOK = row(96, 2, 9, 14)


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., VideoEvidence]:
    """Write one label file, change it, read it."""
    sample.write(tmp_path, procedures=1, seconds=1, pictures=None)
    whole = json.loads((tmp_path / NAME).read_text())

    def write_and_read(
        annotations: dict[str, Any],
        change: Callable[[dict[str, Any]], Any] | None = None,
        text: Callable[[str], str] = lambda text: text,
    ) -> VideoEvidence:
        parsed = {**deepcopy(whole), "annotations": annotations}
        if change:
            change(parsed)
        (tmp_path / NAME).write_text(text(json.dumps(parsed)))
        evidence = Reader(tmp_path).read("VID01")
        assert all(books.balanced for books in evidence.books)
        return evidence

    return write_and_read


def codes(evidence: VideoEvidence) -> list[tuple[str, str, int]]:
    place = len(NAME) + 1
    return [(entry.code, entry.where[place:], entry.count) for entry in evidence.rejected]


def seconds(evidence: VideoEvidence) -> list[float]:
    return (evidence.instruments.instants_us / 1e6).tolist()


def pairs(evidence: VideoEvidence) -> list[Any]:
    table = evidence.instruments
    return [None if code == UNKNOWN else table.pair_sets[code] for code in table.pairs.tolist()]


# ---- what null means


def test_a_null_row_says_that_nothing_is_visible(read) -> None:
    evidence = read({"3": [NULL]})
    assert seconds(evidence) == [3]
    assert evidence.instruments.sample.size == 0
    assert [(span.label, span.start_us, span.end_us) for span in evidence.spans] == [
        ("clipping_and_cutting", 3_000_000, 4_000_000)
    ]
    assert (evidence.books[0].read, evidence.books[0].kept) == (1, 1)


def test_an_empty_list_says_the_same_and_counts_as_one_row(read) -> None:
    evidence = read({"3": [], "5": []})
    assert seconds(evidence) == [3, 5]
    assert evidence.spans == () and evidence.rejected == ()
    assert (evidence.books[0].read, evidence.books[0].kept) == (2, 2)


def test_no_verb_and_no_target_is_an_interaction_that_was_not_annotated(read) -> None:
    assert pairs(read({"0": [row(-1, 0, -1, -1)]})) == [None]


def test_the_null_verb_is_idling(read) -> None:
    assert pairs(read({"0": [IDLE_HOOK]})) == [(IDLE,)]


def test_a_verb_without_a_target_is_kept_as_not_annotated_and_reported(read) -> None:
    evidence = read({"0": [row(-1, 0, 1, -1)]})
    assert pairs(evidence) == [None]
    assert codes(evidence) == [(Code.BAD_ROW, 'annotations["0"][0]', 1)]
    assert evidence.rejected[0].outcome == "repaired"


def test_a_pair_outside_the_list_of_triplets_is_taken_from_verb_and_target(read) -> None:
    assert pairs(read({"0": [row(-1, 2, 4, 12)]})) == [(("clip", "gut"),)]


# ---- boxes


@pytest.mark.parametrize(
    ("box", "expected", "reason"),
    [
        pytest.param(NO_BOX, None, None, id="null"),
        pytest.param((0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.1 + 0.3, 0.2 + 0.4), None, id="inside"),
        pytest.param((0, 0, 1, 1), (0, 0, 1, 1), None, id="whole-picture"),
        pytest.param((0.8, 0.2, 0.3, 0.4), (0.8, 0.2, 1, 0.2 + 0.4), "cut", id="right"),
        pytest.param((-0.1, -0.2, 0.3, 0.4), (0, 0, -0.1 + 0.3, -0.2 + 0.4), "cut", id="left-top"),
        pytest.param((0.5, 0.5, 0.5 + 5e-10, 0.5), (0.5, 0.5, 1, 1), None, id="rounding"),
        pytest.param((0.5, 0.5, 0.5 + 2e-9, 0.5), (0.5, 0.5, 1, 1), "cut", id="just-beyond"),
        pytest.param((0.5, 0.5, 0, 0.1), None, "no width", id="no-width"),
        pytest.param((0.5, 0.5, 0.1, -0.1), None, "no width", id="inverted"),
        pytest.param((0.5, 0.5, 1e-300, 0.1), None, "no width", id="vanishing"),
        pytest.param((-1, 0.5, 0.1, 0.1), None, "outside", id="left-of-it"),
        pytest.param((1, 0.5, 0.1, 0.1), None, "outside", id="right-of-it"),
        pytest.param((320, 200, 50, 40), None, "not in parts", id="pixels"),
        pytest.param((0.5, 0.5, 1e308, 1e308), None, "not in parts", id="huge"),
        pytest.param((-1, -1, -1, 0.2), None, "no width", id="half-null"),
    ],
)
def test_boxes(read, box, expected, reason) -> None:
    evidence = read({"0": [row(box=box)]})
    found = evidence.instruments.box_xyxy[0].tolist()
    assert found == list(expected) if expected else np.isnan(found).all()
    assert evidence.instruments.box_origin == ("manual" if expected else "none")
    assert evidence.books[0].kept == 1
    if reason is None:
        assert evidence.rejected == ()
    else:
        (entry,) = evidence.rejected
        assert (entry.code, entry.outcome) == (Code.BAD_BOX, "repaired")
        assert entry.where == f'{NAME} annotations["0"][0]'
        assert reason in entry.reason


def test_rows_with_one_instrument_and_one_box_are_one_instance(read) -> None:
    evidence = read({"0": [row(7, 0, 0, 0), IDLE_HOOK, row(17, 0, 1, 0)]})
    assert pairs(evidence) == [(("grasp", "gallbladder"), ("retract", "gallbladder")), (IDLE,)]
    assert evidence.instruments.row.tolist() == [0, 1]


def test_boxes_that_are_equal_after_cutting_are_one_instance(read) -> None:
    boxes = ((0.8, 0.2, 0.25, 0.25), (0.8, 0.2, 0.3, 0.25))
    assert pairs(read({"0": [row(7, 0, 0, 0, box=boxes[0]), row(box=boxes[1])]})) == [
        (("grasp", "gallbladder"), ("retract", "gallbladder"))
    ]


def test_equal_rows_without_boxes_stay_two_instances(read) -> None:
    evidence = read({"0": [row(box=NO_BOX), row(box=NO_BOX), row(7, 0, 0, 0, box=NO_BOX)]})
    assert len(pairs(evidence)) == 3
    assert evidence.instruments.row.tolist() == [0, 1, 2]


def test_equal_rows_with_boxes_are_one(read) -> None:
    evidence = read({"0": [row(), row()]})
    assert pairs(evidence) == [(("retract", "gallbladder"),)]
    assert evidence.books[0].kept == 2


def test_two_instruments_may_share_a_box(read) -> None:
    assert len(pairs(read({"0": [row(), IDLE_HOOK]}))) == 2


@pytest.mark.parametrize("other", [row(94, 0, 9, 14), row(-1, 0, -1, -1)])
def test_one_instance_cannot_act_and_idle_or_act_and_be_unknown(read, other) -> None:
    evidence = read({"0": [row(), other, IDLE_HOOK], "1": [row()]})
    assert seconds(evidence) == [1]
    assert codes(evidence) == [
        (Code.CONTRADICTION, 'annotations["0"][0]', 1),
        (Code.CONTRADICTION, 'annotations["0"][1]', 1),
        (Code.INCOMPLETE_INSTANT, 'annotations["0"]', 1),
    ]


# ---- rows that can't be believed

BAD = [
    pytest.param(row()[:14], Code.BAD_ROW, "14 values", id="14-values"),
    pytest.param([*row(), 0], Code.BAD_ROW, "16 values", id="16-values"),
    pytest.param([], Code.BAD_ROW, "0 values", id="empty-row"),
    pytest.param(7, Code.BAD_ROW, "7 and no list", id="number-for-a-row"),
    pytest.param(None, Code.BAD_ROW, "None and no list", id="null-for-a-row"),
    pytest.param({"a": 1}, Code.BAD_ROW, "no list", id="object-for-a-row"),
    pytest.param([[1.0]] * 15, Code.BAD_ROW, "value 0 is [1.0]", id="nested"),
    pytest.param(["17", *row()[1:]], Code.BAD_ROW, "value 0 is '17'", id="text"),
    pytest.param([True, *row()[1:]], Code.BAD_ROW, "value 0 is True", id="true"),
    pytest.param([*row()[:14], None], Code.BAD_ROW, "value 14 is None", id="null"),
    pytest.param(row(score=float("nan")), Code.BAD_ROW, "value 2 is nan", id="nan"),
    pytest.param(row(score=float("inf")), Code.BAD_ROW, "value 2 is inf", id="infinity"),
    pytest.param([*row()[:3], 10**400, *row()[4:]], Code.BAD_ROW, "value 3", id="huge-integer"),
    pytest.param(row(17.5), Code.BAD_ROW, "triplet id 17.5", id="triplet-not-whole"),
    pytest.param(row(phase=0.5), Code.BAD_ROW, "phase id 0.5", id="phase-not-whole"),
    pytest.param(row(-1, 6, -1, -1), Code.UNKNOWN_LABEL, "instrument id 6", id="instrument-6"),
    pytest.param(row(-1, -2, -1, -1), Code.UNKNOWN_LABEL, "instrument id -2", id="instrument--2"),
    pytest.param(row(-1, 0, 10, 0), Code.UNKNOWN_LABEL, "verb id 10", id="verb-10"),
    pytest.param(row(-1, 0, 1, 15), Code.UNKNOWN_LABEL, "target id 15", id="target-15"),
    pytest.param(row(100), Code.UNKNOWN_LABEL, "triplet id 100", id="triplet-100"),
    pytest.param(row(17, 2), Code.CONTRADICTION, "triplet 17", id="other-instrument"),
    pytest.param(row(17, 0, 0), Code.CONTRADICTION, "triplet 17", id="other-verb"),
    pytest.param(row(17, 0, 1, 8), Code.CONTRADICTION, "triplet 17", id="other-target"),
    pytest.param(row(17, 0, -1, -1), Code.CONTRADICTION, "triplet 17", id="triplet-without-verb"),
    pytest.param(row(17, -1, -1, -1), Code.CONTRADICTION, "triplet 17", id="triplet-alone"),
    pytest.param(row(-1, -1, 1, 0), Code.CONTRADICTION, "without an instrument", id="verb-alone"),
    pytest.param(row(-1, -1, -1, -1), Code.CONTRADICTION, "without an instrument", id="box-alone"),
    pytest.param(row(-1, 0, 9, 0), Code.CONTRADICTION, "idle, but", id="idle-with-a-target"),
]


@pytest.mark.parametrize(("bad", "code", "reason"), BAD)
def test_a_bad_row_takes_its_instant_with_it(read, bad, code, reason) -> None:
    evidence = read({"4": [row(), bad, IDLE_HOOK], "5": [row()]})
    assert seconds(evidence) == [5]
    assert codes(evidence) == [
        (code, 'annotations["4"][1]', 1),
        (Code.INCOMPLETE_INSTANT, 'annotations["4"]', 2),
    ]
    assert reason in evidence.rejected[0].reason
    assert (evidence.books[0].read, evidence.books[0].kept) == (4, 1)
    assert [span.start_us for span in evidence.spans] == [5_000_000]


def test_a_frame_of_bad_rows_alone_leaves_no_incomplete_rest(read) -> None:
    evidence = read({"4": [row(100)], "5": [row()]})
    assert codes(evidence) == [(Code.UNKNOWN_LABEL, 'annotations["4"][0]', 1)]


@pytest.mark.parametrize("rows", [None, 3, {"0": row()}, "text", True])
def test_a_frame_that_holds_no_list_is_rejected(read, rows) -> None:
    evidence = read({"4": rows, "5": [row()]})
    assert seconds(evidence) == [5]
    assert codes(evidence) == [(Code.BAD_ROW, 'annotations["4"]', 1)]


def test_a_score_beyond_one_is_repaired(read) -> None:
    evidence = read({"0": [row(score=7.0), IDLE_HOOK], "1": [row(score=0.5)]})
    assert evidence.instruments.score.tolist() == [1.0, 1.0, 0.5]
    assert codes(evidence) == [(Code.BAD_ROW, 'annotations["0"][0]', 1)]


# ---- frames


@pytest.mark.parametrize(
    "key", ["-1", "1.5", "", "a", " 7", "1_0", "+7", "10000000", "9" * 30, "٣"]
)
def test_a_frame_id_that_is_no_frame_is_rejected(read, key: str) -> None:
    evidence = read({key: [row(), IDLE_HOOK], "5": [row()]})
    assert seconds(evidence) == [5]
    (entry,) = evidence.rejected
    assert (entry.code, entry.count) == (Code.BAD_FRAME, 2)
    assert repr(key) in entry.reason


def test_the_largest_frame_id_is_a_frame(read) -> None:
    assert seconds(read({"9999999": [row()]})) == [9_999_999]


def test_frames_may_stand_in_any_order_and_with_leading_zeros(read) -> None:
    evidence = read({"000020": [row()], "3": [], "10": [IDLE_HOOK]})
    assert seconds(evidence) == [3, 10, 20]
    assert evidence.instruments.frames.tolist() == [3, 10, 20]
    assert evidence.video.duration_us == 21_000_000


def test_a_frame_that_occurs_twice_is_not_used_at_all(read) -> None:
    copy = json.dumps(row())
    evidence = read(
        {"4": [row()], "5": [row()]},
        text=lambda text: text.replace('"annotations": {', f'"annotations": {{"4": [{copy}, [1]],'),
    )
    assert seconds(evidence) == [5]
    assert codes(evidence) == [(Code.DUPLICATE_FRAME, 'annotations["4"]', 3)]
    assert "occurs 2 times" in evidence.rejected[0].reason


def test_a_frame_under_two_spellings_occurs_twice(read) -> None:
    evidence = read({"4": [row()], "04": [row(), row()], "5": []})
    assert seconds(evidence) == [5]
    assert codes(evidence) == [
        (Code.DUPLICATE_FRAME, 'annotations["4"]', 1),
        (Code.DUPLICATE_FRAME, 'annotations["04"]', 2),
    ]


# ---- phases


def test_a_phase_is_an_interval_of_neighbouring_frames(read) -> None:
    frames = {"1": 0, "2": 0, "3": 1, "6": 1, "7": 1}
    evidence = read({key: [row(phase=phase)] for key, phase in frames.items()})
    spans = evidence.spans
    assert [(s.label, s.start_us // 10**6, s.end_us // 10**6, s.pointer) for s in spans] == [
        ("preparation", 1, 3, 'annotations["1"] to annotations["2"]'),
        ("calot_triangle_dissection", 3, 4, 'annotations["3"] to annotations["3"]'),
        ("calot_triangle_dissection", 6, 8, 'annotations["6"] to annotations["7"]'),
    ]  # fmt: skip


def test_rows_that_disagree_on_the_phase_leave_it_unknown(read) -> None:
    evidence = read({"1": [row(phase=0)], "2": [row(phase=0), row(phase=1, box=NO_BOX)]})
    assert [(span.start_us, span.end_us) for span in evidence.spans] == [(1_000_000, 2_000_000)]
    (entry,) = evidence.rejected
    assert (entry.code, entry.outcome) == (Code.CONTRADICTION, "repaired")
    assert entry.where == f'{NAME} annotations["2"]'
    assert seconds(evidence) == [1, 2]


def test_a_null_phase_is_no_phase_and_no_news(read) -> None:
    evidence = read({"1": [row(phase=-1)], "2": [row(phase=3), row(phase=-1, box=NO_BOX)]})
    assert [span.label for span in evidence.spans] == ["gallbladder_dissection"]
    assert evidence.rejected == ()


def test_an_unknown_phase_is_reported_and_costs_only_the_phase(read) -> None:
    evidence = read({"1": [row(phase=7)]})
    assert seconds(evidence) == [1]
    assert evidence.spans == ()
    assert codes(evidence) == [(Code.UNKNOWN_LABEL, 'annotations["1"][0]', 1)]
    assert evidence.rejected[0].outcome == "repaired"


# ---- names come from the file


def test_names_are_taken_from_the_file_and_not_from_memory(read) -> None:
    def swap(parsed: dict[str, Any]) -> None:
        names = parsed["categories"]
        names["instrument"] = {"5": "hook", "11": "grasper"}
        names["triplet"] = {"3": "hook,dissect,liver"}

    evidence = read({"1": [row(3, 5, 2, 8)], "2": [row(-1, 11)], "3": [row(-1, 0)]}, swap)
    assert evidence.video.vocabulary == ("grasper", "hook")
    assert [evidence.instruments.labels[i] for i in evidence.instruments.label] == [
        "hook", "grasper",
    ]  # fmt: skip
    assert codes(evidence) == [(Code.UNKNOWN_LABEL, 'annotations["3"][0]', 1)]


def test_a_new_name_is_an_unknown_label_and_leaves_the_vocabulary(read) -> None:
    def rename(parsed: dict[str, Any]) -> None:
        parsed["categories"]["instrument"]["2"] = "laser"

    evidence = read({"1": [row(-1, 2)], "2": [row()]}, rename)
    assert "hook" not in evidence.video.vocabulary and len(evidence.video.vocabulary) == 5
    assert "'laser'" in evidence.rejected[0].reason


def test_the_mapping_file_serves_files_without_triplets(read, tmp_path: Path) -> None:
    def drop(parsed: dict[str, Any]) -> None:
        del parsed["categories"]["triplet"]

    frames = {"1": [row()], "2": [row(17, 2)]}
    evidence = read(frames, drop)
    assert seconds(evidence) == [1]
    assert [source.path for source in evidence.video.sources] == [NAME, "label_mapping.txt"]
    (tmp_path / "label_mapping.txt").unlink()
    evidence = read(frames, drop)
    assert seconds(evidence) == [1, 2]
    assert [source.path for source in evidence.video.sources] == [NAME]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        pytest.param(lambda p: p.pop("annotations"), "annotations", id="no-annotations"),
        pytest.param(lambda p: p.pop("categories"), "categories", id="no-categories"),
        pytest.param(lambda p: p["categories"].pop("verb"), "categories.verb", id="no-verbs"),
        pytest.param(lambda p: p.update(annotations=[]), "annotations", id="annotations-a-list"),
        pytest.param(lambda p: p.update(categories=None), "categories", id="categories-null"),
        pytest.param(
            lambda p: p["categories"].update(target=["liver"]), "categories.target", id="list"
        ),
        pytest.param(
            lambda p: p["categories"]["target"].update({"x": "liver"}),
            'categories.target["x"]', id="id-no-number",
        ),
        pytest.param(
            lambda p: p["categories"]["verb"].update({"1": 5}), 'categories.verb["1"]', id="name-5"
        ),
        pytest.param(
            lambda p: p["categories"]["verb"].update({"10": "clip"}),
            'categories.verb["10"]', id="name-twice",
        ),
        pytest.param(
            lambda p: p["categories"]["verb"].update({"00": "x"}),
            'categories.verb["00"]', id="id-twice",
        ),
        pytest.param(lambda p: p.pop("fps"), "fps", id="no-fps"),
        pytest.param(lambda p: p.update(fps=0), "fps", id="fps-0"),
        pytest.param(lambda p: p.update(fps=-25), "fps", id="fps-negative"),
        pytest.param(lambda p: p.update(fps=True), "fps", id="fps-true"),
        pytest.param(lambda p: p.update(fps="1"), "fps", id="fps-text"),
        pytest.param(lambda p: p.update(fps=float("nan")), "fps", id="fps-nan"),
        pytest.param(lambda p: p.update(fps=10**400), "fps", id="fps-huge"),
        pytest.param(lambda p: p.update(fps=1e-9), "fps", id="fps-tiny"),
        pytest.param(lambda p: p.update(video=2), "video", id="another-video"),
        pytest.param(lambda p: p.update(video=True), "video", id="video-true"),
        pytest.param(lambda p: p.update(video=[1]), "video", id="video-list"),
    ],
)  # fmt: skip
def test_a_file_that_lacks_what_holds_for_all_rows_is_broken(read, change, where) -> None:
    with pytest.raises(SourceBroken) as error:
        read({"1": [row()]}, change)
    assert error.value.where == f"{NAME} {where}"
    assert error.value.found and error.value.expected


@pytest.mark.parametrize(
    ("insert", "place"),
    [
        pytest.param('"fps": 25, ', "fps", id="fps"),
        pytest.param('"annotations": {}, ', "annotations", id="annotations"),
        pytest.param('"categories": {}, ', "categories", id="categories"),
    ],
)
def test_a_part_that_occurs_twice_is_broken(read, insert: str, place: str) -> None:
    with pytest.raises(SourceBroken) as error:
        read({"1": [row()]}, text=lambda text: "{" + insert + text[1:])
    assert error.value.where == f"{NAME} {place}"


def test_the_file_may_leave_out_its_number_or_write_it_as_text(read) -> None:
    assert seconds(read({"1": []}, lambda parsed: parsed.pop("video"))) == [1]
    assert seconds(read({"1": []}, lambda parsed: parsed.update(video="1"))) == [1]


def test_a_mapping_file_with_a_bad_row_is_broken_only_if_it_is_needed(read, tmp_path) -> None:
    (tmp_path / "label_mapping.txt").write_text("# IVT\n0,0,2\n")
    assert seconds(read({"1": [row()]})) == [1]
    with pytest.raises(SourceBroken, match="label_mapping.txt"):
        read({"1": [row()]}, lambda parsed: parsed["categories"].pop("triplet"))


# ---- the video


def test_frame_ids_count_in_the_file_s_own_rate(read) -> None:
    evidence = read({"0": [], "1": [], "30": []}, lambda parsed: parsed.update(fps=29.97))
    assert evidence.video.fps == Fraction(2997, 100)
    assert evidence.instruments.instants_us.tolist() == [0, 33_367, 1_001_001]
    assert (evidence.video.period_us, evidence.video.duration_us) == (33_367, 1_034_368)


def test_a_file_without_annotated_frames_gives_an_empty_table(read) -> None:
    evidence = read({})
    assert evidence.instruments.instants_us.size == 0
    assert evidence.video.duration_us == 0
    assert (evidence.books[0].read, evidence.books[0].kept) == (0, 0)


def test_media_of_the_first_annotated_frame(read, tmp_path: Path) -> None:
    assert read({"7": []}).video.media.kind is MediaKind.ABSENT
    folder = tmp_path / "videos" / "VID01"
    folder.mkdir(parents=True)
    (folder / "000007.jpg").write_bytes(jpeg(picture(7, [], [])))
    media = read({"7": []}).video.media
    assert (media.kind, media.width, media.height) == (MediaKind.FRAMES, 64, 48)
    assert media.path == "videos/VID01"
    (folder / "000007.jpg").write_bytes(b"")
    with pytest.raises(SourceBroken, match="videos/VID01/000007.jpg"):
        read({"7": []})


def test_only_label_files_make_videos(tmp_path: Path) -> None:
    folder = tmp_path / "labels"
    folder.mkdir()
    for name in ("VID10.json", "VID02.json", "._VID02.json", "VID03.json.bak", "notes.json"):
        (folder / name).write_text("{}")
    assert Reader(tmp_path).videos() == ["VID02", "VID10"]
    assert "labels/VID01.json" in Reader(tmp_path).missing()
    assert "labels/VID02.json" not in Reader(tmp_path).missing()


def test_a_partial_download_is_fine_but_a_missing_video_is_named(tmp_path: Path) -> None:
    sample.write(tmp_path, procedures=1)
    reader = Reader(tmp_path)
    assert reader.videos() == ["VID01"]
    with pytest.raises(SourceMissing, match="labels/VID02.json"):
        reader.read("VID02")


def test_videos_known_to_be_bad_are_left_out_with_a_reason(tmp_path: Path, monkeypatch) -> None:
    sample.write(tmp_path, procedures=2, pictures=None)
    files = Reader(tmp_path).files
    known_bad = {"VID02": "its labels are those of VID01"}
    changed = type(files)(files.video_ids, files.patterns, files.splits, known_bad)
    monkeypatch.setattr(Reader, "files", changed)
    reader = Reader(tmp_path)
    assert reader.videos() == ["VID01"]
    assert reader.excluded() == (
        Rejected("read", "cholect50/VID02", Code.EXCLUDED, "its labels are those of VID01"),
    )
    everything = Reader(tmp_path, include_known_bad=True)
    assert everything.videos() == ["VID01", "VID02"]
    assert everything.excluded() == ()
