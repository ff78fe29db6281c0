"""The value of an expression on one exact timeline: its definition, as loops over facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from surgqa.ontology.workflow import operation
from surgqa.transforms.algebra.operators import form
from surgqa.transforms.algebra.tree import (
    Between,
    Call,
    Const,
    FieldTest,
    Name,
    Node,
    Pattern,
    Read,
)
from surgqa.transforms.algebra.worlds.world import FIELDS, Rect, TrueFact, World
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.table import region_track


class Undefined(Exception):
    """The value does not exist on this timeline: a tie, an empty window, the first of no facts."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The time [a, b), in microseconds on the time axis that all videos share."""

    a: int
    b: int


@dataclass(frozen=True)
class Env:
    """One exact timeline, and a value for each of the template's names.

    Attributes:
        names: for each name, int (time, duration, code), float, bool, :class:`Interval`, TrueFact,
            None (none) or a tuple of codes (sets and sequences).
    """

    relation: Relation
    world: World
    names: dict[str, Any] = field(default_factory=dict)

    def inside(self, **names: Any) -> Env:
        """Return the same timeline with values for more names."""
        return replace(self, names={**self.names, **names})

    def ev(self, node: Node) -> Any:
        """Return the value of an expression.

        Raises:
            Undefined: the expression has no value on this timeline.
        """
        match node:
            case Const():
                return self._constant(node)
            case Name():
                return self.names[node.name]
            case Read():
                axis = None if node.argument is None else self.ev(node.argument)
                return read(self.ev(node.base), node.reader, self, axis)
            case Between():
                return Interval(self.ev(node.start), self.ev(node.end))
            case Pattern():
                return self.select(node)
            case _:
                return definition_of(node.op)(node, self)

    def _constant(self, node: Const) -> Any:
        name = node.type.name
        if name == "box":
            return Rect(*node.value)
        if name in ("duration", "number", "instant", "none"):
            return node.value
        return self.relation.codes.code(str(node.value))

    def select(self, pattern: Pattern) -> list[TrueFact]:
        """Return the facts that match a pattern, sorted by start."""
        ref = self.reference(pattern)
        listed = pattern.source is None
        facts = self._of_kinds(pattern) if listed else self.ev(pattern.source)
        if pattern.merge:
            facts = merged(facts, pattern.merge, pattern.gap)
        if pattern.cut is not None:
            to = span_of(self.ev(pattern.cut))
            facts = [
                replace(f, s=max(f.s, to.a), e=min(f.e, to.b))
                for f in facts
                if f.s < to.b and f.e > to.a
            ]
        facts = [f for f in facts if f.e - f.s >= pattern.at_least
                 and (pattern.at_most is None or f.e - f.s <= pattern.at_most)]  # fmt: skip
        for test in pattern.tests:
            facts = [f for f in facts if self._passes(f, test)]
        related = RELATIONS[pattern.relation]
        facts = [f for f in facts if related(f, ref, pattern.within)]
        if pattern.where is not None:
            facts = [f for f in facts if self.inside(**{pattern.alias: f}).ev(pattern.where)]
        return sorted(facts, key=lambda f: (f.s, f.e, f.key(("kind", "label", "track"))))

    def reference(self, pattern: Pattern) -> Interval:
        """Return the stretch with which a pattern compares the times of facts."""
        node = pattern.reference
        return span_of(self.names["window"] if node is None else self.ev(node))

    def _of_kinds(self, pattern: Pattern) -> list[TrueFact]:
        if pattern.kinds == ("sample",):
            return list(self.world.samples)
        kinds = dict.fromkeys(self.relation.kind_codes(pattern.kinds))
        return [one for kind in kinds for one in self.world.by_kind.get(kind, ())]

    def _passes(self, fact: TrueFact, test: FieldTest) -> bool:
        values = [self.ev(node) for node in test.values]
        codes = [-1 if v is None else v.track if isinstance(v, TrueFact) else v for v in values]
        found = read(fact, "act", self) if test.name == "act" else getattr(fact, test.name)
        return (found in codes) != test.negated


RELATIONS: dict[str, Callable[[TrueFact, Interval, int], bool]] = {
    "at": lambda f, r, d: f.s < r.b and f.e > r.a,
    "overlaps": lambda f, r, d: f.s < r.b and f.e > r.a,
    "throughout": lambda f, r, d: f.s <= r.a and f.e >= r.b,
    "inside": lambda f, r, d: f.s >= r.a and f.e <= r.b,
    "starts_in": lambda f, r, d: r.a <= f.s < r.b,
    "ends_in": lambda f, r, d: r.a < f.e < r.b,
    "before": lambda f, r, d: f.e <= r.a,
    "after": lambda f, r, d: f.s >= r.b,
    "meets": lambda f, r, d: abs(f.e - r.a) <= d,
}  # fmt: skip


def span_of(value: Any) -> Interval:
    """Return a time as a stretch that is not empty; an instant becomes one microsecond."""
    if isinstance(value, TrueFact):
        return Interval(value.s, value.e)
    if isinstance(value, int):
        return Interval(value, value + 1)
    if value is None or value.a >= value.b:
        raise Undefined
    return value


