"""What is peculiar to CholecTrack20."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import IDLE, Code, MediaKind, VideoEvidence
from surgqa.transforms import registry
from surgqa.transforms.media.film import film_of
from surgqa.transforms.media.frames import frame_path
from surgqa.transforms.readers.base import split_group
from surgqa.transforms.readers.base.triplets import TARGETS, TRIPLETS, VERBS
from surgqa.transforms.readers.cholectrack20.reader import Reader
from surgqa.transforms.samples.pictures import png

Record = dict[str, Any]
TOOLS = ("grasper", "bipolar", "hook", "scissors", "clipper", "irrigator", "specimen-bag")
OPERATORS = (
    "null", "main-surgeon-left-hand (MSLH)", "assistant-surgeon-right-hand (ASRH)",
    "main-surgeon-right-hand (MSRH)",
)  # fmt: skip


def record(**fields: Any) -> Record:
    """A record as the release writes them."""
    plain = {
        "instrument": 0, "verb": -1, "target": -1, "phase": 0, "triplet": -1,
        "tool_bbox": [0.25, 0.5, 0.25, 0.25], "operator": 2, "iscrowd": 0, "area": 157798.0,
        "score": 1.0, "intraoperative_track": 1, "intracorporeal_track": 4,
        "visibility_track": 9, "visibility": 1, "crowded": 0, "visible": 1, "occluded": 0,
        "bleeding": 0, "smoke": 0, "blurred": 0, "undercoverage": 0, "reflection": 0,
        "stainedlens": 0,
    }  # fmt: skip
    return {**plain, **fields}


def lay(root: Path, annotations: Any, where: str = "Training/VID02/VID02.json") -> VideoEvidence:
    tools = [{"id": number, "name": name} for number, name in enumerate(TOOLS)]
    operators = [{"id": number, "name": name} for number, name in enumerate(OPERATORS)]
    data = {
        "info": {}, "annotations": annotations, "video": {"name": "VID02"},
        "categories": {"tools": tools, "operators": operators},
    }  # fmt: skip
    (root / where).parent.mkdir(parents=True, exist_ok=True)
    (root / where).write_text(json.dumps(data))
    return Reader(root).read("VID02")


def notes(evidence: VideoEvidence) -> list[tuple[Code, str, int]]:
    return [(e.code, e.outcome, e.count) for e in evidence.rejected]


def attribute(evidence: VideoEvidence, name: str) -> list[Any]:
    found = next(one for one in evidence.instruments.attributes if one.name == name)
    values = [None if np.isnan(value) else value for value in found.values.tolist()]
    return [v if v is None or not found.words else found.words[int(v)] for v in values]


def pairs(evidence: VideoEvidence) -> list[Any]:
    table = evidence.instruments
    return [table.pair_sets[code] if code >= 0 else None for code in table.pairs.tolist()]


# ---- time


def test_keys_count_frames_of_the_25_fps_video_from_one(tmp_path: Path) -> None:
    evidence = lay(tmp_path, {"4326": [record()], "1": [record()], "51": [record()]})
    table = evidence.instruments
    assert table.frames.tolist() == [0, 50, 4325]
    assert table.instants_us.tolist() == [0, 2_000_000, 173_000_000]
    assert table.pointer.format(frame=4325, row=0) == "annotations, key 4325 + 1, record 0"
    assert evidence.video.duration_us == 174_000_000


def test_a_second_without_a_key_gives_no_phase_and_no_absence(tmp_path: Path) -> None:
    keys = ("1", "26", "76")
    evidence = lay(tmp_path, {key: [record(phase=1)] for key in keys})
    assert [(s.start_us, s.end_us) for s in evidence.spans] == [
        (0, 2_000_000), (3_000_000, 4_000_000),
    ]  # fmt: skip
    assert evidence.spans[0].pointer == 'annotations["1"] to annotations["26"]'
    assert evidence.instruments.instants_us.size == 3


@pytest.mark.parametrize("key", ["0", "-1", "1.0", "x", "", "10000000", "9" * 25])
def test_a_key_that_is_no_frame_is_rejected_with_its_records(tmp_path: Path, key: str) -> None:
    evidence = lay(tmp_path, {key: [record(), record()], "26": [record()]})
    assert notes(evidence) == [(Code.BAD_FRAME, "rejected", 2)]
    assert [(b.read, b.kept, b.rejected) for b in evidence.books] == [(3, 1, 2)]


def test_a_frame_under_two_keys_is_not_used(tmp_path: Path) -> None:
    evidence = lay(tmp_path, {"026": [record()], "26": [record(), record()], "51": []})
    assert notes(evidence) == [(Code.DUPLICATE_FRAME, "rejected", n) for n in (1, 2)]
    assert evidence.instruments.frames.tolist() == [50]


# ---- records


def test_boxes_are_corner_and_size_in_parts_of_the_picture(tmp_path: Path) -> None:
    evidence = lay(tmp_path, {"1": [record(tool_bbox=[0.6019, 0.6396, 0.3653, 0.3063])]})
    assert evidence.instruments.box_xyxy.tolist() == [
        [0.6019, 0.6396, 0.6019 + 0.3653, 0.6396 + 0.3063]
    ]
    assert notes(evidence) == []


@pytest.mark.parametrize(
    ("box", "expected", "noted"),
    [
        ([0.5, 0.5, 0.75, 0.25], [0.5, 0.5, 1.0, 0.75], True),
        ([0.5, 0.5, 0.0, 0.25], None, True),
        ([0.5, 0.5, -0.25, 0.25], None, True),
        ([1.0, 0.5, 0.25, 0.25], None, True),
        ([300, 200, 50, 60], None, True),
        ([0.1, 0.2, 0.3], None, True),
        (["a", 0, 1, 1], None, True),
        ([float("nan"), 0, 1, 1], None, True),
        (7, None, True),
        ([-1, -1, -1, -1], None, False),
        (None, None, False),
    ],
)
def test_a_bad_box_leaves_the_instrument(
    tmp_path: Path, box: Any, expected: Any, noted: bool
) -> None:
    evidence = lay(tmp_path, {"1": [record(tool_bbox=box)]})
    found = evidence.instruments.box_xyxy[0]
    assert (None if np.isnan(found).all() else found.tolist()) == expected
    assert notes(evidence) == [(Code.BAD_BOX, "repaired", 1)] * noted


def test_the_track_is_the_identity_over_the_whole_operation(tmp_path: Path) -> None:
    annotations = {
        "1": [record(intraoperative_track=3, intracorporeal_track=5, visibility_track=8)],
        "26": [record(intraoperative_track=3, intracorporeal_track=6, visibility_track=9)],
    }
    evidence = lay(tmp_path, annotations)
    assert evidence.instruments.track.tolist() == [3, 3]
    assert attribute(evidence, "intracorporeal_track") == [5, 6]
    assert attribute(evidence, "visibility_track") == [8, 9]


def test_a_track_that_is_in_two_places_at_once_is_unknown_there(tmp_path: Path) -> None:
    elsewhere = [0.0, 0.0, 0.25, 0.25]
    annotations = {
        "1": [record(), record(tool_bbox=elsewhere), record(instrument=2, tool_bbox=elsewhere)],
        "26": [record()],
    }
    evidence = lay(tmp_path, annotations)
    assert evidence.instruments.track.tolist() == [-1, -1, 1, 1]
    assert notes(evidence) == [(Code.CONTRADICTION, "repaired", 1)] * 2


def test_who_holds_an_instrument_is_said_in_words(tmp_path: Path) -> None:
    records = [record(operator=number, instrument=number) for number in range(4)]
    evidence = lay(tmp_path, {"1": [*records, record(operator=-1, instrument=4)]})
    table = evidence.instruments
    told = dict(zip((table.labels[k] for k in table.label), attribute(evidence, "operator"),
                    strict=True))  # fmt: skip
    assert told == {
        "grasper": None, "bipolar": "main_surgeon_left_hand",
        "hook": "assistant_surgeon_right_hand", "scissors": "main_surgeon_right_hand",
        "clipper": None,
    }  # fmt: skip
    assert notes(lay(tmp_path, {"1": [record(operator=9)]})) == [
        (Code.UNKNOWN_LABEL, "repaired", 1)
    ]


def triplet(instrument: str, verb: str, target: str, number: int | None = None) -> Record:
    named = (instrument, verb, target)
    number = (TRIPLETS.index(named) if named in TRIPLETS else -2) if number is None else number
    return record(
        instrument=TOOLS.index(instrument), verb=VERBS.index(verb), target=TARGETS.index(target),
        triplet=number,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "expected", "code"),
    [
        (triplet("grasper", "retract", "gallbladder"), (("retract", "gallbladder"),), None),
        (triplet("grasper", "null_verb", "null_target"), (IDLE,), None),
        # a combination that CholecT50 does not list
        (triplet("grasper", "cut", "gut"), (("cut", "gut"),), None),
        (triplet("grasper", "retract", "gallbladder", 99), None, Code.CONTRADICTION),
        (triplet("grasper", "retract", "gallbladder", 500), None, Code.CONTRADICTION),
        (triplet("grasper", "null_verb", "liver", -2), None, Code.CONTRADICTION),
        (record(verb=1), None, Code.BAD_ROW),
        (record(target=1), None, Code.BAD_ROW),
        (record(verb=10, target=1), None, Code.UNKNOWN_LABEL),
        (record(verb=1, target=15), None, Code.UNKNOWN_LABEL),
        (record(), None, None),
    ],
)
def test_an_action_needs_verb_and_target_and_a_triplet_that_agrees(
    tmp_path: Path, entry: Record, expected: Any, code: Code | None
) -> None:
    evidence = lay(tmp_path, {"1": [entry]})
    assert pairs(evidence) == [expected]
    assert notes(evidence) == ([(code, "repaired", 1)] if code else [])


def test_two_records_of_one_instrument_and_box_are_one_with_two_actions(tmp_path: Path) -> None:
    both = [
        triplet("grasper", "retract", "gallbladder"),
        triplet("grasper", "grasp", "gallbladder"),
    ]
    evidence = lay(tmp_path, {"1": both})
    assert pairs(evidence) == [(("grasp", "gallbladder"), ("retract", "gallbladder"))]
    assert evidence.instruments.track.tolist() == [1]
    torn = [both[0], triplet("grasper", "null_verb", "null_target")]
    evidence = lay(tmp_path, {"1": torn})
    assert pairs(evidence) == [None]
    assert notes(evidence) == [(Code.CONTRADICTION, "repaired", 1)]


def test_a_condition_holds_where_any_record_says_so(tmp_path: Path) -> None:
    annotations = {
        "1": [record(smoke=1), record(instrument=2)],
        "26": [record(smoke=1)],
        "51": [record(occluded=1), record(instrument=2)],
    }
    evidence = lay(tmp_path, annotations)
    told = [(s.label, s.start_us, s.end_us) for s in evidence.spans if s.kind == "condition"]
    assert told == [
        ("surgical_smoke", 0, 2_000_000), ("occluded_instrument", 2_000_000, 3_000_000),
    ]  # fmt: skip
    assert attribute(evidence, "occluded") == [0, 0, 0, 1, 0]


def test_a_phase_on_which_records_disagree_is_unknown(tmp_path: Path) -> None:
    annotations = {
        "1": [record(phase=1), record(instrument=2, phase=2)],
        "26": [record(phase=6)],
        "51": [record(phase=7)],
        "76": [record(phase=-1)],
    }
    evidence = lay(tmp_path, annotations)
    assert [(s.label, s.start_us) for s in evidence.spans] == [
        ("gallbladder_extraction", 1_000_000)
    ]
    assert notes(evidence) == [
        (Code.CONTRADICTION, "repaired", 1), (Code.UNKNOWN_LABEL, "repaired", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (record(instrument=7), Code.UNKNOWN_LABEL),
        (record(instrument="0"), Code.BAD_ROW),
        (record(instrument=True), Code.BAD_ROW),
        (record(phase=0.5), Code.BAD_ROW),
        (record(smoke="yes"), Code.BAD_ROW),
        (record(visibility_track=10**12), Code.BAD_ROW),
        ([1, 2], Code.BAD_ROW),
        (None, Code.BAD_ROW),
    ],
)
def test_a_frame_with_a_bad_record_is_not_fully_known(tmp_path: Path, bad: Any, code: Code) -> None:
    evidence = lay(tmp_path, {"1": [record(), bad], "26": [record()]})
    assert notes(evidence) == [(code, "rejected", 1), (Code.INCOMPLETE_INSTANT, "rejected", 1)]
    assert evidence.instruments.frames.tolist() == [25]
    assert [(b.read, b.kept, b.rejected) for b in evidence.books] == [(3, 1, 2)]


def test_a_field_that_is_new_is_noted_once(tmp_path: Path) -> None:
    new = record(depth=3)
    evidence = lay(tmp_path, {"1": [new, {**new, "instrument": 2}], "26": [new]})
    assert notes(evidence) == [(Code.UNKNOWN_LABEL, "repaired", 1)]
    assert "depth" in evidence.rejected[0].reason


@pytest.mark.parametrize("annotations", [None, [], 3, "x"])
def test_a_file_without_annotations_is_refused(tmp_path: Path, annotations: Any) -> None:
    with pytest.raises(SourceBroken, match="annotations"):
        lay(tmp_path, annotations)


# ---- files


@pytest.mark.parametrize(
    "where",
    ["training/VID02/VID02.json", "Training/vid02/vid02.JSON", "Testing/VID02/labels.json"],
)
def test_names_may_be_written_in_another_case(tmp_path: Path, where: str) -> None:
    evidence = lay(tmp_path, {"1": [record()]}, where)
    assert Reader(tmp_path).videos() == ["VID02"]
    assert evidence.video.sources[0].path == where
    assert len(Reader(tmp_path).missing()) == 19


def test_of_several_files_the_one_that_is_named_like_its_folder_is_read(tmp_path: Path) -> None:
    for name in ("vid02", "zz"):
        evidence = lay(tmp_path, {"1": [record()]}, f"Training/VID02/{name}.json")
    assert evidence.video.sources[0].path == "Training/VID02/vid02.json"


def test_two_videos_with_labels_of_others_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    lay(tmp_path, {"1": [record()]})
    for part, video in (("Validation", "VID30"), ("Training", "VID31")):
        lay(tmp_path, {"1": [record()]}, f"{part}/{video}/{video}.json")
    assert Reader(tmp_path).videos() == ["VID02"]
    excluded = Reader(tmp_path).excluded()
    assert [(e.key, e.code) for e in excluded] == [
        (f"cholectrack20/{video}", Code.EXCLUDED) for video in ("VID30", "VID31")
    ]
    assert all("issue 10" in entry.reason for entry in excluded)
    assert Reader(tmp_path, include_known_bad=True).videos() == ["VID02", "VID30", "VID31"]


def test_a_video_that_is_not_there_is_missing_where_it_should_be(tmp_path: Path) -> None:
    registry.load_sample("cholectrack20")(tmp_path)
    with pytest.raises(SourceMissing, match="Validation/VID110/VID110.json"):
        Reader(tmp_path).read("VID110")


def test_surgeries_are_shared_with_the_other_cholec_datasets() -> None:
    files = registry.files("cholectrack20")
    groups = {split_group("cholectrack20", video) for video in files.video_ids}
    of = {
        name: {split_group(name, video) for video in registry.files(name).video_ids}
        for name in ("cholec80", "cholec80_cvs", "cholect50")
    }
    assert len(groups & of["cholec80"]) == 15
    assert len(groups & of["cholect50"]) == 14
    assert of["cholec80"] == of["cholec80_cvs"]
    assert len(groups - of["cholec80"] - of["cholect50"]) == 0


def test_pictures_are_numbered_from_one(tmp_path: Path) -> None:
    lay(tmp_path, {"1": [record()], "26": [record()]})
    frames = tmp_path / "Training" / "VID02" / "Frames"
    frames.mkdir()
    for number in (1, 26):
        (frames / f"{number:06d}.png").write_bytes(png(np.full((4, 6, 3), number, np.uint8)))
    media = Reader(tmp_path).read("VID02").video.media
    assert (media.kind, media.first, media.width) == (MediaKind.FRAMES, 1, 6)
    assert frame_path(tmp_path, media, 1_000_000, Fraction(25)).name == "000026.png"
    assert film_of(tmp_path, media, Fraction(25)).table.starts_us.tolist() == [0, 1_000_000]
