"""Small videos for tests: written down instant by instant, or made up from a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from surgqa.ontology.keys import digest
from surgqa.ontology.records import (
    UNKNOWN,
    InstrumentTable,
    Media,
    MediaKind,
    Video,
    VideoEvidence,
    Window,
)
from surgqa.transforms.timeline import Timeline, build_timeline

S = 1_000_000
IDLE = (("null_verb", "null_target"),)
RETRACT = (("retract", "gallbladder"),)
LIFT = (("retract", "liver"),)
DISSECT = (("dissect", "gallbladder"),)
GRASP = (("grasp", "null_target"),)
BOTH = (("dissect", "cystic_duct"), ("retract", "gallbladder"))
VOCABULARY = ("clipper", "grasper", "hook", "scissors")

Box = tuple[float, float, float, float]
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Seen:
    """One instrument at one instant; ``pairs`` None means not annotated."""

    label: str
    box: Box | None = None
    pairs: Pairs | None = None
    track: int = UNKNOWN


def box_at(x: float, y: float, size: float = 1 / 8) -> Box:
    """A square box around a centre."""
    return (x - size / 2, y - size / 2, x + size / 2, y + size / 2)


def video(period_us: int, name: str = "v1") -> Video:
    """A video of which only the label period matters."""
    return Video(
        "testset", name, "cholecystectomy", "general", Fraction(S, period_us), period_us, 10**9,
        Media(MediaKind.ABSENT), f"testset/{name}", "CC0-1.0", "by hand", (), VOCABULARY,
    )  # fmt: skip


def table(instants: Mapping[int, Sequence[Seen]]) -> InstrumentTable:
    """The event tuples of ``instants`` (time in microseconds to what is seen), in order."""
    times = sorted(instants)
    rows = [(s, seen) for s, time in enumerate(times) for seen in instants[time]]
    rows.sort(key=lambda r: (r[0], r[1].label, r[1].box or (2.0,)))
    labels = tuple(sorted({seen.label for _, seen in rows}))
    pair_sets = tuple(sorted({seen.pairs for _, seen in rows if seen.pairs is not None}))
    many = len(rows)
    boxes = [seen.box or (np.nan,) * 4 for _, seen in rows]
    codes = [UNKNOWN if s.pairs is None else pair_sets.index(s.pairs) for _, s in rows]
    return InstrumentTable(
        instants_us=np.array(times, np.int64),
        frames=np.arange(len(times), dtype=np.int64),
        sample=np.array([s for s, _ in rows], np.int32),
        label=np.array([labels.index(seen.label) for _, seen in rows], np.int16),
        box_xyxy=np.array(boxes, np.float64).reshape(many, 4),
        score=np.ones(many),
        pairs=np.array(codes, np.int16),
        track=np.array([seen.track for _, seen in rows], np.int32),
        row=np.arange(many, dtype=np.int32),
        labels=labels,
        pair_sets=pair_sets,
        box_origin="manual",
        pointer="{frame}:{row}",
    )


def timeline(
    instants: Mapping[int, Sequence[Seen]], period_us: int = S, name: str = "v1"
) -> Timeline:
    """The linked timeline of ``instants``."""
    made = build_timeline(VideoEvidence(video(period_us, name), table(instants)))
    assert made is not None
    return made


# -- made up from a seed --------------------------------------------------------------------------

DOING = (IDLE, IDLE, RETRACT, RETRACT, LIFT, DISSECT, GRASP, BOTH, None)
STEPS = (1, 1, 1, 1, 1, 1, 1, 1, 1.4, 2, 6)


@cache
def made_up(seed: int, many: int = 30) -> Timeline:
    """Up to four instruments that come, go, move, act, lose boxes; labels with holes.

    Centres lie on multiples of 1/64, so that equal distances are exactly equal.
    """
    rng = np.random.default_rng(seed)
    period = int(rng.choice([S, S, S // 2, S // 5]))
    steps = rng.choice(STEPS, many) if seed % 3 else np.ones(many)
    times = (np.cumsum(steps * period) + rng.choice([0, 3 * S, 250_000])).astype(np.int64)
    instants: dict[int, list[Seen]] = {int(t): [] for t in times}
    for track, label in enumerate(rng.choice(["grasper", "grasper", "hook", "scissors"], 4)):
        for time, seen in zip(instants, _part(rng, str(label), track, many), strict=True):
            if seen:
                instants[time].append(seen)
    return timeline(instants, period, f"v{seed}")


def _part(rng: np.random.Generator, label: str, track: int, many: int) -> list[Seen | None]:
    """What one instrument does at each instant, in stretches."""
    out: list[Seen | None] = []
    x, y = rng.integers(8, 56, 2)
    while len(out) < many:
        length = int(rng.integers(2, 12))
        absent, boxless = rng.random() < 0.2, rng.random() < 0.1
        doing = DOING[rng.integers(len(DOING))]
        reach = int(rng.choice([0, 1, 4, 14]))
        for _ in range(length):
            dx, dy = rng.integers(-reach, reach + 1, 2)
            x, y = int(np.clip(x + dx, 6, 58)), int(np.clip(y + dy, 6, 58))
            # Each instrument's box has its own size: no two rows are ever the same.
            box = None if boxless else box_at(x / 64, y / 64, (6 + track) / 64)
            out.append(None if absent else Seen(label, box, doing, track))
    return out[:many]


def windows_over(made: Timeline) -> tuple[Window, ...]:
    """Halves, an overlapping middle, one that starts between instants, one without any."""
    times = made.table.instants_us.tolist()
    period = made.video.period_us
    middle, end = times[len(times) // 2], times[-1] + period
    bounds = [
        (times[0], middle),
        (middle, end),
        (times[len(times) // 4], times[-len(times) // 4]),
        (max(times[2] - period // 4, 0), times[-3]),
        (end, end + 20 * period),
    ]
    return tuple(Window("clip", digest("clip", made.video.key, a, b), a, b) for a, b in bounds)