def merged(facts: list[TrueFact], keys: tuple[str, ...], gap: int) -> list[TrueFact]:
    """Merge facts that are equal in these fields and touch."""
    kept = {*keys, "kind", *(("subject",) if "track" in keys else ())}
    lost = {n: -1 for n in FIELDS if n not in kept}
    out: list[TrueFact] = []
    for one in sorted(facts, key=lambda f: (f.kind, f.key(keys), f.s, f.e)):
        last = out[-1] if out else None
        if (
            last
            and (last.kind, last.key(keys)) == (one.kind, one.key(keys))
            and one.s <= last.e + gap
        ):
            out[-1] = replace(last, e=max(last.e, one.e), rows=last.rows | one.rows)
        else:
            out.append(replace(one, **lost))
    return out


def read(value: Any, reader: str, env: Env, axis: Any = None) -> Any:
    """Return a property of a value, such as its ``start``; every property of none is none."""
    match value:
        case None:
            return None
        case TrueFact():
            return _of_fact(value, reader, env, axis)
        case Rect():
            return _of_box(value, reader)
        case dict():
            return value[reader]
        case Interval() if reader == "procedure":
            shown = env.relation.recordings[env.world.video].procedure
            return env.relation.codes.code(operation(shown))
        case Interval():
            return _of_span(value, reader)
        case tuple() | list():
            if reader == "size":
                return len(value)
            if not value:
                raise Undefined
            return value[0 if reader == "first" else -1]
    return value


def _of_fact(fact: TrueFact, reader: str, env: Env, axis: Any) -> Any:
    match reader:
        case "start":
            return fact.s
        case "end":
            return fact.e
        case "length":
            return fact.e - fact.s
        case "middle":
            return (fact.s + fact.e) // 2
        case "track":
            return fact
        case "value":
            return fact.value
        case "box":
            return box_of(fact, fact.s, env)
        case "centre":
            x, y = box_of(fact, fact.s, env).centre
            return x if env.relation.codes.name(axis) == "horizontal" else y
        case "act":
            names = env.relation.codes
            parts = (names.name(fact.verb), names.name(fact.target))
            return names.code(",".join(filter(None, parts)))
    code = getattr(fact, reader)
    return None if code == -1 else code


def _of_span(span: Interval, reader: str) -> int:
    if reader in ("start", "end"):
        return span.a if reader == "start" else span.b
    if span.a >= span.b:
        raise Undefined
    return span.b - span.a if reader == "length" else (span.a + span.b) // 2


def _of_box(box: Rect, reader: str) -> Any:
    x, y = box.centre
    if reader == "area":
        return (box.x2 - box.x1) * (box.y2 - box.y1)
    return {"x": x, "y": y, "centre": Rect(x, y, x, y)}[reader]


def box_at(thing: Any, at: int | None, env: Env) -> Rect | None:
    """Return the box of a fact or track at a time; at the fact's start if ``at`` is None."""
    if thing is None or isinstance(thing, Rect):
        return thing
    return box_of(thing, thing.s if at is None else at, env)


def box_of(fact: TrueFact, at: int, env: Env) -> Rect:
    """Return the annotated box of a fact's instance; undefined if there is none at that time."""
    names, track = env.relation.codes, fact.track
    if track == -1:  # a class whose instances are not distinguished
        track = names.known(region_track(names.name(fact.kind), names.name(fact.label)))
    found = env.world.boxes.get((track, at))
    if found is None:
        raise Undefined
    return found


@cache
def definition_of(op: str) -> Callable[[Call, Env], Any]:
    """Return the function that defines an operator."""
    return form(op, "naive")


def operands(nodes: Iterable[Node], env: Env) -> list[Any]:
    """Return the values of expressions; all None if one is None, even if another is undefined."""
    nodes, out, undefined = list(nodes), [], False
    for node in nodes:
        try:
            out.append(env.ev(node))
        except Undefined:
            undefined = True
    if any(one is None for one in out):
        return [None for _ in nodes]
    if undefined:
        raise Undefined
    return out


def members(facts: list[TrueFact], name: str, env: Env) -> tuple[int, ...]:
    """Return the different values of a field, sorted by id; undefined if a fact has no track."""
    if name == "track":
        if any(one.track == -1 for one in facts):
            raise Undefined
        return tuple({one.track for one in facts})
    codes = {read(one, name, env) for one in facts} - {None}
    return tuple(sorted(codes, key=env.relation.codes.name))


def elements(main: Any, env: Env) -> list[Any]:
    """Return the elements of a collection or a written list, except those that are none."""
    found = [env.ev(node) for node in main] if isinstance(main, tuple) else env.ev(main)
    return [one for one in found if one is not None]


def ahead(call: Call, env: Env, sign: int) -> Any:
    """Return the element with the greatest (``sign`` -1: the least) value; undefined for a tie.

    If facts start within the argument ``same`` of each other, only the earliest counts.
    """
    found, same = elements(call.get("of"), env), call.get("same")
    alias = str(call.get("as", "it"))
    values = [
        (sign * env.inside(**{alias: one}).ev(call.get("by")), i) for i, one in enumerate(found)
    ]
    if not values:
        if isinstance(call.get("of"), Pattern) and call.get("of").or_none:
            return None
        raise Undefined
    top = max(value for value, _ in values)
    best = [i for value, i in values if value == top]
    if same is not None and isinstance(found[best[0]], TrueFact):
        first = found[best[0]].s
        best = [i for i in best if i == best[0] or not 0 < found[i].s - first <= same.low]
    if len(best) != 1:
        raise Undefined
    return found[best[0]]
