"""Items of a finished dataset, made up by hand: all modes, forms and clocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.keys import digest
from surgqa.ontology.rows import ITEM, VIDEOS

S = 1_000_000
RUBRIC = {
    "correctness": {"0": "neither", "2": "names both", "1": "names one"},
    "evidence_grounding": {"2": "a clear cue", "1": "a vague cue", "0": "no cue"},
    "safety": {"1": "no unsupported claim", "0": "an unsupported claim"},
    "required": [["clip applier"]],
    "cues": [["view"]],
    "rivals": ["hook"],
}
VIDEOS_OF = {
    ("demochole", "V07"): ("video", "videos/V07.mp4", "time", 1 * S, 1800 * S),
    ("demoframes", "seq 1"): ("frames", "frames/seq_1", "order", 1 * S, 200 * S),
    ("demostill", "i42"): ("image", "images/i42.PNG", "whole", 1 * S, 0),
    ("democolon", "Polyp_3"): ("video", "Polyp/Polyp_3.avi", "time", 1 * S, 90 * S),
    ("democolon", "n9"): ("absent", None, "time", 1 * S, 120 * S),
}
"""Kind, path, clock, period and duration of each video."""


def item(task: str, video: tuple[str, str], query_us: int, start_us: int, **more: Any) -> dict:
    """An item by its task (``present/phase_now``); ``value``, ``slots``, ``rubric`` as objects.

    ``of`` says what the labels of its answer are of.
    """
    kind, path, *_ = VIDEOS_OF[video]
    row = dict.fromkeys(ITEM.names)
    for name in ("value", "slots", "rubric"):
        given = more.pop(name, None)
        row["answer_value" if name == "value" else name] = (
            None if given is None else json.dumps(given)
        )
    kind_of = {"type": "label", "of": more.pop("of", "")}
    answer = dict.fromkeys(json.loads(row["answer_value"] or "{}"), kind_of)
    row |= {
        "unit": "stream" if more.get("rounds") else "now",
        "rule": "only",
        "rule_args": json.dumps({"answer": answer}),
        "item_id": digest(task, *video, query_us, more.get("question")),
        "benchmark": "medstream",
        "task": task,
        "template_id": f"medstream.{task.partition('/')[2]}",
        "template_version": 1,
        "dataset": video[0],
        "video_id": video[1],
        "split": "train",
        "window_id": digest("query", "/".join(video), start_us, query_us),
        "start_us": start_us,
        "end_us": query_us,
        "media": {"path": path, "kind": kind, "fps_num": 1, "fps_den": 1, "first": 0},
        "options": [],
        "evidence": [],
        "reasoning": [],
        "rounds": [],
        "checks": [],
        "temporal_mode": task.partition("/")[0],
        "task_mode": "single_turn",
        "query_us": query_us,
        "label_source": "original_annotation",
        "licence": "x",
    }
    return row | more


def options(right: str, *wrong: str) -> dict[str, Any]:
    """Options in no order, the right one somewhere in the middle, and the answer."""
    texts = [*wrong[:1], right, *wrong[1:]]
    entries = [
        {"key": "ABCDEFGH"[i], "text": text, "is_answer": text == right, "kind": ""}
        for i, text in enumerate(texts)
    ]
    key = "ABCDEFGH"[texts.index(right)]
    return {"form": "choice", "options": entries, "answer": f"{key}) {right}", "answer_key": key}


def rounds(query_us: int, times_us: list[int], event_us: int | None, early: str, late: str) -> list:
    """Rounds at the times; before the event ``early`` is expected."""
    more = ["uncertain"] if early == "no_alert" else []
    out = []
    for place, time_us in enumerate(times_us):
        there = event_us is not None and time_us >= event_us
        out.append({
            "round_index": place, "current_us": time_us, "start_us": query_us, "end_us": time_us,
            "expected_output": late if there else early,
            "accepted_outputs": [late] if there else [early, *more], "answerable": there,
        })  # fmt: skip
    return out


CHOLE, FRAMES, STILL = ("demochole", "V07"), ("demoframes", "seq 1"), ("demostill", "i42")
COLON, BARE = ("democolon", "Polyp_3"), ("democolon", "n9")
ALERT = "alert: a polyp has come into view"


def items() -> list[dict]:
    """Nine items."""
    return [
        item(
            "retrospective/phase_past", CHOLE, 412 * S, 352 * S,
            question="Which phase ended during this window?",
            clue="phase preparation, 301.0-371.0 s, V07.txt: it ends in the window.",
            value={"past.label": "preparation"}, of="phase",
            **options("preparation", "gallbladder packaging", "Calot triangle dissection"),
        ),
        item(
            "retrospective/tool_left", CHOLE, 412 * S, 352 * S, form="open",
            question="Which instrument went out of view during this window?",
            clue="instrument clip applier, last seen at 369.0 s, V07.txt.",
            answer="The clip applier went out of view.", rubric=RUBRIC,
            value={"past.label": "clipper"}, of="instrument",
        ),
        item(
            "present/tool_presence", CHOLE, 412_333_400, 402_333_400,
            question="Can a hook be seen in the last picture?",
            clue="instrument hook, at 412.333 s, V07.txt.", value={"there": False},
            slots={"label": "hook"},
            **options("No", "Yes") | {"form": "yes_no"},
        ),
        item(
            "future/phase_next", CHOLE, 412 * S, 382 * S,
            question="Which phase comes next after this window?",
            clue="next phase at 655.0 s, 243.0 s ahead, look-ahead 30.0 s, V07.txt.",
            value={"next": "unanswerable"}, of="phase",
            **options("unanswerable", "gallbladder packaging", "preparation"),
        ),
        item(
            "future/phase_begins", CHOLE, 600 * S, 600 * S, task_mode="streaming",
            end_us=675 * S, question="Which phase begins next? Wait until it is seen.",
            clue="phase gallbladder dissection, 655.0-700.0 s, V07.txt.",
            value={"then.label": "gallbladder_dissection"}, of="phase",
            rounds=rounds(600 * S, [610 * S, 630 * S, 655 * S, 675 * S], 655 * S, "unanswerable",
                          "gallbladder dissection"),
            **options("gallbladder dissection", "gallbladder packaging", "preparation"),
        ),
        item(
            "proactive/lesion_alert", COLON, 20 * S, 20 * S, task_mode="streaming", form="open",
            end_us=60 * S, question="Raise an alert when a lesion can be seen.",
            clue="finding polyp, 44.0-71.0 s, boxes.csv row 3.", answer=ALERT, rubric=RUBRIC,
            value={"hit": {"label": "polyp", "start_us": 44 * S, "end_us": 71 * S}}, of="finding",
            rounds=rounds(20 * S, [28 * S, 36 * S, 40 * S, 44 * S, 60 * S], 44 * S, "no_alert",
                          ALERT),
        ),
        item(
            "proactive/lesion_alert", BARE, 20 * S, 20 * S, task_mode="streaming", form="open",
            end_us=80 * S, question="Raise an alert when a lesion can be seen.",
            clue="no finding from 0 to 120.0 s, boxes.csv.", answer="no_alert", rubric=RUBRIC,
            value={"hit": None}, of="finding",
            rounds=rounds(20 * S, [35 * S, 50 * S, 65 * S, 80 * S], None, "no_alert", ""),
        ),
        item(
            "present/tool_count", FRAMES, 40 * S, 20 * S,
            question="How many instruments does the last picture show?",
            clue="instruments hook and grasper, frame 40, seq.csv.", value={"number": 2},
            **options("2", "10", "1"),
        ),
        item(
            "present/finding_presence", STILL, 0, 0,
            question="Can an ulcer be seen in this picture?",
            clue="finding ulcer, boxes.csv row 9.", value={"there": True},
            slots={"label": "ulcer"},
            **options("Yes", "No") | {"form": "yes_no"},
        ),
    ]  # fmt: skip


def dataset(path: Path, rows: list[dict], shards: int = 1, parquet: bool = True) -> Path:
    """A finished dataset with these items."""
    data = path / "data" / "medstream"
    data.mkdir(parents=True)
    (path / "evidence").mkdir()
    for shard in range(shards):
        stem = data / f"train-{shard:05d}-of-{shards:05d}"
        mine = sorted(rows[shard::shards], key=lambda row: row["item_id"])
        if parquet:
            pq.write_table(pa.Table.from_pylist(mine, ITEM), f"{stem}.parquet")
        else:
            text = "".join(json.dumps(row) + "\n" for row in mine)
            stem.with_suffix(".jsonl").write_text(text, encoding="utf-8")
    videos = [
        {"dataset": key[0], "video_id": key[1], "clock": clock, "period_us": period_us,
         "duration_us": duration_us}
        for key, (_, _, clock, period_us, duration_us) in VIDEOS_OF.items()
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(videos, VIDEOS), path / "evidence" / "videos.parquet")
    (path / "manifest.json").write_text('{"digest": "d"}', encoding="utf-8")
    return path
