"""Find out on which time, counted from the query time ``now``, each value of a template depends.

A :class:`Reach` bounds this time. A printed value must depend only on evidence at or before
``now``. The reach of the answer decides whether the question is about the past, the present or the
future.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from surgqa.ontology.kinds import kind
from surgqa.transforms.algebra.tree import Between, Call, Const, Name, Node, Pattern, Read, Step
from surgqa.transforms.algebra.walk import children, every, prints
from surgqa.transforms.language.context import ParseContext
from surgqa.transforms.language.program import Stage, Unit
from surgqa.transforms.language.resolve import is_broken

PRESENT_US = 1_000_000
"""Evidence no more than this many microseconds before ``now`` counts as present."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Bounds of the stretch of evidence that a value depends on, in microseconds after ``now``.

    Attributes:
        start: earliest time of the evidence.
        low, high: earliest and latest possible end of the evidence; if the evidence is an instant,
            its earliest and latest possible time.
    """

    start: float
    low: float
    high: float

    def moved(self, low: float, high: float) -> Reach:
        """Return the bounds of an instant between ``low`` and ``high`` microseconds later."""
        return Reach(self.start + low, self.low + low, self.high + high)


@dataclass(frozen=True, slots=True)
class ValueReach:
    """Reach of a value and, if the value is a fact or stretch, of its start and its end."""

    itself: Reach
    start: Reach
    end: Reach


_PASSING = ("only", "first", "last", "facts", "each", "argmax", "argmin", "coalesce", "sequence")
"""Operators whose result is one or several of the values they are given."""

TIMELESS = Reach(inf, -inf, -inf)
NOWHERE = Reach(-inf, -inf, inf)
ALWAYS = ValueReach(TIMELESS, NOWHERE, NOWHERE)


def hull(reaches: Iterable[Reach]) -> Reach:
    """Return the reach of a value that depends on all of the given evidence."""
    out = TIMELESS
    for one in reaches:
        out = Reach(min(out.start, one.start), max(out.low, one.low), max(out.high, one.high))
    return out


def _point(low: float, high: float) -> Reach:
    return Reach(low, low, high)


def _all(reach: Reach) -> ValueReach:
    return ValueReach(reach, reach, reach)


class Reaches:
    """The reach (evidence used) of every name of a template that has a query time."""

    def __init__(self, unit: Unit, let: Iterable[Step]) -> None:
        self.names: dict[str, ValueReach] = dict(_given(unit))
        for step in let:
            self.names.update(dict.fromkeys(step.names, self.of(step.node)))
        if unit.now is not None:
            anchor = self._anchor(unit.now)
            for step in let:
                if not step.draws and anchor not in step.names:
                    self.names.update(dict.fromkeys(step.names, self.of(step.node)))

    def _anchor(self, now: Node) -> str:
        """Return the name from which ``now`` is counted; '' if there is none.

        An example is ``past`` in ``past.end + 1..10 s``. The time of this name is known exactly.
        """
        base, low, high = _shifted(now)
        if not isinstance(base, Read) or not isinstance(base.base, Name):
            return ""
        self.names[base.base.name] = _pinned(base.reader, _point(-high, -low))
        return base.base.name

    def of(self, node: object) -> ValueReach:
        """Return the bounds of the evidence that an expression depends on."""
        match node:
            case Const() | None | str() | int() | float():
                return ALWAYS
            case Name():
                return self.names.get(node.name, _all(NOWHERE))
            case Read():
                return self._read(node)
            case Between():
                start, end = self.of(node.start).itself, self.of(node.end).itself
                return ValueReach(Reach(start.start, end.low, end.high), start, end)
            case Pattern():
                return self._pattern(node)
            case Call():
                return self._call(node)
        return _all(hull(self.of(child).itself for child in children(node)))

    def _read(self, node: Read) -> ValueReach:
        base = self.of(node.base)
        if node.reader in ("start", "end"):
            return _all(base.start if node.reader == "start" else base.end)
        if node.reader in ("length", "middle"):
            return _all(hull((base.start, base.end)))
        return _all(base.itself)

    def _pattern(self, node: Pattern) -> ValueReach:
        if node.kinds and all(kind(name).timeless for name in node.kinds):
            return ALWAYS
        to = self.of(node.reference) if node.reference is not None else self.names["window"]
        start, end = to.start, to.end
        if node.reference is not None and node.reference.type.name == "instant":
            start = end = to.itself
        seen = _related(node, start, end)
        if node.source is not None:
            seen = replace(seen, itself=self.of(node.source).itself)
        if node.cut is not None:
            cut = self.of(node.cut)
            seen = ValueReach(
                seen.itself, seen.start, Reach(seen.end.start, cut.start.low, cut.end.high)
            )
        found = [seen.itself, *(self.of(value).itself for t in node.tests for value in t.values)]
        if node.where is not None:
            found.append(self.bound(node.where, node.alias, seen))
        return replace(seen, itself=hull(found))

    def bound(self, node: object, alias: str, one: ValueReach) -> Reach:
        """Return the bounds of the evidence of an expression about one element, named ``alias``."""
        outer = self.names
        self.names = {**outer, alias: one}
        found = self.of(node).itself
        self.names = outer
        return found

    def _call(self, node: Call) -> ValueReach:
        if node.op == "arithmetic":
            return self._sum(node)
        if node.op in _PASSING:
            main = node.get("of")
            parts = main if isinstance(main, tuple) else (main,)
            seen = [self.of(part) for part in parts]
            if node.op == "each" and isinstance(main, str):
                return self.names["window"]
            one = ValueReach(
                *(_either([getattr(s, f) for s in seen]) for f in ("itself", "start", "end"))
            )
            if not isinstance(node.get("by"), Node):
                return one
            by = self.bound(node.get("by"), str(node.get("as", "it")), one)
            return replace(one, itself=hull((one.itself, by)))
        if node.op == "box" and node.get("at") is not None:
            return self.of(node.get("at"))
        return _all(hull(self.of(value).itself for _, value in node.args))

    def _sum(self, node: Call) -> ValueReach:
        base, low, high = _shifted(node)
        if base is node or node.type.name != "instant":
            return _all(hull(self.of(side).itself for side in children(node)))
        return _all(self.of(base).itself.moved(low, high))


def _given(unit: Unit) -> Mapping[str, ValueReach]:
    now = _point(0, 0)
    if unit.kind == "stream":
        low, high = unit.length
        window = ValueReach(Reach(0, low, high), now, _point(low, high))
    else:
        back = _point(-inf, 0) if unit.see is None else _point(-unit.see, -unit.see)
        window = ValueReach(Reach(back.start, 0, 0), back, now)
    video = ValueReach(NOWHERE, _point(-inf, 0), _point(0, inf))
    return {"now": _all(now), "window": window, "video": video, "round": _all(NOWHERE)}


def _related(node: Pattern, a: Reach, b: Reach) -> ValueReach:
    """Return where a fact lies that has the pattern's relation (such as ``before``) to [a, b)."""
    whole = Reach(a.start, b.low, b.high)
    until, since = Reach(-inf, -inf, a.high), Reach(b.start, b.low, inf)
    begun, over = Reach(-inf, -inf, b.high), Reach(a.start, a.low + 1, inf)
    near = Reach(a.start - node.within, a.low - node.within, a.high + node.within)
    within = Reach(a.start, a.low, b.high)
    return {
        "at": ValueReach(a, until, over),
        "starts_in": ValueReach(whole, within, over),
        "ends_in": ValueReach(whole, begun, within),
        "inside": ValueReach(whole, within, within),
        "before": _all(until),
        "after": _all(since),
        "throughout": ValueReach(whole, until, since),
        "meets": ValueReach(near, replace(near, start=-inf, low=-inf), near),
    }.get(node.relation, ValueReach(whole, begun, Reach(-inf, a.low + 1, inf)))


