"""A small output written by hand: a clip, a chain, a stream, and an item full of markup."""

import json
from pathlib import Path

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM

HOSTILE = '<img src=x onerror="window.ran = 1"><script>window.ran = 1</script>\'; DROP TABLE items'
MODEL = '<img src=x onerror="window.ran = 1">'
"""What a file of predictions may be called."""
SPOKEN = "now we retract the <b>liver</b>"
VIDEO = {"dataset": "films", "video_id": "A'1"}
S = 1_000_000
MASK = "48x64:Z<>R1000000FRO2n0NRO2n0NRO2n0NRO2n0NRO2n0NRO2n0800000000000000fh1"
"""A rectangle with a hole."""
WINDOW = (10 * S, 20 * S)


def option(key, text, value=None, right=False, kind="other_instant"):
    """One option of a row."""
    return {"key": key, "text": text, "value": None if value is None else json.dumps(value),
            "is_answer": right, "kind": "answer" if right else kind}  # fmt: skip


def item(number, **told):
    """A row of ``data/``, whose id begins with its number."""
    media = {"path": "film/one", "kind": "frames", "fps_num": 1, "fps_den": 1, "first": 0}
    row = dict.fromkeys(ITEM.names) | VIDEO | {
        "item_id": f"{number:02d}" + 30 * "a", "benchmark": "bench", "task": "present/what",
        "form": "open", "template_id": "bench.what", "template_version": 1, "window_id": "w1",
        "start_us": WINDOW[0], "end_us": WINDOW[1], "media": media, "question": "What is seen?",
        "answer": "A grasper.", "answer_value": '{"label":"grasper"}', "slots": "{}", "options": [],
        "evidence": [{"kind": "events", "id": "e12", "start_us": 12 * S, "end_us": 12 * S}],
        "reasoning": [], "rounds": [], "checks": [{"name": "sure", "measured": 1, "limit": "true"}],
    }  # fmt: skip
    return row | told


def items():
    """All rows."""
    instant = {"answer": {"at": {"type": "instant"}}}
    label = json.dumps({"answer": {"label": {"type": "label"}}})
    rounds = [
        {"round_index": k, "current_us": (12 + k) * S, "start_us": 10 * S, "end_us": (12 + k) * S,
         "expected_output": text, "accepted_outputs": [text], "answerable": text != "no_alert"}
        for k, text in enumerate(("no_alert", "no_alert", "alert: the scissors are here"))
    ]  # fmt: skip
    return [
        item(0),
        item(1, form="choice", question="When does the hook appear?", answer="B) 12.00 s",
             rule="start", rule_args=json.dumps(instant), answer_key="B",
             answer_value='{"at":12000000}',
             options=[option("A", "15.00 s", 15 * S), option("B", "12.00 s", 12 * S, True)]),
        item(2, task="proactive/watch", unit="stream", query_us=10 * S, rounds=rounds,
             temporal_mode="proactive", question="Tell me when the scissors come."),
        item(3, task="present/now", query_us=15 * S, temporal_mode="present"),
        item(4, task="chain/main", chain_id="c1", stage=0, template_id="bench.chain",
             rule_args=label),
        item(5, task="chain/q1", chain_id="c1", stage=1, template_id="bench.chain",
             rule_args=label, question="And then?", context="It is known."),
        item(6, dataset=HOSTILE, video_id=HOSTILE, question=HOSTILE, answer=HOSTILE, task=HOSTILE,
             procedure=HOSTILE, clue=HOSTILE, rubric="{broken",
             options=[option("A", HOSTILE, HOSTILE, True)]),
        item(7, media={"path": "../../secret", "kind": "frames", "fps_num": 1, "fps_den": 1}),
    ]  # fmt: skip


