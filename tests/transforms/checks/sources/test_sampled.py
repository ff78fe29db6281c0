"""Which rows are followed into the label files, and what reading has left out of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson

from surgqa.transforms.checks.sources.reopen import SAMPLED, _rejected, _sampled
from surgqa.transforms.store.folder import OutputFolder
from tests.each import cases

VIDEO = {"dataset": "made", "video_id": "v"}


def rows(count: int, **more: object) -> list[dict[str, object]]:
    return [{"event_id": f"e{k}", "label": "hook"} | more for k in range(count)]


@cases("count", [0, 1, SAMPLED - 1, SAMPLED, SAMPLED + 1, 200])
def test_so_many_rows_are_followed_each_once_in_their_order(count: int):
    found = _sampled("events", VIDEO, rows(count))
    assert len(found) == min(count, SAMPLED) and found == sorted(set(found))
    assert all(0 <= k < count for k in found)


def test_a_row_is_drawn_by_its_id_whatever_else_it_says():
    many = rows(200)
    first = _sampled("events", VIDEO, many)
    assert first == _sampled("events", VIDEO, rows(200, label="clipper"))
    turned = [199 - k for k in _sampled("events", VIDEO, many[::-1])]
    assert sorted(turned) == first
    others = ({**VIDEO, "video_id": "w"}, {**VIDEO, "dataset": "other"})
    assert all(_sampled("events", video, many) != first for video in others)
    assert _sampled("segments", VIDEO, [{"segment_id": r["event_id"]} for r in many]) != first


def test_labels_that_reading_left_out_are_counted_by_recording(tmp_path: Path):
    (tmp_path / "manifest.json").write_text("{}")
    assert _rejected(OutputFolder(tmp_path), "made") == Counter()
    told = [
        ("made", "v", "rejected", 2), ("made", "v", "rejected", 3), ("made", "w", "rejected", 1),
        ("made", "v", "kept", 7), ("other", "v", "rejected", 9), ("other", "x", "kept", 9),
    ]  # fmt: skip
    names = ("dataset", "video_id", "outcome", "count")
    rest = {"stage": "read", "key": "", "code": "bad_box", "reason": "", "where": ""}
    lines = [orjson.dumps(rest | dict(zip(names, one, strict=True))) for one in told]
    (tmp_path / "rejected").mkdir()
    (tmp_path / "rejected" / "read.jsonl").write_bytes(b"\n".join(lines))
    assert _rejected(OutputFolder(tmp_path), "made") == Counter(v=5, w=1)
