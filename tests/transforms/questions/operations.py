"""Made-up operations labelled once a second, and the chains that are asked about them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

from surgqa.ontology.records import InstrumentTable, Media, MediaKind, Span, Video, VideoEvidence
from surgqa.transforms.language.load import parse_file
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.ask import Asked, Asker
from surgqa.transforms.questions.units import Units
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.gather import relation_of

S = 1_000_000
TEMPLATES = Path("templates")
NO_UNITS = Units((), np.zeros(0, np.int64))
ACTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "clipper": (("clip", "cystic_duct"), ("clip", "cystic_artery")),
    "grasper": (("retract", "gallbladder"), ("grasp", "gallbladder"), ("retract", "liver"),
                ("retract", "omentum")),
    "hook": (("dissect", "gallbladder"), ("dissect", "cystic_duct"), ("coagulate", "liver"),
             ("dissect", "omentum")),
    "scissors": (("cut", "cystic_duct"), ("cut", "cystic_artery")),
}  # fmt: skip
TOOLS = tuple(sorted(ACTS))

Deed = tuple[str, str, str, int, int]
"""(instrument, verb, target, first second, last second), both labelled."""


@cache
def programs() -> tuple[Program, ...]:
    """The templates of chains that are shipped."""
    files = sorted((TEMPLATES / "surgcot").glob("*.yaml"))
    return tuple(one for file in files for one in parse_file(file, TEMPLATES)[0])


def program(name: str) -> Program:
    """One of them, by the end of its id."""
    return next(one for one in programs() if one.id.endswith(name))


def ask(known: Relation, one: Program, seed: str = "0") -> Asked:
    """What asking one template gives."""
    return Asker(known, NO_UNITS, seed).ask(one)


@cache
def sample(name: str, root: Path) -> Relation:
    """The facts of a reader's miniature."""
    load_sample(name)(root)
    reader = load_reader(name)(root, False, None)
    read = [reader.read(video) for video in reader.videos()]
    return relation_of([
        (one, build_timeline(one) if one.instruments is not None else None) for one in read
    ])  # fmt: skip


def operation(
    deeds: Sequence[Deed], seconds: Sequence[int], name: str = "v0", phase: str = "preparation"
) -> Relation:
    """Facts of deeds that are labelled at these seconds; one instance of each instrument.

    Args:
        phase: all the way; '' where none is labelled.
    """
    at = {second: k for k, second in enumerate(seconds)}
    rows = sorted(
        (at[t], TOOLS.index(tool), ((verb, target),))
        for tool, verb, target, first, last in deeds for t in range(first, last + 1) if t in at
    )  # fmt: skip
    sets = sorted({pairs for _, _, pairs in rows})
    n = len(rows)
    table = InstrumentTable(
        np.array(seconds, np.int64) * S, np.array(seconds, np.int64),
        np.array([r[0] for r in rows], np.int32), np.array([r[1] for r in rows], np.int16),
        np.full((n, 4), np.nan), np.ones(n), np.array([sets.index(r[2]) for r in rows], np.int16),
        np.array([r[1] for r in rows], np.int32), np.arange(n, dtype=np.int32), TOOLS,
        tuple(sets), "none", "frame {frame}",
    )  # fmt: skip
    end = (seconds[-1] + 1) * S
    video = Video("made", name, "laparoscopic cholecystectomy", "surgery", Fraction(1), S, end,
                  Media(MediaKind.ABSENT), name, "none", "made", (), TOOLS)  # fmt: skip
    phases = (Span("phase", phase, 0, end, "made", "made"),) if phase else ()
    made = VideoEvidence(video, table, phases)
    return relation_of([(made, build_timeline(made))])


def drawn(seed: int, length: int = 180) -> Relation:
    """An operation in which each instrument does one thing after the other; some have holes."""
    rng = random.Random(seed)
    deeds: list[Deed] = []
    for tool in TOOLS:
        t = rng.randint(0, 40)
        while t < length:
            last = t + rng.choice([1, 2, 3, 4, 6, 6, 9, 14])
            deeds.append((tool, *rng.choice(ACTS[tool]), t, min(last, length - 1)))
            t = last + rng.choice([1, 1, 1, 2, 8, 30])
    missing = rng.choice([0, 0, 0.02, 0.1])
    return operation(deeds, [t for t in range(length) if rng.random() >= missing], f"drawn {seed}")
