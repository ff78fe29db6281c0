"""Read a step of a template: one operator with its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.signature import Param, Signature, signatures
from surgqa.transforms.algebra.tree import Call, Node
from surgqa.transforms.algebra.types import NUMBER, POINT, STRETCH, Type, element, many
from surgqa.transforms.language.arguments import ARGUMENTS, cases, duration, values
from surgqa.transforms.language.context import BROKEN, At, ParseContext, Scope, nearest
from surgqa.transforms.language.patterns import (
    MANY,
    PATTERN_KEYS,
    fields,
    is_pattern,
    pattern,
    taken,
)
from surgqa.transforms.language.resolve import conditions, fitting, is_broken, labelled

DRAWN = {"instant": Type("instant"), "stretch": STRETCH, "point": POINT}
"""Word that ``each`` can draw without a collection, such as ``instant`` -> its type."""

UNWRITTEN = ("compare", "arithmetic")
"""Operators that are written as signs, not by name."""


def step(c: ParseContext, data: Any, at: At, scope: Scope) -> Node:
    """Return the node of a step ``{operator: main, argument: value, …}``."""
    if not isinstance(data, dict) or not data:
        return c.add("T102", at, f"a step is one operator with its arguments, found {data!r}")
    name = next(iter(data))
    known = {key: one for key, one in signatures().items() if key not in UNWRITTEN}
    if name not in known:
        inside = [key for key in data if key in known]
        names = nearest(str(name), known, "operators", most=len(known))
        fix = f"write {inside[0]!r} first" if inside else names
        return c.add("T106", (*at, name), f"no operator named {name!r}", fix, key=True)
    if name == "each" and not (len(at) == 2 and at[0] == "let"):
        return c.add("T117", (*at, name), "'each' draws a name of 'let'",
                     "declare it there and write the name", key=True)  # fmt: skip
    return _Step(c, known[name], data, at, scope).call()


class _Step:
    def __init__(
        self, c: ParseContext, signature: Signature, data: Mapping[str, Any], at: At, scope: Scope
    ) -> None:  # fmt: skip
        self.c, self.signature, self.at, self.scope = c, signature, at, scope
        self.main = data[signature.name]
        self.main_at = (*at, signature.name)
        self.given = {key: value for key, value in data.items() if key != signature.name}
        self.alias = str(self.given.pop("as", "it"))
        self.args: dict[str, object] = {}
        self.types: dict[str, Type] = {}

    def call(self) -> Node:
        before = len(self.c.findings)
        found = self.main_argument()
        if found is None:
            return BROKEN
        main, one = found
        self.args["of"] = main
        self.parameters(one)
        refused = self.signature.refuses(self.args) if len(self.c.findings) == before else ""
        if refused:
            self.c.add("T117", self.main_at, refused, key=True)
        if len(self.c.findings) > before:
            return BROKEN
        if self.alias != "it":
            self.args["as"] = self.alias
        gives = self.signature.gives(one, self.types)
        if self.signature.name == "each" and "take" in self.args:
            gives = many("sequence", one)
        place = self.c.place(self.main_at, key=True)
        return Call(gives, self.signature.name, tuple(self.args.items()), place)

    # -- the main argument ----------------------------------------------------------------

    def main_argument(self) -> tuple[object, Type] | None:
        """Return the main argument, and the type of the values that the operator takes from it."""
        c, scope = self.c, self.scope
        self.known_keys()
        match self.signature.main.written:
            case "pattern":
                return self.pattern()
            case "collection":
                return self.collection()
            case "draws":
                return self.draws()
            case "conditions":
                return conditions(c, self.main, self.main_at, scope), Type("truth")
            case "cases":
                return cases(c, self.main, self.main_at, scope), Type("statement")
            case "values" | "pools":
                return values(c, self.main, self.main_at, scope, self.signature.main.types)
            case "value" | "condition" as written:
                node = ARGUMENTS[written](c, self.main, self.main_at, scope, self.signature.main)
                return None if is_broken(node) else (node, node.type)
            case written:
                made = ARGUMENTS[written](c, self.main, self.main_at, scope, self.signature.main)
                return made, getattr(made, "type", NUMBER)

    def known_keys(self) -> None:
        """T102: report keys that are arguments neither of the operator nor of a pattern."""
        allowed = [*self.signature.params]
        if self.takes_pattern():
            allowed += PATTERN_KEYS
        elif self.main == "stretch" and self.signature.name == "each":
            allowed.append("at_least")
        for key in list(self.given):
            if key not in allowed:
                message = f"{self.signature.name!r} has no argument {key!r}"
                at = (*self.at, key)
                self.c.unknown("T102", at, message, key, allowed, "arguments", key=True)
                del self.given[key]

    def takes_pattern(self) -> bool:
        if not self.signature.selects or (isinstance(self.main, str) and self.main in DRAWN):
            return False
        return self.signature.main.written == "pattern" or is_pattern(self.main, self.scope)

    def pattern(self) -> tuple[object, Type] | None:
        own = PATTERN_KEYS.keys() - self.signature.params.keys()
        args = {key: value for key, value in self.given.items() if key in own}
        found = pattern(self.c, self.main, args, self.at, self.main_at, self.scope, self.alias)
        if found and found[0].field and not self.signature.values:
            self.c.add("T117", self.main_at, f"{self.signature.name!r} takes facts, not a field",
                       f"name the values first: '{{set: {self.main}}}'", key=True)  # fmt: skip
        return found

    def collection(self) -> tuple[object, Type] | None:
        if is_pattern(self.main, self.scope):
            return self.pattern()
        wanted = self.signature.main.types
        if isinstance(self.main, list):
            return values(self.c, self.main, self.main_at, self.scope, wanted)
        node = fitting(self.c, self.main, self.main_at, self.scope, MANY)
        one = element(node.type)
        if not is_broken(node) and wanted and one.name not in wanted:
            self.c.mismatch(self.main_at, wanted, one, self.scope, node.place)
        return None if is_broken(node) else (node, one)

    def draws(self) -> tuple[object, Type] | None:
        if isinstance(self.main, str) and self.main in DRAWN:
            if "at_least" in self.given:
                here = (*self.at, "at_least")
                self.args["at_least"] = duration(self.c, self.given.pop("at_least"), here)
            return self.main, DRAWN[self.main]
        return self.collection()

    # -- the others -----------------------------------------------------------------------

    def parameters(self, one: Type) -> None:
        for key, param in self.signature.params.items():
            if key in self.given:
                self.parameter(key, param, one)
            elif param.required:
                message = f"{self.signature.name!r} needs {key!r}: {param.doc}"
                self.c.add("T102", self.main_at, message, key=True)

    def parameter(self, key: str, param: Param, one: Type) -> None:
        c, at, data = self.c, (*self.at, key), self.given[key]
        scope = self.scope.binding(self.alias, one) if param.binds else self.scope
        if param.written == "fields":
            names = fields(c, data, at, one)
            self.args["fields"], self.types["fields"] = names, taken(names, one)
            return
        made = ARGUMENTS[param.written](c, data, at, scope, param)
        if param.written == "values":
            key = "seen" if key == "of" else key
            made = tuple(labelled(c, node, one.of, at) for node in made)
        self.args[key], self.types[key] = made, getattr(made, "type", NUMBER)
