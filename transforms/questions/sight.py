"""Check that an answer depends only on the part of the video that the question may use.

The support of a value is the stretch of time whose evidence determines the value. The support of
the answer must lie inside the question's window, and that of a printed value must end by ``now``,
the time of the question. The parser checks what the template alone decides; this module checks
every filling (values for the template's names).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surgqa.ontology.kinds import kind
from surgqa.transforms.algebra.columns.elements import Elements, elements_of
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import WINDOW, stretch_of
from surgqa.transforms.algebra.columns.values import One, Range, Stretch
from surgqa.transforms.algebra.tree import Call, Name, Node, Pattern, Read
from surgqa.transforms.algebra.walk import NODES, children
from surgqa.transforms.language.program import Program

FIRST, LAST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """First and last instant of each row's support, int64 (n,); (LAST, FIRST) if it is empty."""

    start: np.ndarray
    end: np.ndarray

    def joined(self, other: Support) -> Support:
        """Return the support of a value that depends on both supports' values."""
        return Support(np.minimum(self.start, other.start), np.maximum(self.end, other.end))


def seen(program: Program, rows: Rows) -> np.ndarray:
    """Return bool (n,), True for rows whose texts and answer depend on visible evidence only.

    The answer may depend on the window, and printed values on the time up to ``now``. Answers about
    the future are not tested, nor stages of chains, which have their own windows.
    """
    ok = np.ones(rows.n, bool)
    sight = Supports(program, rows)
    if program.unit.kind == "stream" or program.mode != "future":
        window = rows.stretch("window")
        for _, node in program.stages[0].answer if program.unit.kind != "chain" else ():
            found = sight.of(node)
            ok &= (found.start >= window.start.lo) & (found.end <= window.end.hi)
    if program.by_filling:
        now = rows.time("now")
        for node in program.by_filling:
            ok &= sight.of(node).end <= now.at
    return ok


class Supports:
    """For each expression of a template, the stretch of time that determines its value."""

    def __init__(self, program: Program, rows: Rows, bound: tuple[str, ...] = ()) -> None:
        self.program, self.rows = program, rows
        self.bound = bound
        """Names of single elements; their support is that of the pattern that found them."""

    def of(self, node: object) -> Support:
        """Return the support of one expression, for each row."""
        match node:
            case Name():
                return self._name(node)
            case Read():
                return self._read(node)
            case Pattern():
                return self._pattern(node)
            case Call():
                return self._call(node)
        return self._hull(node)

    def _hull(self, node: object) -> Support:
        out = self._nothing()
        for child in children(node):
            out = out.joined(self.of(child))
        return out

    def _nothing(self) -> Support:
        return Support(np.full(self.rows.n, LAST), np.full(self.rows.n, FIRST))

    def _name(self, node: Name) -> Support:
        step = self.program.step(node.name)
        if node.name in self.bound or node.type.name == "video":
            return self._nothing()
        if step is None or (step.draws and node.type.name in ("instant", "stretch")):
            return self._time(evaluate(node, self.rows))
        value = evaluate(node, self.rows) if step.draws else None
        return self._drawn(value) if isinstance(value, One) else self.of(step.node)

    def _drawn(self, fact: One) -> Support:
        """Return the support of a fact that ``each`` drew.

        The fact certainly exists, so its part inside the window is enough.
        """
        start, end = fact.columns["s1"], fact.columns["e0"]
        window = self.rows.stretch("window")
        low, high = np.maximum(start, window.start.hi), np.minimum(end, window.end.lo)
        inside = low < high
        return Support(np.where(inside, low, start), np.where(inside, high, end))

    def _time(self, value: object) -> Support:
        """Return the support of a time: all instants that the time may have."""
        if isinstance(value, Range):
            low, high = np.where(value.none, LAST, value.lo), np.where(value.none, FIRST, value.hi)
            return Support(low, high)
        if isinstance(value, Stretch):
            return Support(value.start.lo, value.end.hi)
        return self._nothing()

    def _read(self, node: Read) -> Support:
        base = node.base.type.name
        if node.reader in ("start", "end") and base in ("fact", "stretch", "video"):
            return self._time(evaluate(node, self.rows))
        if node.reader in ("length", "middle") and base == "fact":
            return self._time(stretch_of(evaluate(node.base, self.rows)))
        return self.of(node.base)

    def _pattern(self, node: Pattern) -> Support:
        tests = self._hull(node.tests)
        if node.kinds and all(kind(name).timeless for name in node.kinds):
            return tests
        reference = evaluate(node.reference or WINDOW, self.rows)
        to = stretch_of(reference)
        out = Support(to.start.lo, to.end.hi - int(isinstance(reference, Range))).joined(tests)
        if node.where is not None:
            out = out.joined(self._inside(node, node.where, node.alias))
        return out

    def _inside(self, of: Node | tuple[Node, ...], said: Node, alias: str) -> Support:
        """Return the support of an expression about the elements of a collection."""
        found: Elements = elements_of(of, self.rows)
        inner = self.rows.inside(found.filling, **{alias: found.value})
        each = Supports(self.program, inner, (*self.bound, alias)).of(said)
        out = self._nothing()
        np.minimum.at(out.start, found.filling, each.start)
        np.maximum.at(out.end, found.filling, each.end)
        return out

    def _call(self, node: Call) -> Support:
        if node.op == "arithmetic" and node.type.name == "instant":
            return self._time(evaluate(node, self.rows))
        main, by = node.get("of"), node.get("by")
        if isinstance(by, NODES) and isinstance(main, NODES):
            found = self.of(main)
            return found.joined(self._inside(main, by, str(node.get("as", "it"))))
        if node.op == "box" and node.get("at") is not None:
            return self.of(node.get("at"))
        return self._hull(node)
