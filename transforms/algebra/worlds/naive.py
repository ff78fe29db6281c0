"""What a program gives in one world: the definition, one fact after the other."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from transforms.algebra.tree import Between, Call, Const, FieldTest, Name, Node, Pattern, Read
from transforms.algebra.worlds.world import FIELDS, TrueFact, World
from transforms.timeline.relation import Relation


class Undefined(Exception):
    """There is no such value in this world: a tie, an empty window, a first of nothing."""


@dataclass(frozen=True, slots=True)
class Span:
    """[a, b), microseconds of the common axis."""

    a: int
    b: int


@dataclass(frozen=True)
class Env:
    """One filling in one world.

    Attributes:
        names: name -> int (time, duration, code), float, bool, :class:`Span`, TrueFact, None for
            none, tuple of codes for sets and sequences.
    """

    relation: Relation
    world: World
    names: dict[str, Any] = field(default_factory=dict)

    def inside(self, **names: Any) -> Env:
        """With further names."""
        return replace(self, names={**self.names, **names})

    def ev(self, node: Node) -> Any:
        """The value of a node.

        Raises:
            Undefined: it has none here.
        """
        match node:
            case Const():
                return self._constant(node)
            case Name():
                return self.names[node.name]
            case Read():
                return read(self.ev(node.base), node.reader, self)
            case Between():
                return Span(self.ev(node.start), self.ev(node.end))
            case Pattern():
                return self.select(node)
            case _:
                return definition_of(node.op)(node, self)

    def _constant(self, node: Const) -> Any:
        name = node.type.name
        if name in ("duration", "number", "instant", "none"):
            return node.value
        return self.relation.codes.code(str(node.value))

    def select(self, pattern: Pattern) -> list[TrueFact]:
        """The facts of a pattern, by start."""
        ref = span_of(
            self.names["window"] if pattern.reference is None else self.ev(pattern.reference)
        )
        if pattern.source is not None:
            facts = self.ev(pattern.source)
        else:
            kinds = set(self.relation.kind_codes(pattern.kinds))
            facts = [one for one in self.world.facts if one.kind in kinds]
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

    def _passes(self, fact: TrueFact, test: FieldTest) -> bool:
        values = [self.ev(node) for node in test.values]
        codes = [-1 if v is None else v.track if isinstance(v, TrueFact) else v for v in values]
        return (getattr(fact, test.name) in codes) != test.negated


RELATIONS: dict[str, Callable[[TrueFact, Span, int], bool]] = {
    "at": lambda f, r, d: f.s < r.b and f.e > r.a,
    "overlaps": lambda f, r, d: f.s < r.b and f.e > r.a,
    "throughout": lambda f, r, d: f.s <= r.a and f.e >= r.b,
    "inside": lambda f, r, d: f.s >= r.a and f.e <= r.b,
    "starts_in": lambda f, r, d: r.a <= f.s < r.b,
    "ends_in": lambda f, r, d: r.a <= f.e < r.b,
    "before": lambda f, r, d: f.e <= r.a,
    "after": lambda f, r, d: f.s >= r.b,
    "meets": lambda f, r, d: abs(f.e - r.a) <= d,
}  # fmt: skip


def span_of(value: Any) -> Span:
    """A reference as a stretch that is not empty."""
    if isinstance(value, TrueFact):
        return Span(value.s, value.e)
    if isinstance(value, int):
        return Span(value, value + 1)
    if value is None or value.a >= value.b:
        raise Undefined
    return value


def merged(facts: list[TrueFact], keys: tuple[str, ...], gap: int) -> list[TrueFact]:
    """Facts equal in these fields that touch, as one each."""
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


def read(value: Any, reader: str, env: Env) -> Any:
    """What a value tells of itself; any reader of none is none."""
    if value is None:
        return None
    if isinstance(value, TrueFact):
        match reader:
            case "start":
                return value.s
            case "end":
                return value.e
            case "length":
                return value.e - value.s
            case "track":
                return value
            case "act":
                names = env.relation.codes
                parts = (names.name(value.verb), names.name(value.target))
                return names.code(",".join(filter(None, parts)))
            case _:
                code = getattr(value, reader)
                return None if code == -1 else code
    if isinstance(value, Span):
        if reader in ("start", "end"):
            return value.a if reader == "start" else value.b
        if value.a >= value.b:
            raise Undefined
        return value.b - value.a if reader == "length" else (value.a + value.b) // 2
    if isinstance(value, tuple | list):
        if reader == "size":
            return len(value)
        if not value:
            raise Undefined
        return value[0 if reader == "first" else -1]
    return value


@cache
def definition_of(op: str) -> Callable[[Call, Env], Any]:
    """The definition of an operator."""
    return importlib.import_module(f"transforms.algebra.operators.{op}.naive").naive


def members(facts: list[TrueFact], name: str, env: Env) -> tuple[int, ...]:
    """The different values of a field, by id."""
    codes = {read(one, name, env) for one in facts} - {None}
    return tuple(sorted(codes, key=env.relation.codes.name))


def ahead(call: Call, env: Env, sign: int) -> Any:
    """The element with the greatest (or least) value; a tie has none."""
    found = env.ev(call.get("of"))
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
    if len(best) != 1:
        raise Undefined
    return found[best[0]]