def _either(reaches: list[Reach]) -> Reach:
    """Return the bounds of the evidence for one of several values, if it is not known which."""
    return Reach(min(r.start for r in reaches), min(r.low for r in reaches),
                 max(r.high for r in reaches))  # fmt: skip


def _shifted(node: Node) -> tuple[Node, float, float]:
    """Return the base of ``base + 2 s`` or ``base - 1 s``, and the bounds of what is added.

    Any other expression is its own base, to which 0 is added.
    """
    by = node.get("right") if isinstance(node, Call) and node.op == "arithmetic" else None
    if not isinstance(node, Call) or not isinstance(by, Const):
        return node, 0, 0
    low, high = by.value if isinstance(by.value, tuple) else (by.value, by.value)
    if by.type.of == "frame":
        low, high = 1, PRESENT_US
    return (node.get("left"), *((low, high) if node.get("sign") == "+" else (-high, -low)))


def _pinned(reader: str, exact: Reach) -> ValueReach:
    """Return the bounds for a fact, if its start, end or middle (``reader``) lies at ``exact``."""
    before = Reach(-inf, -inf, exact.high)
    after = Reach(exact.start, exact.low + 1, inf)
    if reader == "start":
        return ValueReach(exact, exact, after)
    if reader == "end":
        return ValueReach(replace(exact, start=-inf), before, exact)
    return ValueReach(replace(exact, start=-inf), before, after)


def mode_and_checks(
    c: ParseContext, unit: Unit, let: Sequence[Step], stages: Sequence[Stage], show: Node | None
) -> tuple[str, tuple[Node, ...]]:
    """Return the mode (such as ``past``), and values to check again for every possible question.

    T118: a text prints a value that certainly depends on evidence after ``now``.
    """
    if unit.kind not in ("now", "stream"):
        return {"recording": "past", "still": "present"}.get(unit.kind, "clip"), ()
    if any(is_broken(node) for step in let for node in every(step.node)):
        return "present", ()
    sight = Reaches(unit, let)
    checks: dict[Node, None] = {}
    for node, place, what in _printed(stages, show):
        reach = sight.of(node).itself
        if reach.low > 0:
            c.add("T118", (), f"{what} prints a value that is known only after the query time",
                  "print only values that are known before 'now'", place=place)  # fmt: skip
        elif reach.high > 0:
            checks[node] = None
    return _mode(unit, sight, stages), tuple(checks)


def _mode(unit: Unit, sight: Reaches, stages: Sequence[Stage]) -> str:
    reach = hull(sight.of(node).itself for stage in stages for _, node in stage.answer)
    if unit.kind == "stream" or reach.high > 0:
        return "future"
    return "present" if reach.start >= -PRESENT_US else "past"


def _printed(stages: Sequence[Stage], show: Node | None) -> Iterator[tuple[Node, tuple, str]]:
    for stage in stages:
        for name in ("ask", "context", "clue"):
            for piece in prints(getattr(stage, name)):
                if not is_broken(piece.node):
                    yield piece.node, piece.place, repr(name)
    if show is not None and not is_broken(show):
        yield show, show.place, "'show'"
