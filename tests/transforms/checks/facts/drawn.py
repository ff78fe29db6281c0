"""Made-up recordings whose labels meet: all times lie on one grid, so that borders coincide."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.moments import Moment, moment_order
from surgqa.ontology.records import Clock, InstrumentTable, Span, VideoEvidence, VideoLabel
from surgqa.ontology.rows import EVIDENCE_TABLES
from surgqa.transforms.exports.evidence import evidence_tables, fact_tables
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.timeline.videos import Seen, box_at, table, video

S = 1_000_000
PERIODS = (S, 2 * S, 3 * S)
DOING = (
    None, (("null_verb", "null_target"),), (("retract", "liver"),), (("retract", "liver"),),
    (("dissect", "null_target"),), (("dissect", "cystic_duct"), ("retract", "liver")),
)  # fmt: skip
DATASETS = ("testset", "cholec80", "cholect50", "kvasir_capsule", "psi_ava")
SPANS = ("phase", "step", "gesture", "finding", "condition", "rating", "next_action", "own_kind",
         "state", "instrument")  # fmt: skip
NOTED = ("action_clip", "next_action")
LABELS = ("finding", "rating", "experience", "count", "own_kind")
CUES = ("approach", "camera")
ACTS = (("cut", "liver"), ("cut", ""), ("clip", "cystic_duct"))
TOOLS = ("hook", "scissors", "")
CHANNELS = ("tracks", "speech", "anomaly", "own_moment", "camera")


T = TypeVar("T")


class Draws:
    """Everything that one seed decides."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def one(self, of: Sequence[T]) -> T:
        """Any of them."""
        return of[int(self.rng.integers(len(of)))]

    def often(self, share: float) -> bool:
        """True in this share of cases."""
        return bool(self.rng.random() < share)

    def time(self, most: int = 10) -> int:
        """A whole or half second."""
        return int(self.rng.integers(2 * most)) * S // 2

    def many(self, most: int) -> range:
        """Up to so many."""
        return range(int(self.rng.integers(most + 1)))


def drawn(seed: int) -> VideoEvidence:
    """A recording of ten seconds of which each sort of label is there or is not."""
    d = Draws(seed)
    period = d.one(PERIODS)
    own = replace(
        video(period, f"v{seed:04}"), dataset=d.one(DATASETS),
        duration_us=10 * S, fps=Fraction(1), clock=Clock.TIME,
        vocabulary=("clipper", "grasper", "hook", "hook"),
    )  # fmt: skip
    spans = sorted(
        (span for kind in SPANS if d.often(0.5) for span in _spans(d, kind)),
        key=lambda s: (s.kind, s.start_us, s.end_us, s.label, s.subject, s.rater),
    )
    labels = {(one.kind, one.label, one.rater): one for kind in LABELS if d.often(0.4)
              for one in _labels(d, kind)}  # fmt: skip
    return VideoEvidence(
        own, _instruments(d, period) if d.often(0.6) else None, tuple(spans),
        labels=tuple(labels[key] for key in sorted(labels)),
        regions={kind: _regions(d, period) for kind in ("finding", "landmark") if d.often(0.4)},
        moments=tuple(sorted(_moments(d), key=moment_order)) if d.often(0.6) else (),
        unseen=_unseen(d),
    )  # fmt: skip