def evidence():
    """Rows of the tables that are not empty."""
    bounds = {"s0_us": 11 * S, "s_us": 12 * S, "s1_us": 12 * S, "e0_us": 16 * S, "e_us": 16 * S,
              "e1_us": 17 * S}  # fmt: skip
    return {
        "videos": [VIDEO | {"duration_us": 60 * S, "period_us": S, "procedure": "a test"}],
        "events": [
            VIDEO | {"event_id": f"e{t}", "time_us": t * S, "label": label, "x1": 0.1, "y1": 0.2,
                     "x2": 0.4, "y2": 0.5, "pairs": [{"verb": "null_verb", "target": "liver"}],
                     "source_path": "labels/a.json", "pointer": f"[{t}]", "track_id": "t1",
                     "mask": MASK if t == 12 else None}
            for t, label in ((12, "grasper"), (13, HOSTILE), (19, "hook"), (40, "hook"))
        ],
        "facts": [
            VIDEO | bounds | {"fact_id": "f1", "kind": "instrument", "label": "grasper",
                              "track": "t1", "sure": True,
                              "marks": [{"kind": "events", "id": "e12"}]},
            VIDEO | bounds | {"fact_id": "f2", "kind": "phase", "label": HOSTILE, "sure": True},
            VIDEO | bounds | {"fact_id": "f3", "kind": "interaction", "subject": "grasper",
                              "verb": "retract", "target": "liver", "sure": True},
            VIDEO | bounds | {"fact_id": "f4", "kind": "cue", "label": "retract", "sure": True,
                              "marks": [{"kind": "moments", "id": "m1"}]},
        ],
        "moments": [VIDEO | {"moment_id": "m1", "kind": "cue", "label": "retract",
                             "start_us": 12 * S, "end_us": 13 * S, "text": SPOKEN}],
        "holes": [VIDEO | {"kind": "instrument", "u0_us": -(1 << 40), "u1_us": 11 * S}],
        "instants": [VIDEO | {"time_us": t * S} for t in (12, 13, 19)],
    }  # fmt: skip


def rejected():
    """Lines of ``rejected/ask.jsonl``."""
    one = VIDEO | {"stage": "ask", "code": "gate", "reason": HOSTILE, "where": "sure", "count": 1,
                   "outcome": "rejected"}  # fmt: skip
    return [one | {"key": f"bench.{name} films/A w1"} for name in ("what", "what", "never")]


def left_out():
    """Lines of ``rejected/choose.jsonl``."""
    return [VIDEO | {"stage": "choose", "code": "over_share", "reason": "too many of them",
                     "where": "bench.what", "count": 1, "outcome": "rejected",
                     "key": "0" * 32}]  # fmt: skip


def write(folder: Path) -> Path:
    """The output's files."""
    tables = evidence()
    (folder / "data" / "bench").mkdir(parents=True)
    (folder / "evidence").mkdir()
    (folder / "rejected").mkdir()
    rows = pa.Table.from_pylist(items(), schema=ITEM)
    pq.write_table(rows, folder / "data" / "bench" / "val-00000-of-00001.parquet")
    for name, schema in EVIDENCE_TABLES.items():
        table = pa.Table.from_pylist(tables.get(name, []), schema=schema)
        pq.write_table(table, folder / "evidence" / f"{name}.parquet")
    (folder / "rejected" / "ask.jsonl").write_text("\n".join(map(json.dumps, rejected())))
    (folder / "rejected" / "choose.jsonl").write_text("\n".join(map(json.dumps, left_out())))
    (folder / "manifest.json").write_text('{"digest": "d", "files": {}}')
    return folder


def write_film(root: Path) -> Path:
    """Thirty pictures, a second each, one as bright as its second; and one outside the root."""
    for where in (root / "film" / "one", root.parent / "secret"):
        where.mkdir(parents=True)
        for k in range(30):
            picture = np.full((48, 64, 3), 8 * k, np.uint8)
            cv2.imwrite(str(where / f"{k:06d}.png"), picture)
    return root


def ident(number):
    """The id of an item."""
    return f"{number:02d}" + 30 * "a"
