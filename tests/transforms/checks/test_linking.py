"""Linking events again: the rule on small cases, and differences are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgqa.transforms.checks.linking import (
    JITTER,
    SPEED,
    Event,
    centre,
    difference,
    distance,
    link,
    link_problems,
)
from surgqa.transforms.timeline import Timeline
from tests.transforms.checks.world import evidence_of
from tests.transforms.timeline.videos import Seen, box_at, timeline

S = 1_000_000
PERIOD = S


def event(second: float, x: float | None, name: str | None = None) -> Event:
    box = None if x is None else (x - 0.05, 0.4, x + 0.05, 0.5)
    return Event(name or f"{second}:{x}", int(second * S), "?", box)


def linked(*events: Event) -> list[list[str]]:
    return [track.event_ids for track in link(list(events), PERIOD)]


def test_a_slow_instrument_stays_one_track():
    assert linked(event(0, 0.1), event(1, 0.3), event(2, 0.5)) == [["0:0.1", "1:0.3", "2:0.5"]]


def test_the_speed_gate_is_six_tenths_a_second_and_a_little():
    assert len(linked(event(0, 0.1), event(1, 0.74))) == 1  # 0.64 units <= 0.65
    assert len(linked(event(0, 0.1), event(1, 0.76))) == 2  # 0.66 units > 0.65
    assert len(linked(event(0, 0.1), event(0.5, 0.46))) == 2  # 0.36 units > 0.35


def test_the_gate_itself_is_near_enough():
    first, second = (Event(name, t * S, "?", (0.0, 0.4, wide, 0.5))
                     for name, t, wide in (("a", 0, 0.2), ("b", 1, 1.5)))  # fmt: skip
    assert SPEED + JITTER == 0.75 - 0.1
    assert linked(first, second) == [["a", "b"]]


def test_a_track_is_forgotten_after_one_and_a_half_periods():
    assert len(linked(event(0, 0.1), event(1.5, 0.1))) == 1
    assert len(linked(event(0, 0.1), event(1.6, 0.1))) == 2


def test_the_nearest_pair_is_taken_first():
    tracks = linked(event(0, 0.1), event(0, 0.5), event(1, 0.35), event(1, 0.45))
    assert tracks == [["0:0.1", "1:0.35"], ["0:0.5", "1:0.45"]]


def test_equal_distances_go_to_the_track_opened_first():
    assert linked(event(0, 0.25), event(0, 0.75), event(1, 0.5)) == [
        ["0:0.25", "1:0.5"],
        ["0:0.75"],
    ]


def test_what_has_no_box_is_linked_by_its_class_alone():
    assert len(linked(event(0, None), event(1, None))) == 1
    assert len(linked(event(0, None), event(2, None))) == 2
    assert len(linked(event(0, None), event(1, None, "a"), event(1, 0.5, "b"))) == 3
    assert len(linked(event(0, None), event(1, 0.5))) == 2


CROWD = 150


def crowd(seed: int) -> Timeline:
    """Up to three of each class, with and without boxes, near and far, that no source tells
    apart."""
    rng = np.random.default_rng(seed)
    period = int(rng.choice([S // 2, S, 2 * S]))
    steps = rng.choice(
        [period // 2, period, period, period * 3 // 2, period * 3 // 2 + 1, 2 * period], 9
    )
    seen: dict[int, list[Seen]] = {}
    for time in np.cumsum(steps).tolist():
        seen[time] = [
            Seen(label, box_at(float(x) / 16, 0.5) if rng.random() < 0.7 else None)
            for label in ("grasper", "hook")
            for x in rng.choice(16, int(rng.choice([0, 1, 1, 2, 3])), replace=False)
        ]
    return timeline(seen, period)


def rows_of(made: Timeline, video: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of evidence of a timeline's instruments."""
    table, tracks = made.table, made.tracks
    events = [
        {"event_id": name, "time_us": int(table.instants_us[sample]), "label": table.labels[label],
         "track_id": tracks.ids[track],
         **({} if np.isnan(box[0]) else dict(zip(("x1", "y1", "x2", "y2"), box, strict=True)))}
        for name, sample, label, track, box in zip(
            made.event_ids, table.sample, table.label, tracks.of_row, table.box_xyxy.tolist(),
            strict=True)
    ]  # fmt: skip
    told = [{"track_id": name, "linked_by": "class"} for name in tracks.ids]
    tables = {"videos": [{"period_us": made.video.period_us}], "events": events, "tracks": told}
    return {name: [{"video_id": video} | row for row in rows] for name, rows in tables.items()}


def test_made_up_crowds_are_linked_as_the_timeline_links_them(tmp_path: Path):
    rows: dict[str, list[dict[str, Any]]] = {"videos": [], "events": [], "tracks": []}
    for seed in range(CROWD):
        for name, some in rows_of(crowd(seed), f"{seed}").items():
            rows[name] += some
    assert list(link_problems(evidence_of(tmp_path, **rows), tmp_path)) == []


def test_middles_and_how_far_they_lie_apart():
    assert centre((1.0, 2.0, 4.0, 9.0)) == (2.5, 5.5)
    assert distance((1.0, 2.0), (4.0, 6.0)) == distance((4.0, 6.0), (1.0, 2.0)) == 5.0


def test_a_track_of_the_source_is_data():
    def problems(*by: bool) -> str | None:
        events = [event(0, 0.1), event(1, 0.1)]
        return difference([Event(one.event_id, one.time_us, f"hook-{k}", one.box, given)
                           for k, (one, given) in enumerate(zip(events, by, strict=True))],
                          S)  # fmt: skip

    assert problems(True, True) is problems(False, True) is None
    assert problems(False, False) == (
        "2 stored tracks, 1 when linked again; first difference at event 0:0.1"
    )


@pytest.mark.usefixtures("bare")
def test_stored_links_are_made_again_unless_they_are_data(world):
    """A track is cut in two; of one that its source tells, that is so."""
    report = world.check()
    assert (report.videos, report.differences) == (len(world.tables["videos"]), 0)
    track = next(one for one in world.tables["tracks"]
                 if one["linked_by"] != "source" and one["samples"] > 3)  # fmt: skip
    key = {name: track[name] for name in ("dataset", "video_id", "track_id")}
    mine = [one for one in world.tables["events"] if key.items() <= one.items()]
    rest = mine[len(mine) // 2 :]
    for event in rest:
        event["track_id"] = "another"
    track |= {"samples": len(mine) - len(rest), "last_us": mine[len(mine) // 2 - 1]["time_us"]}
    other = {"track_id": "another", "samples": len(rest), "first_us": rest[0]["time_us"],
             "last_us": rest[-1]["time_us"]}  # fmt: skip
    world.tables["tracks"].append({**track, **other})
    assert world.check().counts.get("link_differs") == 1
    assert world.check(link=False).counts.get("link_differs") is None
    for one in world.tables["tracks"]:
        one["linked_by"] = "source"
    assert world.check().counts.get("link_differs") is None
