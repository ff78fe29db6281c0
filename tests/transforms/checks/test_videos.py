"""Events, moments and tracks of a recording: what is possible, at each limit."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from surgqa.transforms.checks.videos import video_problems
from tests.each import cases
from tests.transforms.checks.world import evidence_of

LONG = 100
FILE = {"source_path": "a", "source_sha256": "1"}
VIDEO = {"duration_us": LONG, "vocabulary": ["hook", "grasper"],
         "sources": [{"path": "a", "sha256": "1"}]}  # fmt: skip
EVENT = {"event_id": "1-hook-1", "time_us": 5, "label": "hook", "track_id": "hook-1", **FILE}
LATER = EVENT | {"event_id": "9-hook-1", "time_us": 9}
TRACK = {"track_id": "hook-1", "label": "hook", "first_us": 5, "last_us": 9, "samples": 2}
MOMENT = {"moment_id": "cue-5", "start_us": 5, "end_us": 9, "resolution_us": 1}
DOING = [{"verb": "cut", "target": "liver"}, {"verb": "grasp", "target": "liver"}]


def box(*sides: float) -> dict[str, float]:
    return dict(zip(("x1", "y1", "x2", "y2"), sides, strict=True))


def found(root: Path, video: dict[str, Any] = VIDEO, **rows: Any) -> list[str]:
    """Codes of what is wrong; a table of tracks that is not given fits the events."""
    if "tracks" not in rows:
        one = next(iter(rows.get("events", ())), {})
        name, label, time = (one.get(key) for key in ("track_id", "label", "time_us"))
        rows["tracks"] = [{"track_id": name, "label": label, "first_us": time, "last_us": time,
                           "samples": 1}] if one and name else []  # fmt: skip
    root = Path(mkdtemp(dir=root))
    out = evidence_of(root, videos=[video], **rows)
    return [code for code, _ in video_problems(out, root)]


BOXES = [
    ((0.0, 0.25, 1.0, 0.5), False), ((-0.01, 0.25, 1.0, 0.5), True),
    ((0.0, -0.01, 1.0, 0.5), True), ((0.0, 0.25, 1.01, 0.5), True),
    ((0.0, 0.25, 1.0, 1.01), True), ((0.5, 0.0, 0.5, 1.0), True), ((0.0, 0.5, 1.0, 0.5), True),
    ((0.0, 0.0, 1.0, 1.0), False), ((0.9, 0.0, 0.1, 1.0), True), ((0.0, 0.9, 1.0, 0.1), True),
]  # fmt: skip


@cases(
    ("more", "wrong"),
    [
        ({}, False),
        ({"label": "saw"}, True),
        ({"time_us": 0}, False),
        ({"time_us": -1}, True),
        ({"time_us": LONG - 1}, False),
        ({"time_us": LONG}, True),
        ({"pairs": DOING}, False),
        ({"pairs": DOING[::-1]}, True),
        ({"pairs": []}, True),
        *((box(*sides), wrong) for sides, wrong in BOXES),
    ],
)
def test_an_event(tmp_path: Path, more: dict[str, Any], wrong: bool):
    assert found(tmp_path, events=[EVENT | more]) == ["event_malformed"] * wrong


@pytest.mark.parametrize("track", [None, ""])
def test_an_event_without_a_track(tmp_path: Path, track: str | None):
    assert "event_malformed" in found(tmp_path, events=[EVENT | {"track_id": track}])


@cases(
    ("times", "wrong"), [((7,), 0), ((7, 8), 0), ((7, 7), 1), ((5,), 1), ((5, 7, 7, 8), 2)]
)  # fmt: skip
def test_an_instant_without_instruments_has_one_row(tmp_path: Path, times: Any, wrong: int):
    empty = [{"event_id": f"{k}", "time_us": time, **FILE} for k, time in enumerate(times)]
    assert found(tmp_path, events=[EVENT, *empty]) == ["event_malformed"] * wrong


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
        *((box(*sides), wrong) for sides, wrong in BOXES),
    ],
)
def test_a_moment(tmp_path: Path, more: dict[str, Any], wrong: bool):
    assert found(tmp_path, moments=[MOMENT | more]) == ["moment_malformed"] * wrong


def test_ids_of_moments_are_each_once(tmp_path: Path):
    assert found(tmp_path, moments=[MOMENT, MOMENT | {"end_us": 8}]) == [
        "moment_malformed"] * 2  # fmt: skip
    assert found(tmp_path, moments=[MOMENT, MOMENT | {"moment_id": "cue-6"}]) == []


def test_an_earlier_version_has_no_moments(tmp_path: Path):
    out = evidence_of(tmp_path, videos=[VIDEO])
    (tmp_path / "evidence/moments.parquet").unlink()
    assert list(video_problems(out, tmp_path)) == []


@cases(
    ("kept", "wrong"),
    [
        ({}, 0),
        ({"linked_by": "source"}, 0),
        ({"label": "grasper"}, 1),
        ({"first_us": 4}, 1),
        ({"last_us": 10}, 1),
        ({"samples": 3}, 1),
        ({"track_id": "hook-2"}, 2),
    ],
)
def test_a_track(tmp_path: Path, kept: Any, wrong: int):
    told = found(tmp_path, events=[EVENT, LATER], tracks=[TRACK | kept])
    assert told == ["track_differs"] * wrong


@cases("more", [{"label": "grasper"}, {"time_us": 5}])
def test_a_track_of_two_labels_or_twice_at_an_instant(tmp_path: Path, more: dict[str, Any]):
    events = [EVENT, LATER | more]
    track = TRACK | {"last_us": events[1]["time_us"]}
    assert found(tmp_path, events=events, tracks=[track]) == ["track_differs"]


@cases(
    ("listed", "wrong"),
    [(VIDEO["sources"], 0), ([], 1), (None, 1), ([{"path": "a", "sha256": "2"}], 1),
     ([{"path": "b", "sha256": "1"}], 1)],
)  # fmt: skip
def test_sources_are_listed_with_their_digests(tmp_path: Path, listed: Any, wrong: int):
    told = found(tmp_path, VIDEO | {"sources": listed}, events=[EVENT, LATER], tracks=[TRACK])
    assert told == ["source_unlisted"] * wrong
