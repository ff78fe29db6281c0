"""Chains made by hand, one kind for each task, and a finished dataset of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.keys import digest
from surgqa.ontology.rows import ITEM, VIDEOS
from surgqa.transforms.scoring.surgcot.items import STAGES, TASKS

S = 1_000_000
CAO, CAA, AM, MTL, AOT = TASKS

_WHAT: dict[str, list[str]] = {
    CAO: ["clipping ends before cutting begins", "cutting ends before clipping begins",
           "both overlap and clipping begins first", "both overlap and cutting begins first"],
    CAA: ["one cue is visible", "it starts without warning", "it does not occur here",
           "several cues at the same time"],
    AM: ["it divides the tissue", "it holds the tissue", "it seals the tissue",
          "it clears the field"],
    MTL: ["from grasping to retracting", "from retracting to grasping",
           "from grasping to dissecting", "from dissecting to retracting"],
    AOT: ["bleeding at the liver", "bile leak at the duct", "smoke in the field",
           "a perforated gallbladder"],
}  # fmt: skip
"""Core task -> options of Q1, the right one first."""

TYPES = (
    {"what": "word", "at": "instant"},
    {"what": "word"},
    {"span": "stretch"},
    {"at": "instant"},
)
"""Parts of the answer of each stage."""

VIDEO = ("demo", "v01", "train", "videos/v01.mp4")
"""Dataset, id, split and path of a recording."""


def chain(
    core: str = CAO,
    number: int = 0,
    at_us: int = 21_566_667,
    *,
    scale: str = "standard",
    video: tuple[str, str, str | None, str | None] = VIDEO,
) -> list[dict[str, Any]]:
    """The four rows of a chain whose event begins at a time; main first."""
    texts = _WHAT[core]
    begin = at_us - at_us % 500_000
    span = [begin, begin + 1_500_000]
    spacing_us = 500_000 if scale == "standard" else 2 * S
    spans = [[a + k * 1_500_000 for a in span] for k in (0, -1, 1, 2)]
    times = [at_us + k * spacing_us for k in (0, -1, 1, 2)]
    ends = [f"{texts[i]}, from {_clock(times[j])}" for i, j in ((0, 0), (0, 1), (1, 0), (1, 1))]
    chain_id = digest("chain", core, number, *video[:2])
    rows = []
    for stage, (value, options, width_us) in enumerate(
        (
            ({"what": texts[0], "at": at_us}, ends, 20 * S),
            ({"what": texts[0]}, texts, 20 * S),
            (
                {"span": dict(zip(("start", "end"), span, strict=True))},
                [f"{_clock(a)} to {_clock(b)}" for a, b in spans],
                8 * S,
            ),
            ({"at": at_us}, [_clock(time) for time in times], 2 * S),
        )
    ):
        start_us = max(0, at_us - width_us // 2)
        rows.append(_row(core, stage, chain_id, video) | _closed(options, (number + stage) % 4) | {
            "start_us": start_us, "end_us": start_us + width_us,
            "window_id": digest("chain", *video[:2], start_us, start_us + width_us),
            "answer_value": json.dumps(value), "resolution_us": spacing_us,
            "rule_args": json.dumps({"answer": {name: {"type": of, "of": ""}
                                                for name, of in TYPES[stage].items()}}),
        })  # fmt: skip
    _tell(rows, texts[0])
    return rows


def _tell(rows: list[dict[str, Any]], what: str) -> None:
    """Knowledge, clue and context; each names its stage, so that a test can tell them apart."""
    for stage in (1, 2, 3):
        rows[stage] |= {
            "knowledge": f"In general, statement {stage} holds.",
            "clue": f"Around 21 s, sign {stage} is in view.",
        }
    rows[2]["context"] = f"The reference says: {what}."
    rows[3]["context"] = f"The reference says: {what}, in {_right(rows[2])}."


def _row(core: str, stage: int, chain_id: str, video: tuple[Any, ...]) -> dict[str, Any]:
    dataset, video_id, split, path = video
    return dict.fromkeys(ITEM.names) | {
        "item_id": digest(chain_id, stage),
        "benchmark": "surgcot",
        "task": f"{core}/{STAGES[stage]}",
        "form": "choice",
        "template_id": f"surgcot.{core}",
        "template_version": 1,
        "dataset": dataset,
        "video_id": video_id,
        "split": split,
        "procedure": "laparoscopic cholecystectomy",
        "specialty": "general surgery",
        "media": {"path": path, "kind": "video" if path else "absent", "fps_num": 30, "fps_den": 1},
        "question": f"Question {STAGES[stage]} of {core} {chain_id[:6]}: which is right?",
        "unit": "chain", "rule": "only", "slots": "{}", "certain": "worlds",
        "evidence": [], "reasoning": [], "rounds": [], "checks": [],
        "chain_id": chain_id,
        "stage": stage,
        "label_source": "original_annotation",
        "licence": "x",
    }  # fmt: skip


def _closed(texts: Sequence[str], place: int) -> dict[str, Any]:
    """Options with the right one, which stands first in ``texts``, at a place."""
    ordered = [*texts[1:]]
    ordered.insert(place, texts[0])
    options = [{"key": "ABCD"[i], "text": text, "is_answer": i == place,
                "kind": "answer" if i == place else "other"}
               for i, text in enumerate(ordered)]  # fmt: skip
    key = "ABCD"[place]
    return {"options": options, "answer_key": key, "answer": f"{key}) {texts[0]}"}


def _right(row: dict[str, Any]) -> str:
    return next(option["text"] for option in row["options"] if option["is_answer"])


def _clock(time_us: int) -> str:
    return f"{(time_us + 5000) // 10_000 / 100:.2f} s"


def five(**more: Any) -> list[dict[str, Any]]:
    """A chain of each task."""
    return [row for n, core in enumerate(TASKS) for row in chain(core, n, **more)]


def gold(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, None], str]:
    """The right answers as predictions."""
    return {(row["item_id"], None): row["answer"] for row in rows}


def wrong_key(row: dict[str, Any]) -> str:
    """A letter that is not right."""
    return next(option["key"] for option in row["options"] if not option["is_answer"])


def dataset(out: Path, rows: Sequence[dict[str, Any]], shards: int = 1) -> Path:
    """A finished dataset of the rows."""
    data = out / "data" / "surgcot"
    data.mkdir(parents=True)
    (out / "evidence").mkdir()
    ordered = sorted(rows, key=lambda row: row["item_id"])
    for shard in range(shards):
        table = pa.Table.from_pylist(ordered[shard::shards], ITEM)
        pq.write_table(table, data / f"train-{shard:05d}-of-{shards:05d}.parquet")
    keys = sorted({(row["dataset"], row["video_id"]) for row in rows})
    videos = [{"dataset": d, "video_id": v, "clock": "time", "period_us": S} for d, v in keys]
    pq.write_table(pa.Table.from_pylist(videos, VIDEOS), out / "evidence" / "videos.parquet")
    (out / "manifest.json").write_text('{"digest": "d"}', encoding="utf-8")
    return out
