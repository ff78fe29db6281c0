"""A finished dataset, small enough to know by heart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.rows import EVENTS, ITEM, SEGMENTS, VIDEOS

ID_A, ID_B, ID_C = "aaaa0001" + "0" * 24, "aaaa0002" + "0" * 24, "bbbb0001" + "0" * 24


def item(item_id: str, **more: Any) -> dict[str, Any]:
    """One row of ``data/`` with every key."""
    row = dict.fromkeys(ITEM.names)
    row |= {
        "item_id": item_id,
        "benchmark": "surgstu",
        "task": "counting/counting_distinct",
        "form": "choice",
        "template_id": "surgstu.counting_distinct",
        "template_version": 1,
        "dataset": "cholect50",
        "video_id": "VID01",
        "procedure": "laparoscopic cholecystectomy",
        "window_id": "w1",
        "start_us": 0,
        "end_us": 20_000_000,
        "question": "How many kinds of instruments are in view at 3.00 seconds?",
        "answer": "A) 1",
        "options": [
            {"key": "A", "text": "1", "is_answer": True, "kind": "answer"},
            {"key": "B", "text": "2", "is_answer": False, "kind": "near"},
        ],
        "answer_key": "A",
        "unit": "clip",
        "rule": "count",
        "rule_args": json.dumps(
            {
                "answer": {"number": {"type": "number", "of": ""}},
                "fields": ["number"],
                "mode": "clip",
                "pools": ["near"],
                "scorer": "",
                "program": "",
            }
        ),
        "certain": "worlds",
        "answer_value": '{"number":1}',
        "slots": '{"moment":3000000,"number":1}',
        "evidence": [
            {"kind": "events", "id": "e1", "start_us": 3_000_000, "end_us": 3_000_000},
            {"kind": "tracks", "id": "t1", "start_us": 2_000_000, "end_us": 4_000_000},
        ],
        "reasoning": [],
        "rounds": [],
        "checks": [{"name": "classes", "measured": 1.0, "limit": ">= 1"}],
    }
    return row | more


def event(event_id: str, time_us: int, track_id: str | None = "t1") -> dict[str, Any]:
    """One row of ``evidence/events``."""
    return {
        "dataset": "cholect50",
        "video_id": "VID01",
        "event_id": event_id,
        "time_us": time_us,
        "frame": time_us // 1_000_000,
        "label": "hook" if track_id else None,
        "track_id": track_id,
        "x1": 0.1, "y1": 0.2, "x2": 0.3, "y2": 0.4,
        "pairs": [{"verb": "dissect", "target": "gallbladder"}],
        "score": 1.0,
        "box_origin": "manual",
        "source_path": "labels/VID01.json",
        "source_sha256": "c0ffee",
        "pointer": f'annotations["{time_us // 1_000_000}"][0]',
    }  # fmt: skip


@pytest.fixture
def dataset(tmp_path: Path) -> Callable[..., Path]:
    """Writes a finished dataset: ``dataset(rows, name=..., shards=..., formats=...)``."""

    def write(
        rows: list[dict[str, Any]], name: str = "out", shards: int = 1, parquet: bool = True
    ) -> Path:
        out = tmp_path / name
        data = out / "data" / "surgstu"
        data.mkdir(parents=True)
        (out / "evidence").mkdir()
        for shard in range(shards):
            mine = rows[shard::shards]
            stem = data / f"train-{shard:05d}-of-{shards:05d}"
            if parquet:
                pq.write_table(pa.Table.from_pylist(mine, ITEM), f"{stem}.parquet")
            else:
                text = "".join(json.dumps(row) + "\n" for row in mine)
                stem.with_suffix(".jsonl").write_text(text, encoding="utf-8")
        events = [event("e1", 3_000_000), event("e2", 4_000_000), event("e3", 5_000_000)]
        events.append(event("e0", 1_000_000, track_id=None))
        pq.write_table(pa.Table.from_pylist(events, EVENTS), out / "evidence" / "events.parquet")
        video = dict.fromkeys(VIDEOS.names) | {
            "dataset": "cholect50", "video_id": "VID01", "clock": "time",
        }  # fmt: skip
        pq.write_table(pa.Table.from_pylist([video], VIDEOS), out / "evidence" / "videos.parquet")
        segment = {
            "dataset": "cholect50", "video_id": "VID01", "segment_id": "w1", "kind": "clip",
            "label": "clip", "start_us": 0, "end_us": 20_000_000,
            "source_path": "labels/VID01.json", "pointer": "whole",
        }  # fmt: skip
        pq.write_table(
            pa.Table.from_pylist([segment], SEGMENTS), out / "evidence" / "segments.parquet"
        )
        (out / "rejected").mkdir()
        left_out = {
            "stage": "choose", "dataset": "cholect50", "video_id": None, "key": "cholect50/VID01",
            "code": "over_cap", "reason": "the most frequent", "where": "surgstu.locate",
            "count": 1, "outcome": "rejected",
        }  # fmt: skip
        (out / "rejected" / "choose.jsonl").write_text(
            (json.dumps(left_out) + "\n") * 5, encoding="utf-8"
        )
        (out / "manifest.json").write_text(
            json.dumps(
                {
                    "digest": "d",
                    "files": {"evidence/events.parquet": "0"},
                    "failed": [
                        {
                            "key": "cholect50/VID02",
                            "code": "source-broken",
                            "error": ["torn", "  where     x"],
                        }
                    ],
                    "rejected": {"read/bad_box/repaired": 2, "read/bad_row/rejected": 3},
                    "ledger": {
                        "surgstu.locate": {
                            "units": 45,
                            "asked": 0,
                            "declined": {"gate: overlap": 40},
                        }
                    },
                    "items": {
                        "surgstu": {
                            "total": 3,
                            "by_template": {"surgstu.classes": 3},
                            "by_split": {},
                        }
                    },
                    "dropped": {"surgstu.locate": 5},
                }
            ),
            encoding="utf-8",
        )
        return out

    return write
