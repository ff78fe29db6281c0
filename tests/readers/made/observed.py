"""Write a small store: two videos with a moving grasper and a hook, and boxes five times a second.

In the first video, if it is long enough, a detector also finds tissues, and somebody speaks.  The
detector's fitness is known: it misses no instrument for longer than a fifth of a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import orjson

from surgqa.ontology.files import read_bytes
from surgqa.ontology.fitness import FILE, made_by
from surgqa.ontology.keys import bytes_digest, h64
from surgqa.ontology.observed import MASKING
from surgqa.ontology.times import frame_to_us
from surgqa.transforms.places import Place, place

Box = tuple[float, float, float, float]

LABELS = ("grasper", "hook")
FPS = Fraction(25)
EVERY = 5
FIRST = "case_01"
SPOKEN_S = 30
"""Shorter videos contain no speech."""
TISSUES = {"gallbladder": (0.5, 0.72, 0.9, 0.97), "liver": (0.02, 0.72, 0.3, 0.97)}
"""Box of each tissue, the same in every frame."""
S, TENTH = 1_000_000, 100_000
UTTERANCES = ((2, 4, "Now we dissect the gallbladder with the hook."),
              (12, 14, "The grasper retracts the gallbladder."),
              (20, 22, "We clip the cystic duct."))  # fmt: skip
"""Start and end in seconds, and the words."""
ANCHORS: tuple[tuple[Any, ...], ...] = ((2, 4, "dissect", "hook", "gallbladder", True, []),
           (12, 14, "retract", "grasper", "gallbladder", False, []),
           (20, 22, "clip", None, "cystic_duct", False, []),
           (24, 25, "cut", None, "cystic_duct", False, ["weak_speech"]))  # fmt: skip
HAPPENINGS = (
    (20, 40, "intent", "dissect", None, None, None, 500_000, "derive.intent"),
    (30, 38, "approach", "gallbladder", 1, 2, 0.2, 200_000, "derive.approach"),
    (38, 38, "onset", "gallbladder", 1, 2, 0.1, 200_000, "derive.onset.deceleration"),
    (41, 43, "contact", "gallbladder", 0, 2, 0.0, 200_000, "derive.contact"),
    (42, 90, "contact", "gallbladder", 1, 2, 0.0, 200_000, "derive.contact"),
    (50, 60, "camera_in", None, None, None, 1.1, 1_000_000, "derive.camera_in"),
    (60, 80, "tissue_state", "bleeding", 2, 1, 0.9, 200_000, "derive.tissue"),
    (80, 300, "tissue_state", "intact", 2, None, 0.9, 200_000, "derive.tissue.doubtful"),
    (90, 95, "positioned", "gallbladder", 0, 2, 0.02, 200_000, "derive.positioned"),
)  # fmt: skip
"""Start and end in tenths of a second, kind, label, two tracks, value, resolution, rule."""


def write(root: Place, *, procedures: int = 2, seconds: int = 30) -> None:
    """Write a store."""
    root = place(root)
    videos = [f"case_{number + 1:02d}" for number in range(procedures)]
    (root / FILE).parent.mkdir(parents=True)
    (root / FILE).write_bytes(orjson.dumps(_fitness()))
    for video_id in videos:
        _video(root, video_id, seconds)
    record = {"schema": "surgqa/evidence-v1", "dataset": "observed",
              "videos": {video_id: {} for video_id in videos}}  # fmt: skip
    (root / "store.json").write_bytes(orjson.dumps(record))


def _video(root: Place, video_id: str, seconds: int) -> None:
    frames = list(range(0, seconds * 25, EVERY))
    seen = [_instances(video_id, frame) for frame in frames]
    folder = root / "videos" / video_id
    folder.mkdir(parents=True)
    times = [frame_to_us(frame, FPS) for frame in frames]
    whole = video_id == FIRST and seconds >= SPOKEN_S
    shown: dict[str, list] = {"time_us": times, "frame": frames, "trusted": [True] * len(frames)}
    _parquet(folder / "boxes.parquet", _boxes(times, frames, seen, whole))
    _parquet(folder / "frames.parquet", shown)
    end = seconds * 1_000_000
    _parquet(folder / "stretches.parquet", {"start_us": [0], "end_us": [end], "kind": ["shot"],
                                            "label": ["shot"], "level": [1]})  # fmt: skip
    more = ("utterances", "anchors", "happenings") if whole else ()
    for kind, rows in zip(more, (_utterances(), _anchors(), _happenings()), strict=False):
        _parquet(folder / f"{kind}.parquet", rows)
    kinds = {kind: {"sha256": bytes_digest(read_bytes(folder / f"{kind}.parquet", kind))}
             for kind in ("boxes", "frames", "stretches", *more)}  # fmt: skip
    facts = {**_facts(video_id, end, whole), "kinds": kinds}
    (folder / "video.json").write_bytes(orjson.dumps(facts))


def _fitness() -> Mapping[str, Any]:
    known = {"guard_us": 2 * TENTH, "alone": True, "believed": True}
    return {"made_by": made_by(_facts("", 0, True)), "classes": dict.fromkeys(LABELS, known),
            "complete": True, "reach_us": 600 * S}  # fmt: skip


def _instances(video_id: str, frame: int) -> list[tuple[str, Box]]:
    """The grasper is always in view; the hook moves, and is out of view every ninth second."""
    phase = h64("observed sample", video_id) % 100 / 1000
    x = round(0.1 + phase + 0.002 * (frame % 200), 4)
    found = [("grasper", (x, 0.3, round(x + 0.2, 4), 0.55))]
    if frame // 25 % 9 != 8:
        y = round(0.2 + 0.001 * (frame % 300), 4)
        found.append(("hook", (0.6, y, 0.75, round(y + 0.2, 4))))
    return found


def _boxes(
    times: list[int], frames: list[int], seen: list[list[tuple[str, Box]]], tissue: bool
) -> Mapping[str, list]:
    out: dict[str, list[Any]] = {name: [] for name in (
        "time_us", "frame", "kind", "label", "x1", "y1", "x2", "y2", "score", "track", "origin",
    )}  # fmt: skip
    for time_us, frame, instances in zip(times, frames, seen, strict=True):
        for label, box in instances:
            values = (time_us, frame, "instrument", label, *box, 0.9, LABELS.index(label),
                      "detector")  # fmt: skip
            for name, value in zip(out, values, strict=True):
                out[name].append(value)
        if tissue:
            for number, (label, box) in enumerate(TISSUES.items(), start=len(LABELS)):
                values = (time_us, frame, "tissue", label, *box, 0.8, number, "detector")
                for name, value in zip(out, values, strict=True):
                    out[name].append(value)
    return out


def _utterances() -> Mapping[str, list]:
    return {"start_us": [a * S for a, _, _ in UTTERANCES],
            "end_us": [b * S for _, b, _ in UTTERANCES],
            "text": [text for _, _, text in UTTERANCES],
            "flags": [[] for _ in UTTERANCES]}  # fmt: skip


def _anchors() -> Mapping[str, list]:
    names = ("start_us", "end_us", "action", "tool", "tissue", "intent", "flags")
    out = {name: list(values) for name, values in zip(names, zip(*ANCHORS, strict=True),
                                                      strict=True)}  # fmt: skip
    return out | {name: [value * S for value in out[name]] for name in names[:2]}


def _happenings() -> Mapping[str, list]:
    names = ("time_us", "end_us", "kind", "label", "track", "other_track", "value",
             "resolution_us", "source")  # fmt: skip
    out = {name: list(values) for name, values in zip(names, zip(*HAPPENINGS, strict=True),
                                                      strict=True)}  # fmt: skip
    out |= {name: [value * TENTH for value in out[name]] for name in names[:2]}
    boxed = [None if track is None else 0.5 for track in out["track"]]
    return out | {"x1": boxed, "y1": boxed, "x2": [v and 0.75 for v in boxed],
                  "y2": [v and 0.75 for v in boxed]}  # fmt: skip


def _parquet(path: Place, columns: Mapping[str, list]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(dict(columns)), sink)
    path.write_bytes(sink.getvalue().to_pybytes())


def _facts(video_id: str, end: int, whole: bool) -> dict[str, Any]:
    classes = {label: {"kind": "instrument", "concept": label} for label in LABELS}
    classes |= {one: {"kind": "tissue", "concept": one} for one in TISSUES if whole}
    sound = {"chosen": 0, "hole_count": 0, "start_us": 0, "end_us": end + TENTH}
    return {
        "sound": {"sound": sound if whole else None, "pieces": []},
        "video_id": video_id,
        "dataset": "observed",
        "medium": {"kind": "absent", "path": None, "fps": [25, 1], "width": None, "height": None},
        "duration_us": end,
        "masking": MASKING,
        "rate": [5, 1],
        "extractors": {
            "detect": {"facts": {"classes": classes}},
            **({"speech": {}} if whole else {}),
        },
        "metadata": {"procedure": "laparoscopic cholecystectomy", "specialty": "general surgery"},
    }