def _instants(d: Draws, period: int) -> list[int]:
    """Labelled instants a period apart, one and a half, a little more, and further."""
    steps = [period, period, period, period * 3 // 2, period * 3 // 2 + 1, 3 * period]
    times = [d.time(2)]
    for _ in range(9):
        times.append(times[-1] + int(d.one(steps)))
    return [time for time in times if time < 10 * S] or times[:1]


def _instruments(d: Draws, period: int) -> InstrumentTable:
    """Up to three instances; verbs of a class always, sometimes or never known."""
    seen: dict[int, list[Seen]] = {time: [] for time in _instants(d, period)}
    for track in d.many(3):
        label, known = str(d.one(("grasper", "grasper", "hook"))), d.one((0, 0.8, 1))
        doing = d.one(DOING[1:])
        for time in seen:
            doing = d.one(DOING[1:]) if d.often(0.4) else doing
            if d.often(0.7):
                box = box_at(0.3 + track / 10, 0.5) if d.often(0.8) else None
                seen[time].append(Seen(label, box, doing if d.often(known) else None, track))
    return table(seen)


def _regions(d: Draws, period: int) -> InstrumentTable:
    seen: dict[int, list[Seen]] = {time: [] for time in _instants(d, period)}
    for label in ("polyp", "ulcer"):
        for time in seen:
            for k in d.many(2) if d.often(0.6) else ():
                seen[time].append(Seen(label, box_at(0.2 + k / 2, 0.5) if d.often(0.8) else None))
    return table(seen)


def _spans(d: Draws, kind: str) -> list[Span]:
    """One after the other, some touching, some apart, some over one another; or runs of labels
    that are all half a second or a second apart."""
    out, at = [], d.time(3)
    sampled, several = int(d.one((0, 0, S // 2, S))), kind not in ("phase", *NOTED)
    step = sampled or S // 2
    for k in d.many(5):
        end = at + max(d.time(3) // step, 1) * step
        out.append(Span(
            kind, str(d.one(("a", "b", "c"))), at, end, "labels.csv", f"{k}",
            value=d.one((None, 1.0, 2.0)), rater=str(d.one(("", "r1"))) if several else "",
            subject=str(d.one(("", "hook", "left_hand"))) if several else "",
            sampled_us=sampled, origin=str(d.one(("", "", "fusion"))),
        ))  # fmt: skip
        back = max(at, end - step) if several else end
        at = int(d.one((end, end, end + step, end + 2 * step, back)))
    return out


def _labels(d: Draws, kind: str) -> list[VideoLabel]:
    return [VideoLabel(kind, str(d.one(("a", "b"))), d.one((None, 0.0, 1.0, 2.0)),
                       str(d.one(("", "r1", "r2"))), "labels.csv", f"{k}")
            for k in d.many(4)]  # fmt: skip


def _moments(d: Draws) -> list[Moment]:
    out = [_moment(d, "action", "", *d.one(ACTS)) for _ in d.many(4)]
    for _ in d.many(3):
        out += _change(d)
    for kind, labels in (("cue", CUES), ("contact", ("liver",)), ("anomaly", ("bleeding",)),
                         ("state", ("tense",)), ("own_moment", ("x", "y"))):  # fmt: skip
        out += [_moment(d, kind, str(d.one(labels))) for _ in d.many(2)]
    for k in d.many(6):
        start = d.time(8)
        out.append(Moment("watched", str(d.one(CHANNELS)), start, start + d.time(6), 1,
                          "labels.csv", f"w{k}"))  # fmt: skip
    return out


def _change(d: Draws) -> list[Moment]:
    """An instrument passes from one act to another; the acts are there, or not, or late."""
    sides = d.one(ACTS), d.one(ACTS)
    told = [act[0] if d.often(0.2) else ",".join(act) for act in sides]
    change = _moment(d, "transition", ">".join(told))
    old, new = (replace(_moment(d, "action", "", *act), tool=change.tool, group="")
                for act in sides)  # fmt: skip
    at, late = change.start_us, d.one((0, 0, S // 2, S, S + S // 2, 2 * S))
    old = replace(old, start_us=max(at - late - 2 * S, 0), end_us=max(at - late, 0))
    late = d.one((0, 0, S // 2, S, 2 * S))
    new = replace(new, start_us=at + late, end_us=at + late + S)
    return [change, *((old,) if d.often(0.9) else ()), *((new,) if d.often(0.9) else ())]


def _moment(d: Draws, kind: str, label: str, verb: str = "", target: str = "") -> Moment:
    start = d.time()
    length, fine = (0, d.time(3))[d.often(0.7)], int(d.one((0, 1, S // 2, S)))
    return Moment(
        kind, label or verb, start, start + length, fine, "labels.csv", f"{kind}{start}{fine}",
        tool=str(d.one(TOOLS)), verb=verb, target=target,
        group="g1" if kind == "action" and d.often(0.15) else "",
        value=d.one((None, 3.0)), origin=str(d.one(("annotated", "speech"))),
    )  # fmt: skip


def _unseen(d: Draws) -> tuple[tuple[str, int, int], ...]:
    out = []
    for _ in d.many(3):
        start = d.time(8)
        out.append((NOTED[0], start, start + max(d.time(4), 1)))
    return tuple(sorted(out))


def written(seeds: range, out: Path) -> None:
    """The evidence of recordings as a build writes it."""
    tables: dict[str, list[pa.Table]] = {name: [] for name in EVIDENCE_TABLES}
    for one in map(drawn, seeds):
        timeline = build_timeline(one)
        made = evidence_tables(one, timeline, ()) | fact_tables(
            relation_of([(one, timeline)]), one.video
        )
        for name, schema in EVIDENCE_TABLES.items():
            tables[name].append(made[name].select(schema.names).cast(schema))
    (out / "evidence").mkdir(parents=True)
    for name, parts in tables.items():
        pq.write_table(pa.concat_tables(parts), out / f"evidence/{name}.parquet")
    (out / "manifest.json").write_text(json.dumps({"files": {}, "digest": ""}))
