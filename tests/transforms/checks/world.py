"""A small dataset by hand: one video of 48 s at one label a second, two clips of 24 s.

First clip, centres of boxes of 0.1 x 0.1 (all answers below were worked out on paper):

=========  =======  ==========================================  ===================
track      seconds  centre                                      does
=========  =======  ==========================================  ===================
grasper-1  0-23     (0.70, 0.80), still                         retract gallbladder
grasper-2  10-15    (0.30, 0.80), still                         grasp liver
hook-1     2-21     (0.20 + 0.03 (t - 2), 0.20), to the right   2-6 idle; 7-13 dissect
                                                                cystic duct; 14-16
                                                                coagulate cystic artery;
                                                                17-21 dissect gallbladder
=========  =======  ==========================================  ===================

Second clip: hook-2 at 24-26 and hook-3 at 40-42 (idle), clipper-1 at 30-33 with boxes
and unknown interactions, nothing at the other seconds.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ontology.keys import digest
from ontology.rows import EVIDENCE_TABLES, ITEM
from transforms.checks import CheckReport, check_output

S = 1_000_000
IDLE = ("null_verb", "null_target")
SHA = "ab" * 32


def box_at(x: float, y: float) -> list[float]:
    return [round(x - 0.05, 4), round(y - 0.05, 4), round(x + 0.05, 4), round(y + 0.05, 4)]


def hook_box(second: int) -> list[float]:
    return box_at(0.20 + 0.03 * (second - 2), 0.20)


def hook_does(second: int) -> tuple[str, str]:
    if second <= 6:
        return IDLE
    if second <= 13:
        return ("dissect", "cystic_duct")
    return ("coagulate", "cystic_artery") if second <= 16 else ("dissect", "gallbladder")


def instrument(track: str, instance: int | None = None) -> dict:
    return {"label": track.split("-")[0], "instance": instance, "track_id": track}


def moment(second: float) -> dict:
    return {"moment": {"time_us": int(second * S)}}


def span(first: int, last: int) -> dict:
    return {"span": {"start_us": first * S, "end_us": last * S}}


class World:
    """The dataset while it is being written down; ``check`` writes and checks it."""

    benchmark = "surgstu"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.videos = [self.video("v1", "train")]
        self.events: list[dict] = []
        self.rows: list[dict] = []
        self.segments = [self.segment("v1", "w1", 0, 24), self.segment("v1", "w2", 24, 48)]
        self.regions: list[dict] = []
        self.labels: list[dict] = []
        self.link_kinds: dict[str, str] = {}
        for second in range(48):
            self.instant("v1", second)

    # evidence

    def video(self, video_id: str, split: str) -> dict:
        return {
            "dataset": "testset", "video_id": video_id, "procedure": "cholecystectomy",
            "specialty": "general", "fps_num": 1, "fps_den": 1, "period_us": S,
            "duration_us": 48 * S, "split": split, "split_group": f"testset/{video_id}",
            "media_kind": "absent", "media_path": None, "width": None, "height": None,
            "licence": "CC0-1.0", "label_source": "by hand",
            "vocabulary": ["bipolar", "clipper", "grasper", "hook", "irrigator", "scissors"],
            "sources": [{"path": "labels.json", "sha256": SHA}],
        }  # fmt: skip

    def segment(self, video_id: str, name: str, first: int, last: int) -> dict:
        return {
            "dataset": "testset", "video_id": video_id, "segment_id": f"{video_id}-{name}",
            "kind": "clip", "label": None, "start_us": first * S, "end_us": last * S,
            "source_path": None, "pointer": None,
        }  # fmt: skip

    def instant(self, video_id: str, second: int) -> None:
        seen = [("grasper-1", box_at(0.7, 0.8), ("retract", "gallbladder"))] * (second < 24)
        if 10 <= second <= 15:
            seen.append(("grasper-2", box_at(0.3, 0.8), ("grasp", "liver")))
        if 2 <= second <= 21:
            seen.append(("hook-1", hook_box(second), hook_does(second)))
        if 24 <= second <= 26:
            seen.append(("hook-2", box_at(0.5, 0.5), IDLE))
        if 40 <= second <= 42:
            seen.append(("hook-3", box_at(0.5, 0.5), IDLE))
        if 30 <= second <= 33:
            seen.append(("clipper-1", box_at(0.4, 0.4), None))
        for track, box, pair in seen:
            self.event(video_id, second, track, box, [pair] if pair else None)
        if not seen:
            self.event(video_id, second, None, None, None)

    def event(self, video_id, second, track, box, pairs) -> None:
        x1, y1, x2, y2 = box or (None,) * 4
        self.events.append(
            {
                "dataset": "testset", "video_id": video_id,
                "event_id": digest(video_id, second, track), "time_us": int(second * S),
                "frame": int(second), "label": track.split("-")[0] if track else None,
                "track_id": track, "x1": x1, "y1": y1, "x2": x2, "y2": y2,
                "pairs": None if pairs is None else [{"verb": v, "target": t} for v, t in pairs],
                "score": 1.0, "box_origin": "manual", "source_path": "labels.json",
                "source_sha256": SHA, "pointer": f"{second}",
            }
        )  # fmt: skip

    def at(self, second: float, track: str) -> dict:
        """The event of a track, to be changed in place."""
        return next(e for e in self.events if e["time_us"] == second * S and e["track_id"] == track)

    def drop(self, second: int, track: str) -> None:
        self.events.remove(self.at(second, track))

    # items

    def ask(self, task, form, slots, value, answer, options=(), window="w1", **more) -> dict:
        """Add an item; ``options`` are texts with the right one marked by a star."""
        video_id = more.pop("video_id", "v1")
        name = task.split("/")[1]
        start, end = (0, 24 * S) if window == "w1" else (24 * S, 48 * S)
        listed = [
            {"key": key, "text": t.rstrip("*"), "is_answer": t.endswith("*"), "kind": "other"}
            for key, t in zip("ABCDEFGH", options, strict=False)
        ]
        right = [option["key"] for option in listed if option["is_answer"]]
        row = {
            "item_id": digest(name, video_id, window, json.dumps(slots, sort_keys=True)),
            "benchmark": "surgstu", "task": task, "form": form, "template_id": f"surgstu.{name}",
            "template_version": 1, "dataset": "testset", "video_id": video_id, "split": "train",
            "split_group": f"testset/{video_id}", "procedure": "cholecystectomy",
            "specialty": "general", "window_id": f"{video_id}-{window}", "start_us": start,
            "end_us": end, "resolution_us": S,
            "media": {"path": None, "kind": "absent", "fps_num": 1, "fps_den": 1},
            "question": f"Question {name} about {json.dumps(slots)}", "answer": answer,
            "options": listed, "answer_key": right[0] if right else None,
            "answer_value": json.dumps(value, sort_keys=True),
            "slots": json.dumps(slots, sort_keys=True),
            "evidence": [
                {"kind": "window", "id": f"{video_id}-{window}", "start_us": start, "end_us": end}
            ],
            "reasoning": [], "rounds": [], "checks": [], "licence": "CC0-1.0",
            "label_source": "by hand", **more,
        }  # fmt: skip
        self.rows.append(row)
        return row

    # writing

    def check(self, **options) -> CheckReport:
        """Write everything and check it."""
        self.write()
        return check_output(self.root, **options)

    def write(self) -> None:
        tables = {
            "videos": self.videos, "events": self.events, "tracks": self.tracks(),
            "segments": self.segments, "regions": self.regions, "labels": self.labels,
        }  # fmt: skip
        (self.root / "evidence").mkdir(parents=True, exist_ok=True)
        for kind, rows in tables.items():
            ranked = sorted(rows, key=lambda row: (row["dataset"], row["video_id"]))
            table = pa.Table.from_pylist(ranked, schema=EVIDENCE_TABLES[kind])
            pq.write_table(table, self.root / f"evidence/{kind}.parquet", row_group_size=40)
        rows = sorted(self.rows, key=lambda row: row["item_id"])
        folder = self.root / "data" / self.benchmark
        folder.mkdir(parents=True, exist_ok=True)
        for split in sorted({row["split"] for row in rows}):
            self.write_shard(
                folder / f"{split}-00000-of-00001.parquet", [r for r in rows if r["split"] == split]
            )
        self.write_manifest()

    def write_shard(self, path: Path, rows: list[dict]) -> None:
        full = [{name: row.get(name) for name in ITEM.names} for row in rows]
        pq.write_table(pa.Table.from_pylist(full, schema=ITEM), path)

    def write_manifest(self) -> None:
        files = {
            path.relative_to(self.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and path.name != "manifest.json"
        }
        lines = "".join(f"{path} {files[path]}\n" for path in sorted(files))
        manifest = {
            "files": files,
            "digest": hashlib.sha256(lines.encode()).hexdigest(),
            "items": self.counts(),
        }
        (self.root / "manifest.json").write_text(json.dumps(manifest))

    def counts(self) -> dict:
        found = {"total": len(self.rows), "by_template": {}, "by_split": {}}
        for row in self.rows:
            for kind, name in (("by_template", row["template_id"]), ("by_split", row["split"])):
                found[kind][name] = found[kind].get(name, 0) + 1
        return {self.benchmark: found}

    def tracks(self) -> list[dict]:
        found: dict[tuple, list[dict]] = {}
        for event in self.events:
            if event["label"]:
                found.setdefault((event["video_id"], event["track_id"]), []).append(event)
        return [
            {
                "dataset": "testset", "video_id": video_id, "track_id": track,
                "label": samples[0]["label"], "first_us": min(e["time_us"] for e in samples),
                "last_us": max(e["time_us"] for e in samples), "samples": len(samples),
                "linked_by": self.link_kinds.get(track, "nearest_centroid"),
            }
            for (video_id, track), samples in sorted(found.items(), key=str)
        ]  # fmt: skip
