"""Rows of a benchmark that nobody has published, one set for each unit, made by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.keys import digest
from surgqa.ontology.rows import EVIDENCE_TABLES, FACTS, ITEM

S = 1_000_000
MEDIA = {"path": "videos/v1", "kind": "frames", "fps_num": 1, "fps_den": 1, "width": 64,
         "height": 48, "first": 0}  # fmt: skip
LABEL = {"type": "label", "of": "instrument"}


def own(name: str, unit: str, types: Mapping[str, Any], value: Mapping[str, Any], **more: Any):
    """One row of the template ``own.NAME``."""
    args = {"answer": types, "mode": "past", "pools": [], "scorer": "", "program": "p"}
    return dict.fromkeys(ITEM.names) | {
        "item_id": digest("own", name, more.get("stage", 0)), "benchmark": "own",
        "task": f"retrospective/{name}", "form": "choice", "template_id": f"own.{name}",
        "template_version": 1, "dataset": "demo", "video_id": "v1", "split": "train",
        "procedure": "laparoscopic cholecystectomy", "specialty": "general surgery",
        "window_id": "w", "start_us": 0, "end_us": 20 * S, "resolution_us": S, "media": MEDIA,
        "question": f"What of {name}?", "answer": "A) Hook", "unit": unit, "rule": "last",
        "rule_args": json.dumps(args), "options": [], "answer_value": json.dumps(value),
        "slots": "{}", "evidence": [], "reasoning": [], "rounds": [], "checks": [],
        "certain": "worlds", "temporal_mode": "retrospective", "task_mode": "single_turn",
        "label_source": "original_annotation", "licence": "x",
    } | more  # fmt: skip


def closed(*values: Any, texts: Sequence[str] | None = None) -> dict[str, Any]:
    """Options of these typed values, the first of them right."""
    said = texts or [str(one).capitalize() for one in values]
    options = [{"key": "ABCD"[k], "text": text, "value": json.dumps(one), "is_answer": k == 0,
                "kind": "labels" if k else "answer"}
               for k, (one, text) in enumerate(zip(values, said, strict=True))]  # fmt: skip
    return {"options": options, "answer_key": "A", "answer": f"A) {said[0]}"}


def clip() -> dict[str, Any]:
    """Whether something is in a clip, without options."""
    return own("seen", "clip", {"seen": {"type": "truth", "of": ""}}, {"seen": True},
               form="yes_no", answer="Yes", start_us=5 * S, temporal_mode=None,
               task_mode=None)  # fmt: skip


def now() -> dict[str, Any]:
    """Which instrument was last in view."""
    return own("tool", "now", {"tool": LABEL}, {"tool": "hook"}, end_us=12 * S + 1,
               slots=json.dumps({"tool": {"label": "hook", "start_us": 2 * S, "end_us": 7 * S}}),
               **closed("hook", "grasper", "scissors", "clipper"))  # fmt: skip


def recording() -> dict[str, Any]:
    """How long something takes in all."""
    return own("length", "recording", {"d": {"type": "duration", "of": ""}}, {"d": 7 * S},
               form="duration", answer="7.00 s")  # fmt: skip


def stream(name: str = "alert") -> dict[str, Any]:
    """Something to be told once it is there."""
    rounds = [
        {"round_index": k, "current_us": at * S, "start_us": 4 * S, "end_us": at * S,
         "expected_output": "alert: bleeding" if at >= 12 else "no_alert",
         "accepted_outputs": ["alert: bleeding" if at >= 12 else "no_alert"],
         "answerable": at >= 12}
        for k, at in enumerate((6, 9, 12, 15))
    ]  # fmt: skip
    return own(name, "stream", {"hit": {"type": "fact", "of": "condition"}},
               {"hit": {"label": "bleeding", "start_us": 11 * S, "end_us": 19 * S}},
               form="open", answer="alert: bleeding", start_us=4 * S, rounds=rounds,
               query_us=4 * S, temporal_mode=None, task_mode="streaming")  # fmt: skip


def chain(stages: int = 3, number: int = 0) -> list[dict[str, Any]]:
    """An event in stages: main, one without options, and times."""
    chain_id = digest("own chain", number)
    shared = {"chain_id": chain_id, "temporal_mode": None, "task_mode": None}
    made = []
    for stage in range(stages):
        told = {} if not stage else {"knowledge": f"Rule {stage}.", "clue": f"Sign {stage}.",
                                     "context": f"Known {stage}."}  # fmt: skip
        if stage == 1:
            kind = {"types": {"n": {"type": "number", "of": ""}}, "value": {"n": 2},
                    "form": "number", "answer": "2"}  # fmt: skip
        else:
            kind = {"types": {"at": {"type": "instant", "of": ""}}, "value": {"at": 8 * S},
                    **closed(8 * S, 9_999_999, 12 * S, 14 * S,
                             texts=["8.00 s", "10.00 s", "12.00 s", "14.00 s"])}  # fmt: skip
        types, value = kind.pop("types"), kind.pop("value")
        name = f"chain{number}"
        made.append(own(name, "chain", types, value, stage=stage, task=f"order/{stage}",
                        question=f"Question {stage}?", **shared, **told, **kind)
                    | {"template_id": "own.chain"})  # fmt: skip
    return made


def every() -> list[dict[str, Any]]:
    """A row of each unit, and a chain."""
    return [clip(), now(), recording(), stream(), *chain()]


def action() -> dict[str, Any]:
    """Which action comes next, of the clips in :func:`finished`."""
    of = {"type": "label", "of": "next_action"}
    return own("next", "now", {"clip.label": of}, {"clip.label": "vessel_clipping"}, start_us=4 * S,
               end_us=4 * S + 1, temporal_mode="future", task="future/next",
               **closed("vessel_clipping", "dissection"))  # fmt: skip


def video() -> dict[str, Any]:
    """What the next eight seconds show."""
    return own("go_on", "now", {"r": {"type": "stretch", "of": ""}}, {"r": None},
               form="continuation", start_us=4 * S, end_us=4 * S + 1, task="future/go_on",
               temporal_mode="future")  # fmt: skip


def fact(kind: str, label: str, start_s: int, end_s: int) -> dict[str, Any]:
    """A row of ``evidence/facts``."""
    return dict.fromkeys(FACTS.names) | {
        "dataset": "demo", "video_id": "v1", "kind": kind, "label": label, "origin": "reader",
        "s_us": start_s * S, "e_us": end_s * S, "marks": [],
    }  # fmt: skip


def finished(out: Path, rows: Sequence[Mapping[str, Any]], facts: Sequence[Any] = ()) -> Path:
    """A finished dataset of these rows."""
    by_benchmark: dict[str, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["item_id"]):
        by_benchmark.setdefault(row["benchmark"], []).append(row)
    (out / "evidence").mkdir(parents=True)
    for name, mine in by_benchmark.items():
        (out / "data" / name).mkdir(parents=True)
        path = out / "data" / name / "train-00000-of-00001.parquet"
        pq.write_table(pa.Table.from_pylist(list(mine), ITEM), path)
    videos = [{"dataset": "demo", "video_id": "v1", "clock": "time", "period_us": S,
               "duration_us": 20 * S}]  # fmt: skip
    known = {"videos": videos, "facts": list(facts)}
    for name, schema in EVIDENCE_TABLES.items():
        path = out / "evidence" / f"{name}.parquet"
        pq.write_table(pa.Table.from_pylist(known.get(name, []), schema), path)
    (out / "manifest.json").write_text('{"digest": "d"}', encoding="utf-8")
    return out
