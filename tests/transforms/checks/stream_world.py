"""A recording of 200 s by hand for timed questions, one label a second, and right items.

====================  ==================================================================
kind                  what holds when (seconds)
====================  ==================================================================
phase                 preparation 0-60, calot_triangle_dissection 60-110,
                      clipping_and_cutting 110-150, gallbladder_dissection 150-200
event                 out_of_body 170-180
action of left_hand   grasping 10-50
instrument            grasper 0-99 (to the gallbladder), hook 20-79 (dissects the cystic
                      duct), clipper 120-139 (clips the cystic duct)
finding (regions)     polyp 30-35 and 90-99, at (0.2, 0.2); looked at in 0-199
rating (whole)        osats_global_rating 10 and 14 by two raters
rating (span)         cvs_two_structures 2 in 100-110
experience (whole)    novice
count (whole)         sutures 3
finding (whole)       ulcer 0: none
====================  ==================================================================
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

from ontology.keys import digest
from ontology.rows import EVIDENCE_TABLES, ITEM
from transforms.checks.evidence import VideoView
from transforms.checks.items import item_problems, parsed
from transforms.checks.tables import view_of

from .world import S, World

LENGTH = 200
PROCEDURE = "laparoscopic cholecystectomy"
KEY = "testset/v1"
PHASES = (
    ("preparation", 0, 60),
    ("calot_triangle_dissection", 60, 110),
    ("clipping_and_cutting", 110, 150),
    ("gallbladder_dissection", 150, 200),
)


class StreamWorld(World):
    """The recording while it is being written down; ``check`` writes and checks it."""

    benchmark = "medstream"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.videos[0].update(duration_us=LENGTH * S, clock="time", procedure=PROCEDURE)
        self.events, self.segments = [], []
        for second in range(LENGTH):
            self.instant("v1", second)
            self.looked(second)
        for label, first, last in PHASES:
            self.span("phase", label, first, last)
        self.span("event", "out_of_body", 170, 180)
        self.span("action", "grasping", 10, 50, subject="left_hand")
        self.span("rating", "cvs_two_structures", 100, 110, value=2.0)
        for rater, score in (("r1", 10.0), ("r2", 14.0)):
            self.whole("rating", "osats_global_rating", score, rater)
        self.whole("experience", "novice")
        self.whole("count", "sutures", 3.0)
        self.whole("finding", "ulcer", 0.0)

    def instant(self, video_id: str, second: int) -> None:
        seen = []
        if second < 100:
            seen.append(("grasper-1", ("retract", "gallbladder")))
        if 20 <= second < 80:
            seen.append(("hook-1", ("dissect", "cystic_duct")))
        if 120 <= second < 140:
            seen.append(("clipper-1", ("clip", "cystic_duct")))
        for track, pair in seen:
            self.event(video_id, second, track, None, [pair])
        if not seen:
            self.event(video_id, second, None, None, None)

    def looked(self, second: int) -> None:
        """A row of findings: a polyp, or that there is none."""
        there = 30 <= second <= 35 or 90 <= second <= 99
        label = "polyp" if there else None
        box = dict(zip(("x1", "y1", "x2", "y2"), (0.1, 0.1, 0.3, 0.3) if there else (None,) * 4,
                       strict=True))  # fmt: skip
        self.regions.append(
            {
                "dataset": "testset", "video_id": "v1", "kind": "finding",
                "region_id": f"finding-{second}-{label}", "time_us": second * S,
                "frame": second, "label": label, **box,
            }
        )  # fmt: skip

    def span(self, kind, label, first, last, subject=None, value=None) -> None:
        self.segments.append(
            {
                "dataset": "testset", "video_id": "v1", "segment_id": f"{kind}-{first}-{label}",
                "kind": kind, "label": label, "start_us": first * S, "end_us": last * S,
                "subject": subject, "value": value, "rater": None,
            }
        )  # fmt: skip

    def whole(self, kind, label, value=None, rater=None) -> None:
        self.labels.append(
            {
                "dataset": "testset", "video_id": "v1", "label_id": f"{kind}-{label}-{rater}",
                "kind": kind, "label": label, "value": value, "rater": rater,
            }
        )  # fmt: skip

    # without files

    def view(self) -> VideoView:
        """The video as the check reads it."""
        rows = {
            "events": self.events, "tracks": self.tracks(), "segments": self.segments,
            "regions": self.regions, "labels": self.labels,
        }  # fmt: skip
        tables = {
            kind: pa.Table.from_pylist(found, schema=EVIDENCE_TABLES[kind])
            for kind, found in rows.items()
        }
        header = dict.fromkeys(EVIDENCE_TABLES["videos"].names) | self.videos[0]
        return view_of(header, tables)

    def problems(self, row: dict) -> list[tuple[str, str]]:
        """What the check says of one item."""
        full = {name: row.get(name) for name in ITEM.names}
        value, slots = parsed(full, "answer_value"), parsed(full, "slots")
        return list(item_problems(full, value, slots, self.view()))

    def codes(self, row: dict) -> set[str]:
        """Codes of what the check says of one item."""
        return {code for code, _ in self.problems(row)}

    # items

    def put(self, task, at, look_back, slots, value, answer, options=(), **more) -> dict:
        """Add an item that is asked once at a second; see :meth:`World.ask` for options.

        Without ``look_back`` it is about the recording as a whole.
        """
        start, end = 0 if look_back is None else max(0, at - look_back), at
        limit = "" if look_back is None else f"<= {look_back}"
        checks = [{"name": "window_s", "measured": float(end - start), "limit": limit}]
        ahead = more.pop("look_ahead", None)
        if ahead is not None:
            checks.append({"name": "look_ahead_s", "measured": float(ahead), "limit": ""})
        times = {
            "start_us": start * S, "end_us": end * S, "query_us": at * S,
            "window_id": digest("query", KEY, start * S, end * S),
        }  # fmt: skip
        return self._row(task, slots, value, answer, options, checks, times, "single_turn", more)

    def stream(self, task, at, times, slots, value, answer, options=(), **more) -> dict:
        """Add an item in rounds at the given seconds."""
        event = value["event_us"]
        mode = task.split("/")[0]
        silent, waiting = ("unanswerable", ["unanswerable"])
        if mode == "proactive":
            silent, waiting = ("no_alert", ["no_alert", "uncertain"])
        right = next((text.rstrip("*") for text in options if text.endswith("*")), answer)
        rounds = [
            {
                "round_index": number, "current_us": second * S, "start_us": at * S,
                "end_us": second * S, "answerable": known,
                "expected_output": right if known else silent,
                "accepted_outputs": [right] if known else waiting,
            }
            for number, second in enumerate(times)
            for known in (event is not None and second * S >= event,)
        ]  # fmt: skip
        length = float(times[-1] - at)
        checks = [{"name": "window_s", "measured": length, "limit": ""}]
        given = {
            "start_us": at * S, "end_us": times[-1] * S, "query_us": at * S, "rounds": rounds,
            "window_id": digest("stream", KEY, at * S, times[-1] * S),
        }  # fmt: skip
        return self._row(task, slots, value, answer, options, checks, given, "streaming", more)

    def _row(self, task, slots, value, answer, options, checks, times, turns, more) -> dict:
        form = "open" if not options else "choice"
        if options and options[0].rstrip("*") == "Yes":
            form = "yes_no"
        row = self.ask(task, form, slots, value, answer, options)
        row.update(
            {
                "benchmark": "medstream", "form": form, "procedure": PROCEDURE,
                "template_id": f"medstream.{task.split('/')[1]}",
                "temporal_mode": task.split("/")[0], "task_mode": turns, "checks": checks,
                "item_id": digest(task, json.dumps([slots, times], sort_keys=True)), **times,
                "evidence": [self.proof(slots["about"]["kind"], times["query_us"])], **more,
            }
        )  # fmt: skip
        return row

    def proof(self, kind: str, query_us: int) -> dict:
        """A pointer of the kind's table that ends by the query time."""
        for table, rows, name in (("regions", self.regions, "region_id"),
                                  ("labels", self.labels, "label_id")):  # fmt: skip
            for row in rows:
                time = row.get("time_us", 0)
                if row["kind"] == kind and time <= query_us:
                    return {"kind": table, "id": row[name], "start_us": time, "end_us": time}
        for row in self.segments:
            if row["kind"] == kind and row["start_us"] <= query_us:
                end = min(row["end_us"], query_us)
                return {"kind": "segments", "id": row["segment_id"],
                        "start_us": row["start_us"], "end_us": end}  # fmt: skip
        row = self.events[0]
        return {"kind": "events", "id": row["event_id"], "start_us": row["time_us"],
                "end_us": row["time_us"]}  # fmt: skip
