"""The timeline's derived columns, by hand."""

from dataclasses import replace

import pytest

from surgqa.ontology.records import VideoEvidence
from surgqa.transforms.exports.evidence import evidence_tables
from surgqa.transforms.timeline import build_timeline
from tests.transforms.timeline.videos import (
    BOTH,
    DISSECT,
    IDLE,
    RETRACT,
    S,
    Seen,
    box_at,
    made_up,
    timeline,
    video,
)


@pytest.fixture
def made():
    return timeline({
        0: [Seen("grasper", box_at(0.2, 0.2), RETRACT), Seen("grasper", box_at(0.8, 0.8), IDLE)],
        S: [Seen("hook", None, BOTH), Seen("hook", box_at(0.25, 0.5), DISSECT)],
        3 * S: [Seen("hook", box_at(0.25, 0.5))],
    })  # fmt: skip


def test_event_ids_count_instances_of_a_class_at_an_instant(made):
    assert made.event_ids == ["0-grasper-1", "0-grasper-2", "1-hook-1", "1-hook-2", "2-hook-1"]


def test_event_ids_are_unique():
    for seed in range(5):
        ids = made_up(seed).event_ids
        assert len(set(ids)) == len(ids) == len(made_up(seed).table.sample)


def test_event_ids_are_unique_if_a_frame_is_shown_at_several_instants():
    """A slow video, or one that pauses: its frames are fewer than its instants."""
    for seed in range(5):
        made = made_up(seed)
        slow = replace(made.table, frames=made.table.frames // 3)
        evidence = VideoEvidence(made.video, slow)
        table = evidence_tables(evidence, build_timeline(evidence), ())["events"]
        ids = table["event_id"].to_pylist()
        assert len(set(ids)) == len(ids) >= len(slow.sample)


def test_rows_with_a_box_are_known(made):
    assert made.boxed.tolist() == [True, True, True, False, True]


def test_a_video_without_instrument_labels_has_no_timeline():
    assert build_timeline(VideoEvidence(video(S), None)) is None


def test_linking_sees_the_video_alone(made):
    """The same labels in another video give the same tracks."""
    other = build_timeline(VideoEvidence(replace(video(S), video_id="v2"), made.table))
    assert other.tracks.ids == made.tracks.ids
    assert other.tracks.of_row.tolist() == made.tracks.of_row.tolist()


def test_a_video_in_which_nothing_is_ever_seen():
    empty = timeline({0: [], S: []})
    assert empty.event_ids == []
