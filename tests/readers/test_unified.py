"""What files of the unified JSON may say, and what is taken where they do not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surgqa.ontology.errors import SourceBroken, UserError
from surgqa.ontology.moments import Moment
from surgqa.ontology.records import Code, VideoEvidence
from surgqa.transforms.readers.unified.reader import Reader
from surgqa.transforms.registry import load_sample

Tree = dict[str, Any]
MS = 1000


def tree_of(**sections: Any) -> Tree:
    """A file of one minute at 30 frames a second."""
    metadata = {"video_id": "one", "procedure": "cholecystectomy", "duration": 60, "fps": 30,
                "width": 1000, "height": 500}  # fmt: skip
    return {"video_metadata": metadata | sections.pop("metadata", {}), **sections}


@pytest.fixture
def read(tmp_path: Path) -> Callable[[Tree], VideoEvidence]:
    """Writes a file and reads it; the books must balance."""

    def reading(tree: Tree) -> VideoEvidence:
        (tmp_path / "one.json").write_text(json.dumps(tree))
        evidence = Reader(tmp_path).read("one")
        assert all(books.balanced for books in evidence.books)
        return evidence

    return reading


def temporal(**lists: Any) -> Tree:
    return {"temporal_evidence": lists}


def action(**more: Any) -> Tree:
    plain = {"action": "clipping", "tool": "clip_applier", "tissue": "cystic duct",
             "onset_frame": 300, "onset_time": 10.0, "end_frame": 345}  # fmt: skip
    return {key: value for key, value in (plain | more).items() if value is not ...}


def of(evidence: VideoEvidence, kind: str) -> list[Moment]:
    return [one for one in evidence.moments if one.kind == kind]


def codes(evidence: VideoEvidence) -> list[tuple[str, str]]:
    return [(str(entry.code), entry.outcome) for entry in evidence.rejected]


def test_an_action_begins_with_its_frame_and_is_known_to_it(read) -> None:
    evidence = read(tree_of(**temporal(action_onsets=[action(bbox=[100, 50, 200, 100])])))
    (one,) = of(evidence, "action")
    assert (one.start_us, one.end_us, one.resolution_us) == (10_000_000, 11_500_000, 33_333)
    assert (one.tool, one.verb, one.target, one.label) == ("clipper", "clip", "cystic_duct", "clip")
    assert one.box_xyxy == (0.1, 0.1, 0.3, 0.3)
    assert one.pointer == "temporal_evidence.action_onsets[0]"
    assert one.source == "one.json"


@pytest.mark.parametrize(
    ("stated", "resolution_ms"),
    [(10, 1000), (10.5, 100), (10.53, 33.333), (10.123456, 33.333)],
)
def test_seconds_are_known_to_their_last_digit(read, stated, resolution_ms) -> None:
    entry = action(onset_frame=..., end_frame=..., onset_time=stated)
    (one,) = of(read(tree_of(**temporal(action_onsets=[entry]))), "action")
    assert one.resolution_us == round(resolution_ms * MS)
    assert one.start_us == one.end_us == round(stated * 1_000_000)


def test_a_stated_resolution_goes_before(read) -> None:
    (one,) = of(read(tree_of(**temporal(action_onsets=[action(resolution=0.4)]))), "action")
    assert one.resolution_us == 400_000


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"onset_time": 10.02}, Code.CONTRADICTION),
        ({"onset_frame": -1}, Code.BAD_FRAME),
        ({"onset_frame": 2.5}, Code.BAD_FRAME),
        ({"onset_frame": 1800, "onset_time": ...}, Code.BAD_TIME),
        ({"end_frame": 299}, Code.BAD_TIME),
        ({"onset_frame": ..., "onset_time": ...}, Code.BAD_TIME),
        ({"onset_time": "ten"}, Code.BAD_ROW),
        ({"action": "juggling"}, Code.UNKNOWN_LABEL),
        ({"action": ...}, Code.BAD_ROW),
        ({"resolution": 0}, Code.BAD_VALUE),
        ({"resolution": 1e12}, Code.BAD_VALUE),
        ({"origin": "a friend"}, Code.UNKNOWN_LABEL),
    ],
)
def test_an_action_that_can_not_be_believed_is_left_out(read, change, code) -> None:
    evidence = read(tree_of(**temporal(action_onsets=[action(), action(**change)])))
    assert [one.pointer for one in of(evidence, "action")] == ["temporal_evidence.action_onsets[0]"]
    assert codes(evidence) == [(str(code), "rejected")]
    assert evidence.rejected[0].where == "one.json temporal_evidence.action_onsets[1]"


@pytest.mark.parametrize(("field", "word"), [("tool", "spoon"), ("tissue", "moon")])
def test_an_action_with_one_unknown_word_is_kept_without_it(read, field, word) -> None:
    evidence = read(tree_of(**temporal(action_onsets=[action(**{field: word})])))
    (one,) = of(evidence, "action")
    assert (one.verb, one.tool, one.target) == (
        "clip", "" if field == "tool" else "clipper", "" if field == "tissue" else "cystic_duct",
    )  # fmt: skip
    assert codes(evidence) == [("unknown_label", "repaired")]
    assert word in evidence.rejected[0].reason


def test_a_cue_with_an_unknown_word_announces_nothing_else(read) -> None:
    cue = {"type": "approach", "tool": "spoon", "tissue": "cystic_duct", "start": 1, "end": 2}
    evidence = read(tree_of(**temporal(cues=[cue])))
    assert of(evidence, "cue") == []
    assert codes(evidence) == [("unknown_label", "rejected")]


def test_half_a_frame_is_the_limit(read) -> None:
    within = action(onset_time=10.016)
    assert len(of(read(tree_of(**temporal(action_onsets=[within]))), "action")) == 1


@pytest.mark.parametrize(
    ("change", "boxed"),
    [({"bbox": [900, 0, 200, 100]}, True), ({"bbox": [1, 2, 3]}, False),
     ({"bbox": [0, 0, 0, 9]}, False), ({"bbox": "all of it"}, False)],
)  # fmt: skip
def test_a_bad_box_is_mended_or_dropped_and_its_entry_kept(read, change, boxed) -> None:
    evidence = read(tree_of(**temporal(action_onsets=[action(**change)])))
    (one,) = of(evidence, "action")
    assert codes(evidence) == [("bad_box", "repaired")]
    assert one.box_xyxy == ((0.9, 0.0, 1.0, 0.2) if boxed else None)


def test_an_entry_twice_is_left_out_once(read) -> None:
    evidence = read(tree_of(**temporal(action_onsets=[action(), action()])))
    assert len(of(evidence, "action")) == 1
    assert codes(evidence) == [("duplicate_frame", "rejected")]


def test_speech_in_both_published_shapes_and_what_it_announces(read) -> None:
    lists = [
        {"start": 4.25, "end": 6.0, "text": "Hello"},
        {"segment_id": 1, "time_range": [8.25, 9.5], "raw_caption": "Now we clip the duct",
         "action": "clip", "tissue": "cystic_duct", "intent": True},
    ]  # fmt: skip
    evidence = read(tree_of(**temporal(asr_segments=lists)))
    assert [(one.start_us, one.text) for one in of(evidence, "said")] == [
        (4_250_000, "Hello"), (8_250_000, "Now we clip the duct"),
    ]  # fmt: skip
    (cue,) = of(evidence, "cue")
    assert (cue.label, cue.verb, cue.target, cue.text) == ("intent", "clip", "cystic_duct", "")


def test_a_transition_may_name_actions_alone(read) -> None:
    lists = [
        {"frame": 30, "tool": "hook", "from": "dissection", "to": {"action": "cut",
                                                                   "tissue": "liver"}},
        {"frame": 60, "tool": "hook", "from": "cut", "to": "cut"},
    ]  # fmt: skip
    evidence = read(tree_of(**temporal(micro_transitions=lists)))
    (one,) = of(evidence, "transition")
    assert (one.label, one.verb, one.target) == ("dissect,>cut,liver", "cut", "liver")
    assert codes(evidence) == [("contradiction", "rejected")]


def test_an_affordance_without_an_effect_has_that_of_its_action(read) -> None:
    lists = [
        {"tool": "hook", "tissue": "liver", "action": "coagulate", "frame": 30},
        {"tool": "hook", "tissue": "liver", "action": "cut", "effect": "sealed", "frame": 60},
        {"tool": "hook", "tissue": "liver", "frame": 90},
        {"tool": "hook", "tissue": "liver", "effect": "magic", "frame": 120},
    ]  # fmt: skip
    evidence = read(tree_of(spatial_evidence={"affordances": lists}))
    assert [one.label for one in of(evidence, "affordance")] == ["sealed", "sealed"]
    assert codes(evidence) == [("bad_row", "rejected"), ("unknown_label", "rejected")]


def tissue(timeline: list[Tree], events: list[Tree]) -> Tree:
    tools = [{"tool_id": "T7", "tool_type": "clipper", "timeline": [
        {"frame": frame, "bbox": [0, 0, 10, 10]} for frame in (0, 30)
    ]}]  # fmt: skip
    track = {"tissue_type": "cystic_duct", "track_id": "d", "timeline": timeline, "events": events}
    return {"spatial_evidence": {"tool_tracks": tools, "tissue_tracks": [track]}}


def sampled(*states: str) -> list[Tree]:
    """One sample a second."""
    return [{"time": float(k), "state": state, "bbox": [0, 0, 10, 10]}
            for k, state in enumerate(states)]  # fmt: skip


def states(evidence: VideoEvidence) -> list[tuple[int, str, str, int]]:
    return [(one.start_us // MS, one.label, one.tool, one.resolution_us // MS)
            for one in of(evidence, "state")]  # fmt: skip


def test_a_state_begins_with_its_event_else_with_the_first_sample_that_has_it(read) -> None:
    line = sampled("intact", "intact", "clipped", "clipped", "divided", "divided")
    events = [{"frame": 47, "event": "clip_placed", "tool_id": "T7"}]
    evidence = read(tree_of(**tissue(line, events)))
    assert states(evidence) == [(1566, "clipped", "clipper", 33), (4000, "divided", "", 1000)]
    clipped, divided = of(evidence, "state")
    assert clipped.end_us == divided.start_us
    assert divided.end_us == 5_033_333
    assert {one.group for one in (clipped, divided)} == {"d"}


def test_the_first_sample_begins_no_state(read) -> None:
    assert states(read(tree_of(**tissue(sampled("bleeding", "bleeding"), [])))) == []


def test_where_bleeding_stops_the_state_before_holds_again(read) -> None:
    events = [{"frame": 30, "event": "clip_placed", "tool_id": "clip_applier_2"},
              {"frame": 60, "event": "bleeding_onset"}, {"frame": 90, "event": "bleeding_stop"},
              {"frame": 95, "event": "explosion"}]  # fmt: skip
    evidence = read(tree_of(**tissue([], events)))
    assert [(label, tool) for _, label, tool, _ in states(evidence)] == [
        ("clipped", "clipper"), ("bleeding", ""), ("clipped", ""),
    ]  # fmt: skip
    assert codes(evidence) == [("unknown_label", "rejected")]


def test_a_track_of_something_unknown_is_lost_with_all_its_samples(read) -> None:
    tracks = [{"tool_type": "spoon", "timeline": [{"frame": 1}, {"frame": 2}]},
              {"tool_type": "hook", "timeline": [{"frame": 1}, {"frame": 1, "x": 1}, {"frame": 9}]},
              "no track"]  # fmt: skip
    evidence = read(tree_of(spatial_evidence={"tool_tracks": tracks}))
    assert [(str(e.code), e.count) for e in evidence.rejected] == [
        ("unknown_label", 2), ("duplicate_frame", 1), ("bad_row", 1),
    ]  # fmt: skip
    assert evidence.instruments is not None
    assert evidence.instruments.frames.tolist() == [1, 9]
    assert evidence.video.vocabulary == ("hook",)


def anomaly(**more: Any) -> Tree:
    return {"anomaly_id": "a1", "onset_frame": 647, "onset_time": 21.57,
            "anomaly_type": "bleeding", "initial_bbox": [540, 420, 80, 60],
            "evolution": [{"frame": 650, "bbox": [535, 415, 90, 70], "size": "small"},
                          {"frame": 655, "bbox": [530, 410, 100, 80], "state": "present"}],
            "source": {"tissue": "cystic_artery", "cause": "slipped clip"},
            "hemostasis_time": 22.67, **more}  # fmt: skip


def with_anomalies(*entries: Tree, **metadata: Any) -> Tree:
    metadata = {"width": 1280, "height": 720} | metadata
    return tree_of(metadata=metadata, anomaly_evidence={"anomalies": list(entries)})


def test_an_anomaly_lasts_from_its_onset_to_its_control_and_has_a_place_at_key_frames(read) -> None:
    evidence = read(with_anomalies(anomaly()))
    (one,) = of(evidence, "anomaly")
    assert (one.start_us, one.end_us, one.label, one.target, one.text, one.group) == (
        21_566_667, 22_670_000, "bleeding", "cystic_artery", "slipped clip", "a1",
    )  # fmt: skip
    assert one.box_xyxy == (540 / 1280, 420 / 720, 620 / 1280, 480 / 720)
    assert [(r.value, r.start_us, r.label, r.text) for r in of(evidence, "roi")] == [
        (647.0, 21_566_667, "", ""), (650.0, 21_666_667, "", "small"),
        (655.0, 21_833_333, "present", "small"),
    ]  # fmt: skip
    assert [(w.label, w.start_us, w.end_us) for w in of(evidence, "watched")] == [
        ("anomaly", 0, 60_000_000)
    ]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"onset_time": 21.6}, Code.CONTRADICTION),
        ({"anomaly_type": "boredom"}, Code.UNKNOWN_LABEL),
        ({"onset_frame": 1800, "onset_time": 60}, Code.BAD_FRAME),
        ({"onset_frame": 1800, "onset_time": 60, "evolution": []}, Code.BAD_TIME),
        ({"anomaly_id": None}, Code.BAD_ROW),
        ({"initial_bbox": None}, Code.BAD_BOX),
    ],
)
def test_an_anomaly_that_does_not_hold_together_is_left_out(read, change, code) -> None:
    control = {"hemostasis_time": None} if change.get("onset_time") == 60 else {}
    evidence = read(with_anomalies(anomaly(**control, **change)))
    assert of(evidence, "anomaly") == of(evidence, "roi") == []
    assert codes(evidence) == [(str(code), "rejected")]


def test_an_anomaly_of_an_unknown_tissue_is_kept_without_it(read) -> None:
    evidence = read(with_anomalies(anomaly(source={"tissue": "moon"})))
    assert [one.target for one in of(evidence, "anomaly")] == [""]
    assert codes(evidence) == [("unknown_label", "repaired")]


def test_no_anomaly_is_known_only_where_the_list_is_there(read) -> None:
    assert [one.label for one in of(read(with_anomalies()), "watched")] == ["anomaly"]
    assert of(read(tree_of(anomaly_evidence={})), "watched") == []
    said = [{"channel": "tracks", "start": 1, "end": 2}]
    both = with_anomalies() | temporal(channels=said, asr_segments=[])
    assert [one.label for one in of(read(both), "watched")] == ["tracks"]


def test_thirty_frames_a_second_are_taken_where_all_times_agree(read) -> None:
    tree = tree_of(metadata={"fps": None}, **temporal(action_onsets=[action()]))
    assert read(tree).video.fps == 30
    tree["temporal_evidence"]["action_onsets"][0]["onset_time"] = 12.0
    with pytest.raises(SourceBroken, match="video_metadata") as error:
        read(tree)
    assert "frame 300 at 12 s" in (error.value.found or "")


def test_a_usual_size_is_taken_where_all_boxes_fit_into_it(read) -> None:
    bare = {"width": None, "height": None}
    fits = tree_of(metadata=bare, **temporal(action_onsets=[action(bbox=[0, 0, 1280, 720])]))
    assert of(read(fits), "action")[0].box_xyxy == (0.0, 0.0, 1.0, 1.0)
    large = tree_of(metadata=bare, **temporal(action_onsets=[action(bbox=[0, 0, 1281, 720])]))
    evidence = read(large)
    assert of(evidence, "action")[0].box_xyxy is None
    assert codes(evidence) == [("bad_box", "repaired")]


@pytest.mark.parametrize(
    "metadata",
    [{"duration": None}, {"duration": 0}, {"duration": -3}, {"duration": "long"},
     {"duration": 1e12}, {"fps": 0}, {"fps": "fast"}, {"width": None}, {"width": 0.5},
     {"height": 10**9}],
)  # fmt: skip
def test_metadata_that_can_not_be_right_are_an_error(read, metadata) -> None:
    with pytest.raises(UserError) as error:
        read(tree_of(metadata=metadata))
    assert error.value.where == "one.json video_metadata"


@pytest.mark.parametrize(
    ("told", "us"), [("00:02:03", 123_000_000), (45.5, 45_500_000), ("45.5", 45_500_000)]
)
def test_a_duration_is_seconds_or_a_clock(read, told, us) -> None:
    assert read(tree_of(metadata={"duration": told})).video.duration_us == us


def test_words_of_the_operation_become_those_of_the_ontology(read) -> None:
    video = read(tree_of(metadata={"procedure": "Lap Chole", "surgeon_experience": "Expert"})).video
    assert (video.procedure, video.specialty) == (
        "laparoscopic cholecystectomy", "general surgery",
    )  # fmt: skip
    evidence = read(tree_of(metadata={"surgeon_experience": "wizard"}))
    assert evidence.labels == ()
    assert codes(evidence) == [("unknown_label", "repaired")]


DAMAGED = (
    '{"video_metadata": {"duration": 1, "duration": 2}}', '{"video_metadata": {"duration": NaN}}',
    '{"video_metadata": {"duration": 1e}}', "[]", '{"video_metadata": []}',
)  # fmt: skip


@pytest.mark.parametrize("text", DAMAGED)
def test_a_file_that_is_none_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.json").write_text(text)
    with pytest.raises(SourceBroken, match=r"one\.json"):
        Reader(tmp_path).read("one")


def test_a_recording_beside_the_file_is_found(tmp_path: Path) -> None:
    load_sample("unified")(tmp_path)
    (tmp_path / "case_01.mp4").write_bytes(b"")
    video = Reader(tmp_path).read("case_01").video
    assert (video.media.path, video.media.width) == ("case_01.mp4", 1280)


def test_the_sample_holds_all_that_chains_ask_about(tmp_path: Path) -> None:
    load_sample("unified")(tmp_path)
    reader = Reader(tmp_path)
    first, second, third = (reader.read(video) for video in reader.videos())
    kinds = {one.kind for one in first.moments}
    assert kinds == {"action", "affordance", "anomaly", "contact", "cue", "roi", "said", "state",
                     "transition", "watched"}  # fmt: skip
    assert not of(second, "anomaly")
    assert "anomaly" in {one.label for one in of(second, "watched")}
    assert of(third, "anomaly")[0].label == "bile_spillage"
    assert first.rejected == second.rejected == third.rejected == ()
