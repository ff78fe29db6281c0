"""Read patterns, which select facts by their kinds, by their fields and by a relation in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.kinds import kind, kind_names
from surgqa.transforms.algebra.signature import MERGED, Param, merged_away
from surgqa.transforms.algebra.tree import RELATIONS, FieldTest, Name, Node, Pattern
from surgqa.transforms.algebra.types import INSTANT, RECORD, VIDEO, Type, element, fields_of, many
from surgqa.transforms.language.arguments import read
from surgqa.transforms.language.context import (
    DEEPEST,
    At,
    ParseContext,
    Scope,
    nearest,
    one_or_more,
)
from surgqa.transforms.language.resolve import expression, fitting, is_broken, labelled

TESTS = ("label", "subject", "verb", "target", "track", "act", "rater")
SETTINGS = {
    "within": Param("duration", "For `meets`: greatest distance between the two borders."),
    "merge": Param("fields", "Facts that touch and agree in these fields become one."),
    "gap": Param("duration", "Longest gap that `merge` closes."),
    "cut": Param("value", "The stretch to which facts are cut.", ("stretch", "fact", "video")),
    "at_least": Param("duration", "Least length of the fact."),
    "at_most": Param("duration", "Greatest length of the fact."),
    "where": Param("condition", "A condition on the fact, `it`.", binds=True),
    "or": Param("choice", "`none`: the value is none if no fact matches.", choices=("none",)),
}  # fmt: skip
PATTERN_KEYS = {
    **dict.fromkeys(TESTS, Param("test", "A field of the pattern.")),
    **dict.fromkeys(RELATIONS, Param("when", "A relation in time of the pattern.")), **SETTINGS,
}  # fmt: skip

_WHEN: Mapping[str, tuple[str, ...]] = {
    "at": ("instant",),
    **dict.fromkeys(RELATIONS[1:], ("fact", "stretch", "video", "instant", "stage")),
}
"""Relation in time -> types of the value that facts are compared with."""

MANY = ("facts", "set", "sequence", "stretches")
"""Types whose values are collections."""


def is_pattern(main: Any, scope: Scope) -> bool:
    """True if the main argument of an operator names kinds of facts, not values of ``let``."""
    if isinstance(main, list):
        heads = [str(one).partition(".")[0] for one in main]
        return any(head in kind_names() and head not in scope.names for head in heads)
    if not isinstance(main, str):
        return False
    head = main.partition(".")[0]
    if head in scope.names:
        known = scope.names[head]
        return known.name == "facts" or (head in kind_names() and known.name not in MANY)
    return head.isidentifier()


def pattern(
    c: ParseContext,
    main: Any,
    args: Mapping[str, Any],
    at: At,
    main_at: At,
    scope: Scope,
    alias: str,
) -> tuple[Pattern, Type] | None:
    """Return a pattern and the type of the facts it selects; None, with findings, after a mistake.

    Args:
        main: kinds of facts, ``kind.field``, or a name of ``let`` that stands for facts.
        args: values of those keys of :data:`PATTERN_KEYS` that are written.
        at, main_at: paths in the file of the step and of its main argument.
    """
    if scope.depth > DEEPEST:
        message = f"patterns are nested more than {DEEPEST} deep"
        c.add("T102", main_at, message, "name the inner one")
        return None
    head = _head(c, main, main_at, scope)
    if head is None:
        return None
    kinds, source, field = head
    one = Type("fact", "|".join(kinds)) if source is None else element(source.type)
    gives = _field(c, one, field, main_at) if field else one
    if gives is None:
        return None
    relation, reference = _relation(c, args, at, scope, one)
    settings = _settings(c, args, at, scope, one, alias)
    lost = merged_away([field] if field else [], settings.get("merge", ()))
    if lost:
        c.add("T117", main_at, lost, f"add {field!r} to 'merge'", key=True)
    made = Pattern(
        type=many("set", gives) if field else Type("facts", one.of),
        kinds=kinds, source=source, field=field,
        tests=_tests(c, args, at, scope, one), relation=relation, reference=reference,
        alias=alias, place=c.place(main_at), **settings,
    )  # fmt: skip
    return made, gives


def _head(
    c: ParseContext, main: Any, at: At, scope: Scope
) -> tuple[tuple[str, ...], Name | None, str] | None:
    words = main if isinstance(main, list) else [main]
    if not words or not all(isinstance(word, str) for word in words):
        c.add("T102", at, f"a kind of fact is expected, found {main!r}", "such as 'instrument'")
        return None
    heads = [word.partition(".") for word in words]
    fields = {reader for _, _, reader in heads}
    if len(fields) > 1 or any("." in reader for reader in fields):
        c.add("T102", at, f"kinds of one field are expected, found {main!r}", "write kind.field")
        return None
    first = heads[0][0]
    if len(words) == 1 and first in scope.names and scope.names[first].name in MANY:
        if first in kind_names():
            c.add("T120", at, f"{first!r} is a name and a kind of fact", "rename it")
            return None
        c.used.add(first)
        if scope.names[first].name != "facts":
            c.mismatch(at, ("facts", "a kind of fact"), scope.names[first], scope, c.place(at))
            return None
        return (), Name(scope.names[first], first, c.place(at)), heads[0][2]
    kinds = tuple(word for word, _, _ in heads)
    return (kinds, None, fields.pop()) if all(known_kind(c, k, at, scope) for k in kinds) else None


def known_kind(c: ParseContext, name: str, at: At, scope: Scope) -> bool:
    """True for a kind of fact that is known, or that a user's table may contain."""
    if name in scope.names and name not in kind_names():
        known = scope.names[name]
        c.mismatch(at, ("facts", "set", "a kind of fact"), known, scope, c.place(at))
        return False
    near = nearest(name, kind_names(), alike=0.8) if name not in kind_names() else ""
    if near or not name.isidentifier():
        c.add("T106", at, f"no kind of fact {name!r}", near or "see docs: kinds")
        return False
    c.kinds.add(name)
    return True


