"""A recording's own tables: what is possible, at each limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from surgqa.transforms.checks.evidence import Event, MomentRow, VideoView
from surgqa.transforms.checks.tables import sources_of, video_problems
from tests.each import cases

LONG = 100
BOX = (0.0, 0.25, 1.0, 0.5)
DOING = (("cut", "liver"), ("grasp", "liver"))


def event(**more: Any) -> Event:
    return replace(Event("1-hook-1", 5, "hook", "hook-1", None, None), **more)


def moment(**more: Any) -> MomentRow:
    return MomentRow("cue-5", 5, 9, 1, None)._replace(**more)


def view(*events: Event, tracks: Any = None, moments: Any = (), instants: Any = None,
         ids: Any = None, sources: Any = ()) -> VideoView:  # fmt: skip
    """A recording of which all that is not named fits."""
    if tracks is None:
        tracks = {}
        for one in events:
            label, first, _, many, by = tracks.get(
                one.track_id, (one.label, one.time_us, 0, 0, "class")
            )
            tracks[one.track_id] = (label, first, one.time_us, many + 1, by)
    ids = len({one.event_id for one in events}) if ids is None else ids
    return VideoView(
        "d/v", 1, LONG, frozenset({"hook", "grasper"}), {"sources": sources},
        sorted({one.time_us for one in events}) if instants is None else instants,
        list(events), tracks, moments=list(moments), event_ids=ids,
    )  # fmt: skip


def found(video: VideoView, *sources: tuple[str, str]) -> list[str]:
    return [code for code, _ in video_problems(video, set(sources))]


@cases(
    ("more", "wrong"),
    [
        ({}, False),
        ({"label": "saw"}, True),
        ({"time_us": 0}, False),
        ({"time_us": -1}, True),
        ({"time_us": LONG - 1}, False),
        ({"time_us": LONG}, True),
        ({"track_id": ""}, True),
        ({"pairs": DOING}, False),
        ({"pairs": DOING[::-1]}, True),
        ({"pairs": ()}, True),
        ({"box": BOX}, False),
        *(({"box": tuple(-0.01 if k == side else BOX[k] for k in range(4))}, True)
          for side in (0, 1)),
        *(({"box": tuple(1.01 if k == side else BOX[k] for k in range(4))}, True)
          for side in (2, 3)),
        ({"box": (0.5, 0.0, 0.5, 1.0)}, True),
        ({"box": (0.0, 0.5, 1.0, 0.5)}, True),
        ({"box": (0.0, 0.0, 1.0, 1.0)}, False),
        ({"box": (0.9, 0.0, 0.1, 1.0)}, True),
        ({"box": (0.0, 0.9, 1.0, 0.1)}, True),
    ],
)  # fmt: skip
def test_an_event(more: dict[str, Any], wrong: bool):
    assert found(view(event(**more))) == ["event_malformed"] * wrong


def test_ids_of_events_are_each_once():
    two = event(), event(event_id="9-hook-1", time_us=9)
    assert found(view(*two)) == []
    assert found(view(*two, ids=1)) == ["event_malformed"]
    assert found(view(*two, ids=3, instants=[5, 7, 9])) == []
    assert found(view(*two, ids=3)) == ["event_malformed"]
    assert found(view(*two, instants=[5, 7, 9])) == ["event_malformed"]


@cases(
    ("more", "wrong"),
    [
        ({}, False),
        ({"start_us": 0}, False),
        ({"start_us": -1}, True),
        ({"start_us": 9}, False),
        ({"start_us": 10}, True),
        ({"end_us": LONG}, False),
        ({"end_us": LONG + 1}, True),
        ({"resolution_us": 0}, False),
        ({"resolution_us": -1}, True),
        ({"box": BOX}, False),
        ({"box": (0.0, 0.0, 1.0, 1.0)}, False),
        ({"box": (-0.01, 0.25, 1.0, 0.5)}, True),
        ({"box": (0.0, -0.01, 1.0, 0.5)}, True),
        ({"box": (0.0, 0.25, 1.01, 0.5)}, True),
        ({"box": (0.0, 0.25, 1.0, 1.01)}, True),
        ({"box": (0.5, 0.25, 0.5, 0.5)}, True),
        ({"box": (0.0, 0.5, 1.0, 0.5)}, True),
    ],
)
def test_a_moment(more: dict[str, Any], wrong: bool):
    assert found(view(moments=[moment(**more)])) == ["moment_malformed"] * wrong


def test_ids_of_moments_are_each_once():
    assert found(view(moments=[moment(), moment()])) == ["moment_malformed"]
    assert found(view(moments=[moment(), moment(id="cue-6")])) == []


@cases(
    ("kept", "wrong"),
    [
        (("hook", 5, 9, 2, "class"), 0),
        (("hook", 5, 9, 2, "source"), 0),
        (("grasper", 5, 9, 2, "class"), 1),
        (("hook", 4, 9, 2, "class"), 1),
        (("hook", 5, 10, 2, "class"), 1),
        (("hook", 5, 9, 3, "class"), 1),
        (None, 1),
    ],
)
def test_a_track(kept: Any, wrong: int):
    two = event(), event(event_id="9-hook-1", time_us=9)
    told = {} if kept is None else {"hook-1": kept}
    assert found(view(*two, tracks=told)) == ["track_differs"] * wrong


def test_tracks_without_events_and_of_two_labels():
    assert found(view(tracks={"hook-2": ("hook", 0, 0, 0, "class")})) == ["track_differs"]
    other = event(event_id="9-grasper-1", time_us=9, label="grasper")
    assert found(view(event(), other)) == ["track_differs"]
    beside = event(event_id="1-hook-2")
    assert found(view(event(), beside)) == ["track_differs"]


def test_sources_are_listed_with_their_digests():
    listed = [{"path": "a", "sha256": "1"}]
    assert found(view(sources=listed), ("a", "1")) == []
    assert found(view(sources=None)) == []
    for strange in (("a", "2"), ("b", "1")):
        assert found(view(sources=listed), strange) == ["source_unlisted"]
    events = pa.table({"source_path": ["a", "a", "b"], "source_sha256": ["1", "1", "2"]})
    assert sources_of(events) == {("a", "1"), ("b", "2")}
    assert sources_of(None) == set()
