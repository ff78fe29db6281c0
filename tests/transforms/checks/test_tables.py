"""Evidence read video by video, and rows brought together by video."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.checks import tables
from surgqa.transforms.checks.evidence import Event, MomentRow
from surgqa.transforms.checks.tables import ByVideo, headers, runs_of, view_of
from tests.transforms.checks.world import evidence_of

KEYS = [("d", "a"), ("d", "b"), ("e", "a")]


folder = partial(evidence_of, video="a")


def of(*keys: tuple[str, str]) -> list[dict[str, Any]]:
    """A track of each of some videos."""
    return [{"dataset": dataset, "video_id": video, "track_id": f"{k}"}
            for k, (dataset, video) in enumerate(keys)]  # fmt: skip


def ids(found: pa.Table | None) -> list[str]:
    return [] if found is None else found.column("track_id").to_pylist()


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_a_table_is_handed_out_by_video(
    tmp_path: Path, batch: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tables, "BATCH", batch)
    out = folder(tmp_path, tracks=of(KEYS[0], KEYS[0], KEYS[1], KEYS[2]))
    taken = ByVideo(out, "tracks")
    assert [ids(taken.take(key)) for key in KEYS] == [["0", "1"], ["2"], ["3"]]
    assert taken.take(("z", "z")) is None
    some = ByVideo(out, "tracks")
    asked = (("d", "0"), ("d", "b"), ("d", "c"), ("e", "a"))
    assert [ids(some.take(key)) for key in asked] == [[], ["2"], [], ["3"]]


@pytest.mark.parametrize(
    "keys", [(KEYS[1], KEYS[0]), (KEYS[2], KEYS[0]), (KEYS[0], KEYS[1], KEYS[0])]
)
def test_videos_out_of_order(tmp_path: Path, keys: Any):
    taken = ByVideo(folder(tmp_path, tracks=of(*keys)), "tracks")
    with pytest.raises(OutputBroken) as caught:
        for _ in keys:
            taken.take(("z", "z"))
    last = [key for key in keys if key != KEYS[0]][-1]
    assert caught.value.found == f"d/a after {'/'.join(last)}"


def test_tables_that_came_later_may_lack(tmp_path: Path):
    out = folder(tmp_path)
    (tmp_path / "evidence/moments.parquet").unlink()
    assert ByVideo(out, "moments").take(KEYS[0]) is None
    (tmp_path / "evidence/tracks.parquet").unlink()
    with pytest.raises(OutputBroken):
        ByVideo(out, "tracks")


def test_runs_of_videos():
    rows = pa.RecordBatch.from_pylist(of(KEYS[0], KEYS[1], KEYS[1], ("e", "b"), ("f", "b")))
    assert [(key, ids(part)) for key, part in runs_of(rows)] == [
        (KEYS[0], ["0"]), (KEYS[1], ["1", "2"]), (("e", "b"), ["3"]), (("f", "b"), ["4"])
    ]  # fmt: skip
    assert [(key, ids(part)) for key, part in runs_of(rows.slice(2, 1))] == [(KEYS[1], ["2"])]
    assert list(runs_of(rows.slice(0, 0))) == []


def test_headers_are_sorted(tmp_path: Path):
    out = folder(tmp_path, videos=[{"dataset": d, "video_id": v} for d, v in KEYS[::-1]])
    assert list(headers(out)) == KEYS


def test_a_video_as_plain_values(tmp_path: Path):
    box = {"x1": 0.1, "y1": 0.2, "x2": 0.3, "y2": 0.4}
    nan = dict.fromkeys(box, math.nan)
    out = folder(
        tmp_path,
        videos=[{"period_us": 1, "duration_us": 90, "vocabulary": ["hook"]}],
        events=[
            {"event_id": "e2", "time_us": 7, "label": "hook", "track_id": "t", **box,
             "pairs": [{"verb": "cut", "target": "liver"}, {"verb": "clip", "target": "duct"}]},
            {"event_id": "e1", "time_us": 5, "label": "hook", "pairs": None, **nan},
            {"event_id": "e3", "time_us": 8, "label": "hook", "pairs": []},
            {"event_id": "e4", "time_us": 8, "label": "hook", "pairs":
             [{"verb": "hold", "target": "liver"}]},
            {"event_id": "e0", "time_us": 6},
        ],
        tracks=[{"track_id": "t", "label": "hook", "first_us": 5, "last_us": 7, "samples": 2,
                 "linked_by": "class"}],
        segments=[{"segment_id": "s", "kind": "phase", "label": "p", "start_us": 1, "end_us": 2},
                  {"segment_id": "c", "kind": "clip", "start_us": 1, "end_us": 2}],
        regions=[{"region_id": "r2", "kind": "b", "time_us": 1, "label": "x", **box},
                 {"region_id": "r1", "kind": "a", "time_us": 2},
                 {"region_id": "r0", "kind": "a", "time_us": 1, "label": "x"}],
        labels=[{"label_id": "l", "kind": "rating", "label": "flow", "value": 2.0}],
        moments=[{"moment_id": "m", "kind": "cue", "start_us": 3, "end_us": 4,
                  "resolution_us": 1}],
    )  # fmt: skip
    found = view_of(headers(out)["d", "a"], {kind: ByVideo(out, kind).take(("d", "a"))
                                             for kind in tables.READ})  # fmt: skip
    assert found.instants == [5, 6, 7, 8]
    assert found.events == [
        Event("e1", 5, "hook", "", None, None),
        Event("e2", 7, "hook", "t", (0.1, 0.2, 0.3, 0.4), (("cut", "liver"), ("clip", "duct"))),
        Event("e3", 8, "hook", "", None, ()),
        Event("e4", 8, "hook", "", None, (("hold", "liver"),)),
    ]
    assert found.tracks == {"t": ("hook", 5, 7, 2, "class")}
    assert found.moments == [MomentRow("m", 3, 4, 1, None)]
    assert found.event_ids == 5
    bare = view_of(headers(out)["d", "a"], dict.fromkeys(tables.READ))
    assert (bare.events, bare.instants, bare.tracks, bare.event_ids) == ([], [], {}, 0)
