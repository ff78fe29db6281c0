"""A small output with every unit, and pictures: one a second from 0 to 39 s, without 5 and 6."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.rows import ITEM, VIDEOS
from surgqa.transforms.media.cuts import CutLook
from surgqa.transforms.media.cutting import CutStore
from surgqa.transforms.store import OutputFolder

S = 1_000_000
GONE = (5, 6)
MEDIA = {"path": "v1", "kind": "frames", "fps_num": 1, "fps_den": 1, "width": 96, "height": 48,
         "first": 0}  # fmt: skip


def item(number: int, unit: str, start_s: int, end_us: int, **more: Any) -> dict[str, Any]:
    """A row with every key."""
    row = dict.fromkeys(ITEM.names) | {
        "item_id": f"{number:032x}", "benchmark": "mine", "task": f"group/{unit}", "form": "text",
        "template_id": f"mine.{unit}", "dataset": "made", "video_id": "v1", "split": "train",
        "start_us": start_s * S, "end_us": end_us, "resolution_us": S, "media": MEDIA,
        "question": f"What is question {number}?", "answer": f"answer {number}", "unit": unit,
        "rule": "label", "rule_args": "{}", "options": [], "answer_value": "{}", "slots": "{}",
        "rounds": [], "licence": "CC0-1.0", "split_group": "v1",
    }  # fmt: skip
    return row | more


def one_round(index: int, end_s: int, said: str) -> dict[str, Any]:
    return {"round_index": index, "current_us": end_s * S, "start_us": 20 * S, "end_us": end_s * S,
            "expected_output": said, "accepted_outputs": [said], "answerable": True}  # fmt: skip


def rows() -> list[dict[str, Any]]:
    """Two of a clip, one of a gap in it, a chain, a stream, two times and a still."""
    options = [{"key": key, "text": text, "value": json.dumps(text), "is_answer": key == "B",
                "kind": "other"} for key, text in (("A", "hook"), ("B", "grasper"))]  # fmt: skip
    return [
        item(1, "clip", 10, 20 * S),
        item(2, "clip", 10, 20 * S, form="choice", options=options, answer="B) grasper",
             answer_key="B", question="Which instrument is in view at 3.00 s?"),
        item(3, "clip", 0, 10 * S, question="What is seen at 5.00 s?"),
        item(4, "chain", 20, 40 * S, chain_id="c1", stage=0),
        item(5, "chain", 20, 36 * S, chain_id="c1", stage=1),
        item(6, "chain", 24, 32 * S, chain_id="c1", stage=2),
        item(7, "stream", 20, 30 * S, query_us=20 * S, task_mode="streaming", rounds=[
            one_round(0, 22, "unanswerable"), one_round(1, 25, "two"), one_round(2, 30, "three")]),
        item(8, "now", 10, 15 * S + 1, query_us=15 * S),
        item(9, "now", 3, 6 * S + 1, query_us=6 * S),
        item(10, "still", 0, 0, media=MEDIA | {"path": "still.jpg", "kind": "image"},
             video_id="s1"),
        item(11, "clip", 0, 9 * S, media=MEDIA | {"path": None, "kind": "absent"}, video_id="n1"),
    ]  # fmt: skip


def write_output(out: Path, made: list[dict[str, Any]] | None = None) -> OutputFolder:
    """A finished dataset of these rows."""
    (out / "data" / "mine").mkdir(parents=True)
    (out / "evidence").mkdir()
    made = rows() if made is None else made
    for split in sorted({row["split"] for row in made}):
        table = pa.Table.from_pylist([row for row in made if row["split"] == split], ITEM)
        pq.write_table(table, out / "data" / "mine" / f"{split}-00000-of-00001.parquet")
    videos = [dict.fromkeys(VIDEOS.names) | {"dataset": "made", "video_id": name, "clock": clock,
                                             "period_us": S, "duration_us": 40 * S}
              for name, clock in (("v1", "time"), ("s1", "whole"), ("n1", "time"))]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(videos, VIDEOS), out / "evidence" / "videos.parquet")
    items = {"mine": {"total": len(made), "by_template": {}, "by_split": {"train": len(made)}}}
    told = {"digest": "d" * 64, "items": items, "files": {}, "version": "0"}
    (out / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    (out / "licences.md").write_text("# Licences\n", encoding="utf-8")
    return OutputFolder(out)


def picture(second: int) -> np.ndarray:
    """Grey in steps of 6, so that its second can be read off."""
    return np.full((48, 96, 3), 6 * second, np.uint8)


def second_of(shown: np.ndarray) -> int:
    return round(float(shown.mean()) / 6)


def write_media(root: Path) -> Path:
    """The recording, and a still that shows second 20."""
    (root / "v1").mkdir(parents=True)
    for second in range(40):
        if second not in GONE:
            cv2.imwrite(str(root / "v1" / f"{second:06d}.png"), picture(second))
    cv2.imwrite(str(root / "still.jpg"), picture(20))
    return root


def store_of(folder: Path, root: Path, look: CutLook | None = None) -> CutStore:
    return CutStore(str(folder), (("made", str(root)),), look or CutLook(64))


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        yield from map(json.loads, lines)
