"""Random programs with pictures, words, sequences and stretches."""

from __future__ import annotations

import random
from collections.abc import Callable

from surgqa.transforms.algebra.tree import (
    Amount,
    Between,
    Call,
    Const,
    FieldTest,
    Name,
    Node,
    Pattern,
    Read,
)
from surgqa.transforms.algebra.types import (
    BOX,
    DURATION,
    INSTANT,
    NUMBER,
    RECORD,
    STRETCH,
    TRUTH,
    WORD,
    Type,
    many,
)
from surgqa.transforms.language.resolve import WHOLE_PICTURE

S = 1_000_000
NOW, WINDOW, FACT = Name(INSTANT, "now"), Name(STRETCH, "window"), Type("fact")
TOOLS = ("grasper", "hook", "clipper")
COUNTS = (("none", 0.0), ("few", 1.0), ("many", 3.0))
LENGTHS = (("short", 0.0), ("middling", 3.0 * S), ("long", 8.0 * S))
SPEEDS = (("still", 0.0), ("slow", 0.01), ("fast", 0.05))


def seen(rng: random.Random) -> Node:
    """An instrument that is in view now, or one that was seen before."""
    tool = FieldTest("label", (Const(Type("label"), rng.choice(TOOLS)),))
    tests = (tool,) if rng.random() < 0.8 else ()
    if rng.random() < 0.8:
        return Call(FACT, "only", (("of", Pattern(FACT, ("instrument",), tests=tests,
                                                 relation="at", reference=NOW)),))  # fmt: skip
    return Call(FACT, rng.choice(["first", "last"]),
                (("of", Pattern(FACT, ("instrument",), tests=tests)),))  # fmt: skip


def near(rng: random.Random) -> Node:
    """Whether two boxes overlap, or how far they are apart."""
    pair: tuple[tuple[str, object], ...] = (("of", (seen(rng), seen(rng))), ("at", NOW))
    if rng.random() < 0.5:
        return Call(TRUTH, "iou", (*pair, ("least", Amount("number", 0.3, 0.3))))
    far = Call(NUMBER, rng.choice(["distance", "iou"]), pair)
    return Call(TRUTH, "compare", (("left", far), ("sign", rng.choice(["<", ">="])),
                                   ("right", Const(NUMBER, rng.choice([0.1, 0.3])))))  # fmt: skip


def picture(rng: random.Random) -> Node:
    """A box, a distance, an overlap, a motion, or the outermost box of a while."""
    box = Call(BOX, "box", (("of", seen(rng)), ("at", NOW)))
    pair = (("of", (seen(rng), seen(rng))), ("at", NOW))
    return rng.choice([
        box,
        Read(NUMBER, box, rng.choice(["x", "y", "area"])),
        Call(WORD, "word", (("of", box), ("scale", "ninths"))),
        Call(NUMBER, rng.choice(["distance", "iou"]), pair),
        near(rng),
        _motion(rng),
        _outermost(rng),
        _nearest(rng),
    ])  # fmt: skip


def _motion(rng: random.Random) -> Node:
    thing = seen(rng)
    before = Call(INSTANT, "arithmetic",
                  (("left", NOW), ("sign", "-"), ("right", Const(DURATION, 3 * S))))  # fmt: skip
    parts = Call(Type("stretches"), "parts", (("of", Between(STRETCH, before, NOW)), ("n", 2)))
    over = rng.choice([thing, Between(STRETCH, before, NOW), Between(STRETCH, before, NOW), parts])
    motion = Call(Type("motion"), "motion", (("of", thing), ("over", over)))
    reader = rng.choice(["path", "mean_speed", "min_speed", "max_speed", "samples"])
    number = Read(NUMBER, motion, reader)
    return Call(WORD, "word", (("of", number), ("scale", SPEEDS))) if rng.random() < 0.3 else number


def _outermost(rng: random.Random) -> Node:
    axis = Const(Type("label"), rng.choice(["horizontal", "vertical"]))
    by = Read(NUMBER, Name(FACT, "it"), "centre", axis)
    track = (FieldTest("track", (Read(Type("track"), seen(rng), "track"),)),)
    found = Pattern(FACT, ("sample",), tests=track if rng.random() < 0.5 else (),
                    relation="inside")  # fmt: skip
    best = Call(FACT, rng.choice(["argmax", "argmin"]), (
        ("of", found), ("by", by),
        *((("same", Amount("us", 1.5 * S, 1.5 * S)),) if rng.random() < 0.5 else ()),
    ))  # fmt: skip
    return rng.choice([Read(BOX, best, "box"), Read(INSTANT, best, "start"), best])


def _nearest(rng: random.Random) -> Node:
    thing = Const(BOX, WHOLE_PICTURE) if rng.random() < 0.3 else seen(rng)
    by = Call(NUMBER, "distance", (("of", (Name(FACT, "it"), thing)), ("at", NOW)))
    others = Pattern(FACT, ("instrument",), relation="at", reference=NOW)
    return Call(FACT, rng.choice(["argmax", "argmin"]), (("of", others), ("by", by)))


Number = Callable[[random.Random, int], Node]


