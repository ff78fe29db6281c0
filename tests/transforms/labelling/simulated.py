"""Made-up operations, detectors that miss part of them, and items held against what was true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np

from surgqa.ontology.fitness import Fitness
from surgqa.ontology.records import UNKNOWN, InstrumentTable, Media, MediaKind, Video, VideoEvidence
from surgqa.transforms.algebra.worlds.draw import Drawer
from surgqa.transforms.algebra.worlds.world import FIELDS, TrueFact, World
from surgqa.transforms.labelling.fitness import ReviewedVideo
from surgqa.transforms.questions import ask as asking
from surgqa.transforms.readers.observed.absence import absence_of
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation import NONE, Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.questions.item_worlds import asked, contradictions, knowledge
from tests.transforms.questions.shipped import cut, programs

S = 1_000_000
MOST_FALSE = 0.005
"""Largest share of false questions."""
EVERY = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Recalls of simulated detectors."""
TOOLS = ("clipper", "grasper", "hook", "irrigator")
SHORTEST_S = 3.0


@dataclass(frozen=True)
class Visit:
    """An instrument in view from ``start_us`` to ``end_us``; ``seen_us``: instants of its boxes."""

    tool: str
    start_us: int
    end_us: int
    seen_us: tuple[int, ...] = ()


def operation(rng: np.random.Generator, seconds: int) -> list[Visit]:
    """Visits of four instruments, of which two graspers; each from 3 s to minutes."""
    out = []
    for tool in (*TOOLS, "grasper"):
        t = rng.exponential(20)
        while t < seconds:
            end = min(t + SHORTEST_S + rng.exponential(20), seconds)
            out.append(Visit(tool, round(t * S), round(end * S)))
            t = end + 2 + rng.exponential(45)
    return out


def detected(rng: np.random.Generator, visits: Sequence[Visit], recall: float) -> list[Visit]:
    """What a detector sees once a second of visits: late, and with drops of some seconds.

    Args:
        recall: about the share of the instants with an instrument at which it is seen.
    """
    late, drop = 6 * (1 - recall), 0.5 + 5 * (1 - recall)
    out = []
    for one in visits:
        start = one.start_us + rng.exponential(late) * S
        times = np.arange(-(-one.start_us // S), -(-one.end_us // S)) * S
        seen, on = [], True
        for time in times.tolist():
            leave = 1 / (1 + drop) if not on else (1 - recall) / recall / (1 + drop)
            on = (rng.random() >= leave) if on else (rng.random() < leave)
            if on and time >= start:
                seen.append(time)
        out.append(replace(one, seen_us=tuple(seen)))
    return out


def film(name: str, seen: Sequence[Visit], seconds: int, every: int = 1) -> ReviewedVideo:
    """An operation of which people reviewed every so many seconds."""
    times = np.arange(seconds) * S
    looked = np.arange(0, seconds, every)

    def counts(tool: str, truly: bool) -> np.ndarray:
        out = np.zeros(seconds, np.int64)
        for one in seen:
            if one.tool == tool and truly:
                out += (times >= one.start_us) & (times < one.end_us)
            elif one.tool == tool:
                out += np.isin(times, one.seen_us)
        return out

    return ReviewedVideo(name, times, {tool: counts(tool, False) for tool in TOOLS}, looked,
                {tool: counts(tool, True)[looked] for tool in TOOLS})  # fmt: skip


def relation(
    seen: Sequence[Visit], seconds: int, fitness: Fitness
) -> tuple[Relation, Mapping[int, str]]:
    """The facts of one operation as its detector saw it, and the track of each visit."""
    rows = sorted((time // S, TOOLS.index(one.tool), track)
                  for track, one in enumerate(seen) for time in one.seen_us)  # fmt: skip
    n = len(rows)
    corner = np.array([[0.1 + 0.2 * tool, 0.2 + 0.05 * (track % 9)] for _, tool, track in rows])
    table = InstrumentTable(
        np.arange(seconds, dtype=np.int64) * S, np.arange(seconds, dtype=np.int64),
        np.array([r[0] for r in rows], np.int32), np.array([r[1] for r in rows], np.int16),
        np.hstack([corner, corner + 0.15]).reshape(n, 4), np.ones(n),
        np.full(n, UNKNOWN, np.int16), np.array([r[2] for r in rows], np.int32),
        np.arange(n, dtype=np.int32), TOOLS, (), "detector", "frame {frame}",
    )  # fmt: skip
    table = replace(table, absence=absence_of(table, TOOLS, fitness, (), S))
    video = Video(
        "made",
        "v0",
        "laparoscopic cholecystectomy",
        "surgery",
        Fraction(1),
        S,
        seconds * S,
        Media(MediaKind.ABSENT),
        "v0",
        "none",
        "model",
        (),
        TOOLS,
    )
    timeline = build_timeline(VideoEvidence(video, table))
    assert timeline is not None
    of = zip(table.track.tolist(), timeline.tracks.of_row.tolist(), strict=True)
    names = {visit: timeline.tracks.ids[track] for visit, track in of}
    return relation_of([(VideoEvidence(video, table), timeline)]), names


def truth(known: Relation, visits: Sequence[Visit], tracks: Mapping[int, str]) -> World:
    """The one world that is true: every visit, with what the detector made of it."""
    drawn = Drawer(known, 0)
    facts, codes = known.facts, known.codes
    kind = codes.code("instrument")
    out: list[TrueFact] = []
    for number, one in enumerate(visits):
        label, track = codes.code(one.tool), codes.code(tracks.get(number))
        rows = frozenset(facts.proof[(facts.track == track) & (track != NONE)].tolist())
        fields: dict[str, Any] = dict.fromkeys(FIELDS, NONE)
        fields |= {"kind": kind, "label": label, "subject": label, "track": track}
        out.append(TrueFact(**fields, s=one.start_us, e=one.end_us, rows=rows))
    boxes = {(sample.track, sample.s): box for sample, box in drawn.samples}
    return World(0, (*out, *knowledge(known, 0)), tuple(one for one, _ in drawn.samples), boxes,
                 tuple(known.instants[0].tolist()))  # fmt: skip


def judged(known: Relation, world: World) -> tuple[Counter[str], list[str]]:
    """Items by template of all that is asked about instruments, and those that are false."""
    asked_for: Counter[str] = Counter()
    return asked_for, list(_false(known, world, asked_for))


def _false(known: Relation, world: World, count: Counter[str]) -> Iterator[str]:
    units = cut(known)
    with mock.patch.object(asking, "reasons", lambda *_: {}):
        for program in programs():
            if "instrument" not in program.kinds:
                continue
            for one in asked(program, known, units)[0]:
                count[program.id] += 1
                against = next(contradictions(one, world), None)
                if against is not None:
                    yield f"{program.id} item {one.i}: {against}"