def _field(c: ParseContext, one: Type, field: str, at: At) -> Type | None:
    known = {**fields_of(one.of), "start": INSTANT, "end": INSTANT}
    if one.name != "fact" or field not in known:
        c.unknown("T104", at, f"{one} has no field {field!r}", field, known, "fields")
        return None
    return known[field]


def _tests(
    c: ParseContext, args: Mapping[str, Any], at: At, scope: Scope, one: Type
) -> tuple[FieldTest, ...]:
    out = []
    known = fields_of(one.of)
    for name in TESTS:
        if name not in args:
            continue
        here = (*at, name)
        if name not in known:
            message = f"{one} has no field {name!r}"
            c.unknown("T104", here, message, name, known, "fields", key=True)
            continue
        data = args[name]
        negated = isinstance(data, dict) and set(data) == {"not"}
        if negated:
            data, here = data["not"], (*here, "not")
        nodes = [_tested(c, value, place, scope, known[name])
                 for value, place in one_or_more(data, here)]  # fmt: skip
        out.append(FieldTest(name, tuple(nodes), negated))
    return tuple(out)


def _tested(c: ParseContext, data: Any, at: At, scope: Scope, wanted: Type) -> Node:
    node = expression(c, data, at, scope)
    if is_broken(node):
        return node
    if wanted.name == "label":
        node = labelled(c, node, wanted.of, at)
    one = element(node.type) if node.type.name == "set" else node.type
    fine = one.fits(wanted)
    if not is_broken(node) and node.type.name != "none" and not fine:
        c.mismatch(at, (str(wanted),) if one.name == wanted.name else (wanted.name,), node.type,
                   scope, node.place)  # fmt: skip
    return node


def _relation(
    c: ParseContext, args: Mapping[str, Any], at: At, scope: Scope, one: Type
) -> tuple[str, Node | None]:
    given = [name for name in RELATIONS if name in args]
    if len(given) > 1:
        c.add("T102", (*at, given[1]), f"{given[0]!r} and {given[1]!r} exclude one another",
              "write one relation in time", key=True)  # fmt: skip
    if ("within" in args) != ("meets" in args):
        c.add("T102", at, "'meets' needs 'within', and only 'meets' takes it", "add 'within: 1 s'")
    if not given:
        timeless = one.of and all(kind(k).timeless for k in one.of.split("|"))
        video = scope.default == "video" and not timeless
        return "overlaps", Name(VIDEO, "video", c.place(at)) if video else None
    return given[0], fitting(c, args[given[0]], (*at, given[0]), scope, _WHEN[given[0]])


def _settings(
    c: ParseContext, args: Mapping[str, Any], at: At, scope: Scope, one: Type, alias: str
) -> dict[str, Any]:
    if "gap" in args and "merge" not in args:
        c.add("T102", (*at, "gap"), "'gap' says what 'merge' bridges", "add 'merge: [label]'",
              key=True)  # fmt: skip
    out = {
        **read(c, args, at, scope, {k: p for k, p in SETTINGS.items() if not p.binds},
               {"fields": lambda c, data, at, scope, param: fields(c, data, at, one)}),
        **read(c, args, at, scope.binding(alias, one), {"where": SETTINGS["where"]}),
    }  # fmt: skip
    if "merge" in out and "sample" in one.of.split("|"):
        c.add("T117", (*at, "merge"), "samples are instants, so no two of them touch",
              "leave out 'merge', or ask of the instrument", key=True)  # fmt: skip
    for name in set(out.get("merge", ())) - set(MERGED):
        c.add("T117", (*at, "merge"), f"facts are not merged by their {name}",
              f"write {', '.join(MERGED)}")  # fmt: skip
    return {"or_none" if key == "or" else key: key == "or" or made for key, made in out.items()}


LISTED = ("label", "track", "act", "rater")
"""Types of a fact's fields that an answer can report."""

EDGES = ("start", "end", "length", "start_box", "end_box")
"""More values of a fact that an answer can report: its start, end, length, first and last box."""


def fields(c: ParseContext, data: Any, at: At, one: Type) -> tuple[str, ...]:
    """Return the fields of each fact that an answer reports; facts of this type must have them."""
    names = one_or_more(data, at)
    known: tuple[str, ...] = ()
    if one.name == "fact":
        known = (*(n for n, of in fields_of(one.of).items() if of.name in LISTED), *EDGES)
    for name, here in names:
        if name not in known:
            c.unknown("T104", here, f"{one} has no field {name!r}", name, known, "fields")
    return tuple(str(name) for name, _ in names)


def taken(names: tuple[str, ...], one: Type) -> Type:
    """Return the type of a reported element: the type of its only field ``names``, or a record."""
    found = fields_of(one.of).get(names[0], RECORD) if len(names) == 1 else RECORD
    return found if found.name in ("label", "act") else RECORD