def words(rng: random.Random, d: int, number: Number, truth: Number, one: Number) -> Node:
    """A word of a scale, a statement, or the first of several values."""
    r = rng.random()
    if r < 0.4:
        value = number(rng, d)
        clear = (("clear", Amount("share", 0.1, 0.1)),) if rng.random() < 0.2 else ()
        scale = LENGTHS if value.type == DURATION else COUNTS
        return Call(WORD, "word", (("of", value), ("scale", scale), *clear))
    if r < 0.7:
        conditions = tuple((f"case {k}", truth(rng, d - 1)) for k in range(rng.choice([2, 3])))
        if rng.random() < 0.6:
            first = conditions[0][1]
            conditions = (("so", first), ("not so", Call(TRUTH, "not", (("of", first),))))
        return Call(Type("statement"), "cases", (("of", conditions),))
    reader = rng.choice(["start", "label", "length"])
    kind = {"start": INSTANT, "length": DURATION}.get(reader, Type("label"))
    values = tuple(Read(kind, _or_none(rng), reader) for _ in range(2))
    if rng.random() < 0.3:
        return Call(FACT, "coalesce", (("of", tuple(value.base for value in values)),))
    return Call(kind, "coalesce", (("of", values),))


def _or_none(rng: random.Random) -> Node:
    kind = rng.choice(["instrument", "phase"])
    away = Const(DURATION, rng.randint(1, 6) * S)
    start = Call(
        INSTANT, "arithmetic", (("left", NOW), ("sign", rng.choice("+-")), ("right", away))
    )
    tests = (FieldTest("label", (Const(Type("label"), rng.choice(TOOLS)),)),)
    found = Pattern(FACT, (kind,), tests=tests if kind == "instrument" else (), relation="at",
                    reference=start, or_none=True)  # fmt: skip
    return Call(FACT, rng.choice(["only", "first", "last"]), (("of", found),))


def listing(rng: random.Random, pattern: Callable[[], Pattern]) -> Node:
    """A sequence, the most at once, or all labels of a kind."""
    found = pattern()
    if rng.random() < 0.1:
        return Call(Type("set"), "labels", (("of", Const(Type("label"), "instrument")),))
    if rng.random() < 0.3:
        return _of_several(rng)
    if rng.random() < 0.4:
        return Call(NUMBER, "peak", (("of", found),))
    args: list[tuple[str, object]] = [("of", found)]
    told = Type("label")
    if not found.merge:
        fields = rng.choice([("label",), ("subject",), ("start", "label")])
        args.append(("fields", fields))
        told = told if len(fields) == 1 else RECORD
    if rng.random() < 0.3:
        args.append(("take", rng.choice([1, 2, -1])))
    return Call(many("sequence", told), "sequence", tuple(args))


def _of_several(rng: random.Random) -> Node:
    """A sequence, set or superlative of what stands in a list or in another set."""
    facts = (seen(rng), seen(rng))
    labels = Call(Type("set", "instrument"), "set",
                  (("of", Pattern(FACT, ("instrument",), field="label")),))  # fmt: skip
    mine = (FieldTest("label", (Name(Type("label"), "it"),)),)
    how_long = Call(DURATION, "total", (("of", Pattern(FACT, ("instrument",), tests=mine)),))
    starts = tuple(Read(INSTANT, one, rng.choice(["start", "end"])) for one in facts)
    return rng.choice([
        Call(Type("sequence"), "sequence", (("of", facts), ("fields", ("label",)))),
        Call(Type("sequence", "instant"), "sequence", (("of", starts),)),
        Call(Type("set"), "set", (("of", facts),)),
        Call(Type("set"), "set", (("of", labels),)),
        Call(FACT, rng.choice(["argmax", "argmin"]),
             (("of", facts), ("by", Read(DURATION, Name(FACT, "it"), "length")))),
        Call(Type("label"), "argmax", (("of", labels), ("by", how_long))),
    ])  # fmt: skip


def stretch(rng: random.Random, reference: Callable[[], Node], one: Callable[[], Node]) -> Node:
    """Parts, segments and overlaps of stretches of time."""
    r = rng.random()
    of = rng.choice([reference, one])()
    if r < 0.3:
        return Call(Type("stretches"), "parts", (("of", of), ("n", rng.choice([2, 3, 7]))))
    if r < 0.6:
        start = Call(INSTANT, "arithmetic",
                     (("left", NOW), ("sign", "-"), ("right", Const(DURATION, 9 * S))))  # fmt: skip
        whole = Between(STRETCH, start, NOW)
        least = (("least", Amount("number", 0.5, 0.5)),) if rng.random() < 0.4 else ()
        thing = one()
        span = Between(STRETCH, Read(INSTANT, thing, "start"), Read(INSTANT, thing, "end"))
        return Call(TRUTH if least else NUMBER, "iou", (("of", (whole, span)), *least))
    grid = tuple(Amount("us", us, us) for us in rng.choice([(S,), (5 * S, 2 * S, S), (S, S // 2)]))
    args: list[tuple[str, object]] = [("of", of), ("grid", grid)]
    if rng.random() < 0.4:
        args += [("most", Amount("us", 4 * S, 4 * S)), ("opening", Amount("us", 2 * S, 2 * S))]
    if rng.random() < 0.4:
        args.append(("iou", Amount("number", 0.5, 0.5)))
    return Call(STRETCH, "segment", tuple(args))
