"""A recording of 200 s by hand for chains, at 25 pictures and one label a second.

====================  ==================================================================
what                  when (seconds)
====================  ==================================================================
phase                 calot_triangle_dissection 0-40, clipping_and_cutting 40-90,
                      gallbladder_dissection 90-200
triplets (instants)   hook dissects the cystic duct 20-22, grasper retracts it 26-28
action                clipper clips the cystic duct 50.2-53, scissors cut it 58-60;
                      hook dissects the gallbladder 100-106; grasper retracts the liver
                      130-133; bipolar coagulates the liver 150-154 and dissects the
                      cystic plate 154.4-157
state                 cystic duct clipped at 52.04
cue                   hook approaches the gallbladder at 98.8
watched               tracks, speech and camera 110-200
anomaly               bleeding at the liver 170-172.5, key frames 4250 and 4260
====================  ==================================================================
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ontology.keys import digest
from ontology.rows import EVIDENCE_TABLES, ITEM, MOMENTS
from transforms.checks.chains import chain_problems
from transforms.checks.evidence import VideoView
from transforms.checks.items import item_problems, parsed
from transforms.checks.tables import view_of

from ..world import S, World

LENGTH = 200
KEY = "testset/v1"
PROCEDURE = "laparoscopic cholecystectomy"
FINE = 40_000
PHASES = (
    ("calot_triangle_dissection", 0, 40),
    ("clipping_and_cutting", 40, 90),
    ("gallbladder_dissection", 90, 200),
)
RUNS = (
    ("hook", "dissect", "cystic_duct", 20, 22),
    ("grasper", "retract", "cystic_duct", 26, 28),
)
STAGES = ("main", "q1", "q2", "q3")


def us(seconds: float) -> int:
    return round(seconds * S)


class ChainWorld(World):
    """The recording while it is being written down; ``check`` writes and checks it."""

    benchmark = "surgcot"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.videos[0].update(duration_us=LENGTH * S, clock="time", procedure=PROCEDURE,
                              fps_num=25, fps_den=1)  # fmt: skip
        self.events, self.segments = [], []
        self.moments: list[dict] = []
        for second in range(LENGTH):
            self.instant("v1", second)
        for label, first, last in PHASES:
            self.phase(label, first, last)
        self.deed("clipper", "clip", "cystic_duct", 50.2, 53, box=(0.3, 0.3, 0.4, 0.4))
        self.deed("scissors", "cut", "cystic_duct", 58, 60)
        self.moment("state", "clipped", 52.04, target="cystic_duct", box=(0.4, 0.4, 0.5, 0.5))
        self.deed("hook", "dissect", "gallbladder", 100, 106)
        self.moment("cue", "approach", 98.8, tool="hook", target="gallbladder")
        self.deed("grasper", "retract", "liver", 130, 133, box=(0.2, 0.2, 0.5, 0.5))
        self.deed("bipolar", "coagulate", "liver", 150, 154)
        self.deed("bipolar", "dissect", "cystic_plate", 154.4, 157)
        for channel in ("tracks", "speech", "camera"):
            self.moment("watched", channel, 110, 200)
        self.moment("anomaly", "bleeding", 170, 172.5, target="liver", group="a1",
                    box=(0.1, 0.1, 0.2, 0.2))  # fmt: skip
        for frame, box in ((4250, (0.54, 0.42, 0.62, 0.48)), (4260, (0.54, 0.42, 0.66, 0.52))):
            self.moment("roi", "", frame / 25, group="a1", box=box, value=float(frame))

    # evidence

    def instant(self, video_id: str, second: int) -> None:
        seen = [run for run in RUNS if run[3] <= second <= run[4]]
        for tool, verb, target, _, _ in seen:
            self.event(video_id, second, f"{tool}-1", None, [(verb, target)])
        if not seen:
            self.event(video_id, second, None, None, None)

    def phase(self, label: str, first: float, last: float) -> None:
        self.segments.append(
            {
                "dataset": "testset", "video_id": "v1", "segment_id": f"phase-{first}-{label}",
                "kind": "phase", "label": label, "start_us": us(first), "end_us": us(last),
            }
        )  # fmt: skip

    def deed(self, tool, verb, target, start, end, **more) -> dict:
        return self.moment("action", verb, start, end, tool=tool, verb=verb, target=target, **more)

    def moment(self, kind, label, start, end=None, box=None, **more) -> dict:
        last = start if end is None else end
        corners = dict(zip(("x1", "y1", "x2", "y2"), box or (None,) * 4, strict=True))
        row = {
            "dataset": "testset", "video_id": "v1", "kind": kind, "label": label,
            "moment_id": f"{kind}-{us(start)}-{label}", "start_us": us(start), "end_us": us(last),
            "resolution_us": FINE, "origin": "annotated", **corners, **more,
        }  # fmt: skip
        self.moments.append(row)
        return row

    def found(self, name: str) -> dict:
        """A moment by its id, to be changed in place."""
        return next(row for row in self.moments if row["moment_id"] == name)

    def view(self) -> VideoView:
        """The video as the check reads it."""
        rows = {
            "events": self.events, "tracks": self.tracks(), "segments": self.segments,
            "regions": self.regions, "labels": self.labels, "moments": self.moments,
        }  # fmt: skip
        tables = {
            kind: pa.Table.from_pylist(found, schema=EVIDENCE_TABLES[kind])
            for kind, found in rows.items()
        }
        header = dict.fromkeys(EVIDENCE_TABLES["videos"].names) | self.videos[0]
        return view_of(header, tables)

    def write(self) -> None:
        (self.root / "evidence").mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pylist(self.moments, schema=MOMENTS)
        pq.write_table(table, self.root / "evidence/moments.parquet")
        super().write()

    # chains

    def chain(self, spec: dict) -> list[dict]:
        """Add the four questions of a chain (:mod:`.right_chains` says what ``spec`` holds)."""
        chain_id = digest("chain", json.dumps(spec["slots"], sort_keys=True))
        rows = [self._question(spec, stage, chain_id) for stage in range(len(STAGES))]
        self.rows += rows
        return rows

    def _question(self, spec: dict, stage: int, chain_id: str) -> dict:
        task = f"{spec['slots']['chain']['task']}/{STAGES[stage]}"
        start, end = (us(edge) for edge in spec["windows"][max(0, stage - 1)])
        row = self.ask(
            task, "choice", spec["slots"], spec["values"][stage], "", spec["options"][stage],
            benchmark="surgcot", template_id=f"surgcot.{spec['slots']['chain']['task']}",
            procedure=PROCEDURE, window_id=digest("chain", KEY, start, end), start_us=start,
            end_us=end, chain_id=chain_id, stage=stage, evidence=self._pointers(spec["proof"]),
            item_id=digest(chain_id, stage), checks=spec["checks"][stage],
            question=f"Question {stage} of {chain_id}",
            **{name: spec[name][stage] for name in ("knowledge", "clue", "context")},
        )  # fmt: skip
        self.rows.remove(row)
        right = next((one for one in row["options"] if one["is_answer"]), None)
        row["answer"] = f"{right['key']}) {right['text']}" if right else ""
        return row

    def _pointers(self, names: list[str]) -> list[dict]:
        times = {
            **{row["moment_id"]: ("moments", row["start_us"], row["end_us"])
               for row in self.moments},
            **{row["event_id"]: ("events", row["time_us"], row["time_us"]) for row in self.events},
        }  # fmt: skip
        keys = ("kind", "start_us", "end_us")
        return [
            {"id": name, **dict(zip(keys, times[name], strict=True))}
            for name in names
            if name in times
        ]

    def problems(self, rows: list[dict]) -> list[tuple[str, str]]:
        """What the check says of a chain and of its questions by themselves."""
        video = self.view()
        parts = []
        for row in rows:
            full = {name: row.get(name) for name in ITEM.names}
            parts.append((full, parsed(full, "answer_value"), parsed(full, "slots")))
        own = [found for part in parts for found in item_problems(*part, video)]
        return own + [(code, detail) for code, _, detail in chain_problems(parts, video)]

    def codes(self, rows: list[dict]) -> set[str]:
        """Codes of what the check says."""
        return {code for code, _ in self.problems(rows)}
