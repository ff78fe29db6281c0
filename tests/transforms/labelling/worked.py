"""Made-up operations with tissues and words, as a detector of so much recall shows them.

Instruments come, touch a tissue, and leave; somebody tells of most of it.  From what a detector
makes of that the product links, derives, fuses and reads, as of a video.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from surgqa.ontology.fitness import CONTACT, Fitness
from surgqa.ontology.observed import ANCHORS, BOXES, FRAMES
from surgqa.ontology.records import Media, MediaKind, Video, VideoEvidence
from surgqa.ontology.touching import touching
from surgqa.transforms.evidence.derive import DeriveSettings, derive
from surgqa.transforms.evidence.link import LinkSettings, link_table
from surgqa.transforms.labelling.fitness import ReviewedVideo
from surgqa.transforms.labelling.measuring import runs_of
from surgqa.transforms.readers.observed.actions import actions_of
from surgqa.transforms.readers.observed.facts import ObservedVideo
from surgqa.transforms.readers.observed.moments import SpokenLimits, moments_of, observed
from surgqa.transforms.readers.observed.tables import WANTED, instruments_of
from surgqa.transforms.readers.observed.watched import watched
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.true_deeds import Deed

S = 1_000_000
STEP = S // 2
"""Two pictures a second."""
FINE = 20
"""Looks a second at which the truth is known."""
ACTS = (
    ("grasper", "retract", "gallbladder"), ("grasper", "grasp", "liver"),
    ("hook", "dissect", "gallbladder"), ("clipper", "clip", "cystic_duct"),
    ("scissors", "cut", "cystic_duct"),
)  # fmt: skip
TOOLS = ("clipper", "grasper", "hook", "scissors")
TISSUES = {"gallbladder": (0.25, 0.3), "cystic_duct": (0.6, 0.35), "liver": (0.45, 0.75)}
HOMES = {"clipper": (0.85, 0.2), "grasper": (0.1, 0.6), "hook": (0.5, 0.1), "scissors": (0.85, 0.7)}
HALF = {"tool": 0.04, "tissue": 0.07}
SPEED, TOLD, JITTER = 0.25, 0.75, 0.003
KNOWN = (*TOOLS, CONTACT)


@dataclass(frozen=True)
class Work:
    """One visit: the instrument goes from its home to a tissue, does something, and goes back.

    Attributes:
        keys: float64 (K, 3): second, x and y of its middle, in view from the first to the last.
        words_s: when somebody tells of it, from and to; None where nobody does.
    """

    tool: str
    verb: str
    target: str
    keys: np.ndarray
    words_s: tuple[float, float] | None

    def at(self, times_s: np.ndarray) -> np.ndarray:
        """float64 (T, 2): its middle, NaN where it is not in view."""
        xy = np.stack([np.interp(times_s, self.keys[:, 0], self.keys[:, k]) for k in (1, 2)], 1)
        out = (times_s < self.keys[0, 0]) | (times_s >= self.keys[-1, 0])
        return np.where(out[:, None], np.nan, xy)


def operation(rng: np.random.Generator, seconds: int) -> list[Work]:
    """Visits of four instruments; one of a kind is in view at a time."""
    out = []
    for tool in TOOLS:
        t = 2 + rng.exponential(15)
        acts = [one for one in ACTS if one[0] == tool]
        while True:
            _, verb, target = acts[rng.integers(len(acts))]
            home = np.array(HOMES[tool])
            there = np.array(TISSUES[target]) + rng.uniform(-0.03, 0.03, 2)
            way = float(np.linalg.norm(there - home)) / SPEED
            stay = 2 + rng.exponential(6)
            times = np.cumsum([t, 1 + rng.exponential(2), way, stay, way, 1 + rng.exponential(1)])
            if times[-1] > seconds - 2:
                break
            keys = np.column_stack([times, [home, home, there, there, home, home]])
            begun = times[2] + rng.uniform(-1, 0.5)
            words = (begun, begun + rng.uniform(1, 2.5)) if rng.random() < TOLD else None
            out.append(Work(tool, verb, target, keys, words))
            t = times[-1] + 3 + rng.exponential(25)
    return out


def deeds(works: Sequence[Work]) -> list[Deed]:
    """What was in view, and what was done."""
    out: list[Deed] = []
    for one in works:
        times = np.arange(round(one.keys[0, 0] * FINE), round(one.keys[-1, 0] * FINE)) / FINE
        away = np.abs(one.at(times) - TISSUES[one.target]).max(1) - HALF["tool"] - HALF["tissue"]
        touched = times[away <= 0]
        view = round(one.keys[0, 0] * S), round(one.keys[-1, 0] * S)
        out.append(("instrument", one.tool, one.tool, "", *view))
        span = round(float(touched[0]) * S), round(float(touched[-1]) * S)
        out.append(("interaction", one.verb, one.tool, one.target, *span))
    return out


def true_boxes(works: Sequence[Work], seconds: int) -> list[list[dict]]:
    """Boxes of each thing at each instant: of every visit, then of every tissue."""
    times = np.arange(0, seconds * S, STEP)
    things = [("instrument", one.tool, HALF["tool"], one.at(times / S)) for one in works]
    things += [("tissue", name, HALF["tissue"], np.tile(xy, (len(times), 1)))
               for name, xy in TISSUES.items()]  # fmt: skip
    return [[_box(time, kind, label, xy, half) for time, xy in zip(times.tolist(), at, strict=True)
             if not np.isnan(xy[0])] for kind, label, half, at in things]  # fmt: skip


def _box(time: int, kind: str, label: str, xy: np.ndarray, half: float) -> dict:
    corners = dict(zip(("x1", "y1", "x2", "y2"), (*(xy - half), *(xy + half)), strict=True))
    return dict.fromkeys(BOXES.names) | corners | {
        "time_us": time, "frame": time // STEP, "kind": kind, "label": label, "score": 0.9,
        "origin": "detector",
    }  # fmt: skip


def detected(rng: np.random.Generator, things: Sequence[list[dict]], recall: float) -> list[dict]:
    """What a detector sees: late, with drops of seconds, flickering, a little beside."""
    late, drop = 6 * (1 - recall), 1 + 10 * (1 - recall)
    out = []
    for rows in things:
        start, on = rows[0]["time_us"] + rng.exponential(late) * S, True
        for row in rows:
            leave = 1 / (1 + drop) if not on else (1 - recall) / recall / (1 + drop)
            on = (rng.random() >= leave) if on else (rng.random() < leave)
            if on and row["time_us"] >= start:
                out.append(
                    row | {c: row[c] + rng.normal(0, JITTER) for c in ("x1", "y1", "x2", "y2")}
                )
    return out


def linked(rows: Sequence[dict], seconds: int) -> pa.Table:
    """The boxes as they are stored."""
    times = np.arange(0, seconds * S, STEP)
    return link_table(
        pa.Table.from_pylist(list(rows), BOXES), times, times // STEP, LinkSettings(), 1.0
    )


def film(name: str, seen: pa.Table, things: Sequence[list[dict]], seconds: int) -> ReviewedVideo:
    """An operation of which people reviewed every instant."""
    times = np.arange(0, seconds * S, STEP)
    found = {label: np.zeros(len(times), np.int64) for label in KNOWN}
    for label, spans in runs_of(seen, times.tolist()).items():
        for first, last, many in spans:
            found[label][first // STEP : last // STEP + 1] = many
    true = {label: np.zeros(len(times), np.int64) for label in KNOWN}
    rows = [row for rows in things for row in rows]
    for row in rows:
        if row["kind"] == "instrument":
            true[row["label"]][row["frame"]] += 1
    for time, pairs in touching(rows, 0).items():
        true[CONTACT][time // STEP] = len(pairs)
    return ReviewedVideo(name, times, found, np.arange(len(times)), true)


def evidence(
    works: Sequence[Work], boxes: pa.Table, seconds: int, fitness: Fitness
) -> VideoEvidence:
    """What a reader gives of the operation."""
    times = np.arange(0, seconds * S, STEP)
    frames = [dict.fromkeys(FRAMES.names) | {"time_us": t, "frame": t // STEP, "trusted": True}
              for t in times.tolist()]  # fmt: skip
    tables = {
        "boxes": boxes, "frames": pa.Table.from_pylist(frames, FRAMES),
        "anchors": pa.Table.from_pylist(list(_words(works)), ANCHORS),
    }  # fmt: skip
    tables |= {"happenings": derive(tables, seconds * S, DeriveSettings())["happenings"]}
    columns = {kind: {name: table[name].to_pylist() for name in WANTED[kind]}
               for kind, table in tables.items()}  # fmt: skip
    facts = ObservedVideo(
        Media(MediaKind.ABSENT), Fraction(2), Fraction(2), seconds * S, TOOLS, {}, {}
    )
    seen = observed(columns, "", facts, SpokenLimits())
    table, _ = instruments_of(columns["boxes"], columns["frames"], facts, fitness)
    actions = actions_of(seen)
    moments = moments_of(seen, [*actions, *watched(seen, actions, fitness)])
    video = Video("observed", "v", "cholecystectomy", "surgery", Fraction(2), STEP, seconds * S,
                  Media(MediaKind.ABSENT), "v", "none", "model", (), TOOLS)  # fmt: skip
    return VideoEvidence(video, table, moments=moments)


def _words(works: Sequence[Work]) -> Iterator[dict]:
    blank = dict.fromkeys(ANCHORS.names) | {"normalized_terms": [], "matches": [], "flags": []}
    for one in sorted((w for w in works if w.words_s), key=lambda w: w.words_s):
        start, end = (round(t * S) for t in one.words_s)
        yield blank | {"start_us": start, "end_us": end, "action": one.verb, "tool": one.tool,
                       "tissue": one.target, "intent": False}  # fmt: skip


def relation(found: VideoEvidence) -> Relation:
    """Its facts."""
    return relation_of([(found, build_timeline(found))])
