"""Made-up recordings with facts of every kind: slack, holes, unlooked stretches, tracks, boxes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from surgqa.ontology.kinds import kind as described
from surgqa.ontology.kinds import kind_names, terms_of
from surgqa.ontology.records import InstrumentTable, Media, MediaKind, Video, VideoEvidence
from surgqa.ontology.workflow import workflow
from surgqa.transforms.algebra.tree import Const
from surgqa.transforms.language.program import Program
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation import FAR, Recording, Relation, on_axis
from surgqa.transforms.timeline.relation.draft import RelationDraft
from surgqa.transforms.timeline.relation.instants import KindInstants, runs_of
from surgqa.transforms.timeline.relation.table import INFINITE, NONE, region_track
from surgqa.transforms.timeline.relation.tools import add_tools

from .operations import ACTS

S = 1_000_000
PROCEDURES = ("laparoscopic cholecystectomy", "laparoscopic cholecystectomy", "colonoscopy",
              "pituitary surgery", "laparoscopic hysterectomy", "made")  # fmt: skip
PAIRS = {**ACTS, "irrigator": (("aspirate", "fluid"), ("irrigate", "liver"))}
TOOLS = tuple(sorted(PAIRS))
SPANNED = tuple(
    name
    for name in kind_names()
    if described(name).labelled in ("spans", "noted") and not described(name).union
)
MARKED = tuple(name for name in kind_names() if name.endswith("_region") or name == "roi")


def labels_named(programs: Sequence[Program]) -> frozenset[str]:
    """Every label that some template names."""
    out: set[str] = set()

    def walk(thing: object) -> None:
        if isinstance(thing, Const) and isinstance(thing.value, str):
            out.add(thing.value)
        elif isinstance(thing, tuple):
            for one in thing:
                walk(one)
        elif hasattr(thing, "__dataclass_fields__"):
            for name in thing.__dataclass_fields__:
                walk(getattr(thing, name))

    for one in programs:
        walk((one.let, one.where, tuple(stage.where for stage in one.stages)))
    return frozenset(out)


def relation(
    rng: random.Random, n: int, named: frozenset[str] = frozenset(), quiet: bool = False
) -> Relation:
    """The facts of a film, or of n films and one picture.

    Args:
        named: labels that templates name; they are drawn more often.
        quiet: somebody looked everywhere, and little happens, late: what an alert waits for.
    """
    draft = RelationDraft()
    for k in range(n):
        duration = rng.choice([40, 90, 150, 240]) * S
        _Film(rng, draft, f"made/film {k}", duration, named, quiet=quiet).draw()
    if n > 1:
        _Film(rng, draft, "made/picture", S, named, still=True).draw()
    return draft.finish()


class _Film:
    def __init__(
        self, rng: random.Random, draft: RelationDraft, key: str, duration: int,
        named: frozenset[str], still: bool = False, quiet: bool = False,
    ) -> None:  # fmt: skip
        self.rng, self.draft, self.duration, self.named = rng, draft, duration, named
        self.quiet = quiet
        self.procedure = rng.choice(PROCEDURES)
        self.seconds = _seconds(rng, duration // S) if not still else [0]
        draft.recordings.append(
            Recording(key, duration, S, Fraction(rng.choice([1, 25])), self.procedure, still=still)
        )
        self.tools = not still and rng.random() < 0.85

    def draw(self) -> None:
        if self.tools:
            add_tools(self.draft, build_timeline(self._table()))
        for kind in SPANNED:
            if self.rng.random() < 0.85:
                self._kind(kind)
        for kind in MARKED:
            if self.rng.random() < 0.5:
                self._regions(kind, self._labels(kind))
        self._whole()

    # -- instruments ------------------------------------------------------------------------------

    def _table(self) -> VideoEvidence:
        rng, seconds = self.rng, self.seconds
        rows: list[tuple[int, int, tuple[float, ...], tuple | None]] = []
        chosen = sorted(rng.sample(range(len(TOOLS)), rng.randint(1, len(TOOLS))))
        for tool in chosen:
            for instance in range(rng.choice([1, 1, 1, 2])):
                rows += self._instance(tool, instance)
        rows.sort(key=lambda row: (row[0], row[1], row[2]))
        boxed = rng.random() < 0.7
        boxes = np.array([r[2] if boxed else (np.nan,) * 4 for r in rows], float).reshape(-1, 4)
        sets = sorted({r[3] for r in rows if r[3] is not None})
        pairs = np.array([-1 if r[3] is None else sets.index(r[3]) for r in rows], np.int16)
        count = len(rows)
        table = InstrumentTable(
            np.array(seconds, np.int64) * S, np.array(seconds, np.int64),
            np.array([r[0] for r in rows], np.int32), np.array([r[1] for r in rows], np.int16),
            boxes, np.ones(count), pairs, np.full(count, -1, np.int32),
            np.arange(count, dtype=np.int32), TOOLS, tuple(sets), "manual" if boxed else "none",
            "frame {frame}",
        )  # fmt: skip
        key = self.draft.recordings[-1].key.split("/")[1]
        video = Video("made", key, self.procedure, "surgery", Fraction(1), S, self.duration,
                      Media(MediaKind.ABSENT), key, "none", "made", (), TOOLS)  # fmt: skip
        return VideoEvidence(video, table, ())

    def _instance(self, tool: int, instance: int) -> list[tuple]:
        """One instrument that comes and goes, and does one thing after the other."""
        rng, rows = self.rng, []
        steady, away = rng.choice([0.01, 0.02, 0.05, 0.2]), rng.choice([0, 0, 0.4, 0.8])
        here, deed = rng.random() < 0.5, _deed(rng, tool)
        x, y = 0.1 + 0.3 * instance, 0.1 + 0.15 * tool
        for place in range(len(self.seconds)):
            here = here != (rng.random() < steady)
            deed = _deed(rng, tool) if rng.random() < steady else deed
            if here and place >= away * len(self.seconds):
                x, y = (min(max(at + rng.choice([-0.05, 0, 0, 0.05]), 0), 0.85) for at in (x, y))
                known = None if rng.random() < 0.005 else deed
                rows.append((place, tool, (x, y, x + 0.15, y + 0.15), known))
        return rows

    # -- spans ------------------------------------------------------------------------------------

    def _kind(self, kind: str) -> None:
        rng, draft, one = self.rng, self.draft, described(kind)
        labels = self._labels(kind)
        looked = self._looked()
        if one.exclusive in ("video", "subject"):
            rows = self._one_after_the_other(labels, looked)
        else:
            rows = self._here_and_there(labels, looked, rng.random() < 0.3)
        for row in rows:
            self._fill(row, kind)
        draft.add_rows(kind, rows)
        if one.labelled == "noted":
            draft.looked.add((draft.video, kind))
            return
        floor = rng.choice([INFINITE, INFINITE, INFINITE, 2 * S])
        draft.add_holes(kind, looked)
        if floor != INFINITE:
            code = draft.codes.code(kind)
            edges = (int(on_axis(draft.video, t)) for t in (-S, self.duration + S))
            draft.holes.append((draft.video, code, NONE, NONE, *edges, floor))
        draft.looked_for[draft.video, kind] = {"label": frozenset(labels)}

    def _looked(self) -> np.ndarray:
        """Where somebody looked: everywhere, or with one hole, or up to a time."""
        end, rng = self.duration, self.rng
        if self.quiet:
            return np.array([(-FAR, FAR)], np.int64)
        cut = rng.randint(0, end // S) * S
        return np.array(rng.choice([
            [(-FAR, FAR)], [(-FAR, FAR)], [(0, end)], [(-FAR, cut), (min(cut + 3 * S, end), FAR)],
            [(0, max(cut, 1))],
        ]), np.int64)  # fmt: skip

    def _labels(self, kind: str) -> list[str]:
        order = workflow(self.procedure, kind)
        if order is not None:
            return list(order.order)
        every = terms_of(described(kind).fields.get("label", "")) or ("one", "two", "three")
        named = [one for one in every if one in self.named]
        if self.quiet and named:
            return named
        chosen = self.rng.sample(named, min(len(named), 3)) if self.rng.random() < 0.8 else []
        return sorted({*chosen, *self.rng.sample(every, min(len(every), 2))})

    def _one_after_the_other(self, labels: list[str], looked: np.ndarray) -> list[dict[str, Any]]:
        """Facts of which one ends as the next begins; in the labels' order, mostly."""
        rng, rows = self.rng, []
        at, place, last = rng.choice([0, 0, 5 * S]), rng.randint(0, 2), ""
        slack = rng.choice([(0, 0), (S // 2, S // 2), (S, 0), (0, 2 * S)])
        mean = rng.choice([6, 15, 40])
        mark, pauses = NONE, rng.choice([[0], [0, 0, 0, 5 * S], [5 * S, 2 * S, 9 * S]])
        while at < self.duration:
            place = place + 1 if rng.random() < 0.85 else rng.randint(0, len(labels) - 1)
            label = labels[place % len(labels)]
            stop = min(at + rng.randint(3, 2 * mean) * S, self.duration)
            if label != last:
                rows.append(self._row(label, at, stop, slack) | {"s_mark": mark})
                mark, gap = NONE, rng.choice(pauses)
                if not gap and stop < self.duration:
                    mark = rows[-1]["e_mark"] = self.draft.gaps
                    self.draft.gaps += 1
                at, last = stop + gap, label
        return [row for row in rows if _inside(row, looked)]

    def _here_and_there(
        self, labels: list[str], looked: np.ndarray, doubtful: bool
    ) -> list[dict[str, Any]]:  # fmt: skip
        rng = self.rng
        slack = rng.choice([(0, 0), (S // 2, S // 2), (S, 0)])
        busy = rng.choice([0.2, 0.5, 1, 2])
        count = rng.randint(0, max(int(busy * self.duration / (15 * S)), 2))
        first = 0
        if self.quiet:
            count, first = 1, self.duration // (3 * S)
        rows = []
        for _ in range(count):
            a = rng.randint(first, self.duration // S) * S
            row = self._row(rng.choice(labels), a, a + rng.choice([2, 4, 10, 25]) * S, slack)
            like = [one for one in rows if one["label"] == row["label"]]
            if all(one["e1"] < row["s0"] or row["e1"] < one["s0"] for one in like):
                rows.append(row | {"sure": not doubtful or rng.random() < 0.7})
        return [row for row in rows if _inside(row, looked)]

    def _row(self, label: str, a: int, b: int, slack: tuple[int, int]) -> dict[str, Any]:
        early, late = slack
        (proof,) = self.draft.add_proofs([("made", ())]).tolist()
        return {"label": self.draft.codes.code(label), "s0": a - early, "s": a, "s1": a + late,
                "e0": b - early, "e": b, "e1": b + late, "proof": proof}  # fmt: skip

    def _fill(self, row: dict[str, Any], kind: str) -> None:
        """The other fields of a fact: who, what, to what, how much, where."""
        rng, code, fields = self.rng, self.draft.codes.code, described(kind).fields
        tool = rng.randrange(len(TOOLS))
        verb, target = rng.choice(PAIRS[TOOLS[tool]])
        if fields.get("subject") == "instrument":
            row["subject"] = code(TOOLS[tool])
        elif "subject" in fields and rng.random() < 0.2:
            row["subject"] = code(rng.choice(["left_hand", "right_hand"]))
        for name, value in (("verb", verb), ("target", target)):
            if name in fields:
                row[name] = code(value)
        if "value" in fields:
            row["value_lo"] = float(rng.randint(1, 5))
            row["value_hi"] = row["value_lo"] + rng.choice([0, 0, 1])
        if "rater" in fields:
            row["rater"] = code(rng.choice(["first", "second"]))
        if "box" in fields:
            name = self.draft.codes.name(row["label"])
            self._boxes(region_track(kind, name), range(-(-row["s1"] // S), row["e0"] // S))

    # -- pictures and wholes ----------------------------------------------------------------------

    def _boxes(self, track: str, seconds: Sequence[int]) -> None:
        rng, draft = self.rng, self.draft
        times = np.array([t for t in seconds if 0 <= t * S < self.duration and rng.random() < 0.9],
                         np.int64) * S  # fmt: skip
        xy = np.array([[rng.choice([0.05, 0.4, 0.7]) for _ in "xy"] for _ in times], float)
        boxes = np.concatenate([xy.reshape(-1, 2), xy.reshape(-1, 2) + 0.2], axis=1)
        tracks = np.full(len(times), draft.codes.code(track), np.int32)
        draft.samples.append((tracks, on_axis(draft.video, times), boxes))

    def _regions(self, kind: str, labels: list[str]) -> None:
        rng, draft = self.rng, self.draft
        grid = KindInstants(np.array(self.seconds, np.int64) * S, S)
        on: list[tuple[int, int]] = []
        for k, label in enumerate(labels):
            here = rng.random() < 0.5
            for place, _ in enumerate(self.seconds):
                here = here != (rng.random() < 0.1)
                if here:
                    on.append((k, place))
            self._boxes(region_track(kind, label), [self.seconds[p] for j, p in on if j == k])
        key, at = (np.array([pair[i] for pair in on], np.int64) for i in (0, 1))
        runs = runs_of(grid, key, at)
        codes = np.array([draft.codes.code(name) for name in labels], np.int32)
        draft.add_runs(kind, runs, draft.new_gaps(len(grid.t) + 1), label=codes[runs.key],
                       proof=draft.add_proofs([("made", ())] * len(runs.key)))  # fmt: skip
        draft.add_holes(kind, grid.looked())
        draft.looked_for[draft.video, kind] = {"label": frozenset(labels)}

    def _whole(self) -> None:
        """Labels of the whole recording."""
        rng, draft, code, rows = self.rng, self.draft, self.draft.codes.code, []
        for kind in ("finding", "landmark", "condition", "experience", "rating", "count"):
            for label in self._labels(kind)[: rng.choice([0, 1, 1, 2])]:
                value = float(rng.randint(0, 5))
                row = self._row(label, -FAR, FAR, (0, 0))
                row |= {"subject": code(kind), "s": 0, "e": self.duration}
                if kind in ("rating", "count"):
                    row |= {"value_lo": value, "value_hi": value + rng.choice([0, 0, 1])}
                rows.append(row)
        draft.add_rows("whole_label", rows)
        draft.looked.add((draft.video, "whole_label"))
        names = frozenset(draft.codes.name(row["label"]) for row in rows)
        draft.looked_for[draft.video, "whole_label"] = {"label": names}


def _seconds(rng: random.Random, n: int) -> list[int]:
    """Annotated seconds of a film: all, or some missing, or a hole."""
    missing = rng.choice([0, 0, 0.01, 0.1])
    cut, wide = rng.randint(0, n), rng.choice([0, 0, 6])
    return [t for t in range(n) if rng.random() >= missing and not cut <= t < cut + wide] or [0]


def _deed(rng: random.Random, tool: int) -> tuple[tuple[str, str], ...]:
    if rng.random() < 0.25:
        return (("null_verb", "null_target"),)
    return (rng.choice(PAIRS[TOOLS[tool]]),)


def _inside(row: Mapping[str, Any], looked: np.ndarray) -> bool:
    return any(a <= row["s0"] and row["e1"] <= b for a, b in looked.tolist())
