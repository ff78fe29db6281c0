"""Random evidence and random programs."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from surgqa.ontology.records import InstrumentTable, Media, MediaKind, Span, Video, VideoEvidence
from surgqa.transforms.algebra.tree import (
    RELATIONS,
    Between,
    Call,
    Const,
    FieldTest,
    Name,
    Node,
    Pattern,
    Read,
)
from surgqa.transforms.algebra.types import DURATION, INSTANT, NUMBER, STRETCH, TRUTH, Type
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.algebra import more

S = 1_000_000
TOOLS = ("grasper", "hook", "clipper")
PAIRS = (("retract", "liver"), ("retract", "gallbladder"), ("dissect", "gallbladder"),
         ("null_verb", "null_target"))  # fmt: skip
PHASES = ("preparation", "clipping_and_cutting", "gallbladder_dissection")
KINDS = ("instrument", "interaction", "idle", "phase")


def evidence(rng: random.Random, name: str) -> VideoEvidence:
    """A made-up recording: labels once a second with holes, and phases."""
    seconds = [t for t in range(rng.randint(25, 60)) if rng.random() < rng.choice([1, 1, 0.9])]
    cut = rng.randint(5, 20)
    seconds = [t for t in seconds if not cut <= t < cut + rng.choice([0, 0, 4])] or [0]
    rows: list[tuple] = []
    for tool in range(len(TOOLS)):
        for instance in range(rng.choice([0, 1, 1, 2])):
            rows += _instance(rng, seconds, tool, instance)
    rows.sort(key=lambda r: (r[0], r[1], r[2]))
    boxed = rng.random() < 0.7
    boxes = np.array([r[2] if boxed else (np.nan,) * 4 for r in rows], float).reshape(-1, 4)
    sets = sorted({r[3] for r in rows if r[3] is not None})
    pairs = np.array([-1 if r[3] is None else sets.index(r[3]) for r in rows], np.int16)
    n = len(rows)
    table = InstrumentTable(
        np.array(seconds, np.int64) * S, np.array(seconds, np.int64),
        np.array([r[0] for r in rows], np.int32), np.array([r[1] for r in rows], np.int16), boxes,
        np.ones(n), pairs, np.full(n, -1, np.int32), np.arange(n, dtype=np.int32), TOOLS,
        tuple(sets), "manual" if boxed else "none", "frame {frame}",
    )  # fmt: skip
    end = (seconds[-1] + 1) * S
    video = Video("made", name, "operation", "surgery", Fraction(1), S, end,
                  Media(MediaKind.ABSENT), name, "none", "made", (), TOOLS)  # fmt: skip
    return VideoEvidence(video, table, _phases(rng, end))


def _instance(rng: random.Random, seconds: list[int], tool: int, instance: int) -> list[tuple]:
    rows, here, pair = [], rng.random() < 0.5, (rng.choice(PAIRS),)
    x, y = 0.1 + 0.3 * instance, 0.1 + 0.2 * tool
    for place, _ in enumerate(seconds):
        if rng.random() < 0.15:
            here = not here
        if rng.random() < 0.25:
            pair = (rng.choice(PAIRS),)
            if rng.random() < 0.1:
                pair = tuple(sorted(set(rng.sample(PAIRS[:3], 2))))
        if here:
            x, y = (min(max(at + rng.choice([-0.05, 0, 0, 0.05]), 0), 0.85) for at in (x, y))
            box = (x, y, x + 0.15, y + 0.15)
            rows.append((place, tool, box, None if rng.random() < 0.03 else pair))
    return rows


def _phases(rng: random.Random, end: int) -> tuple[Span, ...]:
    spans, at, last = [], rng.choice([0, 3 * S]), ""
    while at < end:
        label = rng.choice([p for p in PHASES if p != last])
        stop = min(at + rng.randint(3, 20) * S, end)
        spans.append(Span("phase", label, at, stop, "phases", "row"))
        at, last = stop + rng.choice([0, 0, 0, 4 * S]), label
    return tuple(spans)


def relation(rng: random.Random, n: int) -> Relation:
    """The facts of n made-up recordings."""
    found = [evidence(rng, f"v{i}") for i in range(n)]
    return relation_of((e, build_timeline(e)) for e in found)


# -- programs -------------------------------------------------------------------------------------

NOW, WINDOW = Name(INSTANT, "now"), Name(STRETCH, "window")
FACT = Type("fact")


def seconds(rng: random.Random, low: int, high: int) -> int:
    """A length in microseconds, whole or half seconds."""
    return rng.choice([rng.randint(low, high) * S, rng.randint(low * 2, high * 2) * S // 2])


def shifted(node: Node, us: int) -> Node:
    """A time moved by a length."""
    if not us:
        return node
    length = Const(DURATION, abs(us))
    return Call(INSTANT, "arithmetic",
                (("left", node), ("sign", "+" if us > 0 else "-"), ("right", length)))  # fmt: skip


def instant(rng: random.Random, d: int) -> Node:
    """A time: now, or a border of some fact, moved."""
    if d <= 0 or rng.random() < 0.5:
        return shifted(NOW, seconds(rng, -8, 8))
    return shifted(Read(INSTANT, one(rng, d), rng.choice(["start", "end"])), seconds(rng, -3, 3))


def reference(rng: random.Random, d: int) -> Node:
    """A stretch, an instant or the window."""
    r = rng.random()
    if r < 0.3:
        return WINDOW
    if r < 0.5:
        return instant(rng, d)
    start = instant(rng, d)
    return Between(STRETCH, start, shifted(start, seconds(rng, 1, 20)))


def pattern(rng: random.Random, d: int, field: str = "", kinds: tuple[str, ...] = KINDS) -> Pattern:
    """Facts of a kind."""
    kind = rng.choice(kinds)
    tests = []
    if rng.random() < 0.5:
        tests.append(_test(rng, kind))
    merge: tuple[str, ...] = ()
    if not field and rng.random() < 0.3:
        merge = {"instrument": ("label",), "phase": ("label",)}.get(
            kind, rng.choice([("track",), ("track", "verb"), ("subject",), ("target",)])
        )
    tests = [t for t in tests if not merge or t.name in merge]
    relation = rng.choice(["overlaps", *RELATIONS])
    return Pattern(
        FACT, (kind,), field=field, tests=tuple(tests), relation=relation,
        reference=reference(rng, d - 1), within=S if relation == "meets" else 0, merge=merge,
        gap=rng.choice([0, 2 * S]) if merge else 0,
        cut=WINDOW if rng.random() < 0.15 else None,
        at_least=rng.choice([0, 0, 0, 2 * S]), at_most=rng.choice([None, None, None, 5 * S]),
        where=_where(rng, d) if rng.random() < 0.15 else None,
    )  # fmt: skip


def _where(rng: random.Random, d: int) -> Node:
    it = Name(FACT, "it")
    length = Read(DURATION, it, "length")
    if rng.random() < 0.5:
        return Call(
            TRUTH, "compare", (("left", length), ("sign", ">="), ("right", Const(DURATION, 2 * S)))
        )
    return Call(
        TRUTH, "exists", (("of", Pattern(FACT, ("phase",), relation="overlaps", reference=it)),)
    )


def _test(rng: random.Random, kind: str) -> FieldTest:
    name, values = {
        "instrument": ("label", TOOLS), "phase": ("label", PHASES), "idle": ("subject", TOOLS),
        "interaction": rng.choice([("subject", TOOLS), ("verb", ("retract", "dissect")),
                                   ("target", ("liver", "gallbladder"))]),
    }[kind]  # fmt: skip
    chosen = rng.sample(values, rng.choice([1, 1, 2]))
    nodes = tuple(Const(Type("label", name), value) for value in chosen)
    return FieldTest(name, nodes, rng.random() < 0.2)


def one(rng: random.Random, d: int) -> Node:
    """One fact."""
    op = rng.choice(["only", "first", "last", "argmax", "argmin"])
    found = pattern(rng, d)
    if op.startswith("arg"):
        by = Read(DURATION, Name(FACT, "it"), rng.choice(["length", "length", "start"]))
        return Call(FACT, op, (("of", found), ("by", by)))
    return Call(FACT, op, (("of", found),))


def number(rng: random.Random, d: int) -> Node:
    """A number or a duration."""
    r = rng.random()
    if r < 0.3:
        return Call(NUMBER, "count", (("of", pattern(rng, d)),))
    if r < 0.5:
        return Call(NUMBER, "count", (("of", _values(rng, d)),))
    if r < 0.8:
        total = pattern(rng, d)
        if total.relation in ("before", "after", "meets"):
            total = Pattern(FACT, total.kinds, tests=total.tests, reference=total.reference)
        return Call(DURATION, "total", (("of", total),))
    return Read(DURATION, one(rng, d), "length")


def _values(rng: random.Random, d: int) -> Pattern:
    field, kinds = rng.choice([("label", ("instrument", "phase")), ("verb", ("interaction",)),
                               ("target", ("interaction",)), ("subject", ("interaction", "idle")),
                               ("act", ("interaction",))])  # fmt: skip
    return pattern(rng, d, field, kinds)


def label(rng: random.Random, d: int) -> Node:
    """A label."""
    r = rng.random()
    if r < 0.4:
        return Call(Type("set"), "set", (("of", _values(rng, d)),))
    if r < 0.6:
        seen = Call(Type("set"), "set", (("of", pattern(rng, d, "subject", ("interaction",))),))
        mine = FieldTest("subject", (Name(Type("label"), "it"),))
        total = Call(DURATION, "total", (("of", Pattern(FACT, ("interaction",), tests=(mine,))),))
        return Call(Type("label"), "argmax", (("of", seen), ("by", total)))
    found = one(rng, d)
    merge = found.get("of").merge
    readers = [m for m in merge if m != "track"] or (["subject"] if merge else [])
    return Read(
        Type("label"), found, rng.choice(readers or ["label", "subject", "verb", "target", "act"])
    )


def truth(rng: random.Random, d: int) -> Node:
    """A condition."""
    r = rng.random()
    if r < 0.08:
        return more.near(rng)
    if r < 0.4:
        return Call(TRUTH, "exists", (("of", pattern(rng, d)),))
    if r < 0.55 and d > 0:
        return Call(
            TRUTH, rng.choice(["all", "any"]), (("of", (truth(rng, d - 1), truth(rng, d - 1))),)
        )
    if r < 0.65:
        return Call(TRUTH, "not", (("of", truth(rng, d - 1)),))
    sign = rng.choice(["<", "<=", ">", ">=", "=", "!="])
    if r < 0.8:
        left, right = instant(rng, d), instant(rng, d - 1)
    else:
        left = number(rng, d)
        value = seconds(rng, 1, 12) if left.type == DURATION else float(rng.randint(0, 3))
        right = Const(left.type, value)
    return Call(TRUTH, "compare", (("left", left), ("sign", sign), ("right", right)))


def program(rng: random.Random) -> Node:
    """A well-typed program of some depth."""
    d = rng.choice([1, 1, 2, 2, 3])
    makers: list[Callable[[random.Random, int], Node]] = [
        truth, truth, label, number, one, instant,
        lambda rng, d: more.picture(rng),
        lambda rng, d: more.words(rng, d, number, truth, one),
        lambda rng, d: more.listing(rng, lambda: pattern(rng, d)),
        lambda rng, d: more.stretch(rng, lambda: reference(rng, d), lambda: one(rng, d)),
    ]  # fmt: skip
    return rng.choice(makers)(rng, d)
