"""Parse one YAML file to the templates in it, and collect its mistakes (findings)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import orjson

from surgqa.ontology.errors import UserError
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.yaml import YamlText, read_yaml
from surgqa.transforms.algebra.tree import NOWHERE, Call, Node, Step
from surgqa.transforms.language.arguments import known_keys
from surgqa.transforms.language.context import BROKEN, RESERVED, ParseContext, Scope
from surgqa.transforms.language.cost import MOST, cost_of
from surgqa.transforms.language.drawing import draw_of, rounds_of
from surgqa.transforms.language.findings import Finding, blocking
from surgqa.transforms.language.lint import lint
from surgqa.transforms.language.program import READINGS, Program, Stage, Unit
from surgqa.transforms.language.questions import QUESTION_KEYS, question, stages
from surgqa.transforms.language.resolve import conditions, is_broken, value
from surgqa.transforms.language.shared import SharedBlocks, filled, variants_of
from surgqa.transforms.language.sight import mode_and_checks
from surgqa.transforms.language.units import before_now, kind_of, scope_of, split_names, unit_of
from surgqa.transforms.language.vocab import every_concept

if TYPE_CHECKING:
    from surgqa.transforms.language.examples import Example

SCHEMA = "question/v1"
HEAD = ("schema", "id", "version", "title", "benchmark", "task")
FILE_KEYS = (
    *HEAD, "status", "changes", "profiles", "reading", "scorer", "unit", "let", "where", "draw",
    "show", "rounds", *QUESTION_KEYS, "stages", "variants", "examples",
)  # fmt: skip
PROFILES = ("paper", "current")

Sound = Callable[[Any], bool]


def _like(pattern: str) -> Sound:
    shape = re.compile(pattern)
    return lambda found: isinstance(found, str) and shape.fullmatch(found) is not None


def _texts_by_version(found: Any) -> bool:
    return isinstance(found, dict) and all(
        type(key) is int and isinstance(text, str) for key, text in found.items()
    )


HEAD_VALUES: Mapping[str, tuple[Sound, str, str]] = {
    "schema": (lambda found: found == SCHEMA, f"expected {SCHEMA!r}, found {{found!r}}", ""),
    "version": (lambda found: type(found) is int and found > 0,
                "a whole number from 1 is expected, found {found!r}", ""),
    "id": (_like(r"[a-z0-9_]+(\.[a-z0-9_]+)+"), "{found!r} does not have the form of 'id'",
           "such as 'mine.example'"),
    "task": (_like(r"[a-z0-9_]+(/[a-z0-9_]+)?"), "{found!r} does not have the form of 'task'",
             "such as 'core/example'"),
    "status": (lambda found: found in ("active", "retired"),
               "'active' or 'retired' is expected, found {found!r}", ""),
    "reading": (lambda found: found in READINGS,
                "'worlds' or 'labels' is expected, found {found!r}", ""),
    "profiles": (lambda found: isinstance(found, list), "a list is expected",
                 "write '[paper, current]'"),
    "changes": (_texts_by_version, "a text for each version is expected",
                "write '{2: what changed and why}'"),
}  # fmt: skip
"""Key at the top of a file -> test of its value, message if it fails, suggestion."""


@dataclass
class ProgramParser:
    """Parser of one file.

    Attributes:
        path, text: the file's name as messages show it, and its content.
        with_examples: True to read the examples too. A build does not need them, and reading them
            doubles the time.
    """

    path: str
    text: str
    shared: SharedBlocks = field(default_factory=SharedBlocks)
    with_examples: bool = True
    findings: list[Finding] = field(default_factory=list)
    source: YamlText = field(default_factory=lambda: YamlText({}, {}))

    def fields(self) -> dict[str, dict[str, Any]]:
        """Return the fields of each template by id, with variants and shared blocks inserted."""
        return {str(one.data.get("id")): one.data for one in self._templates()}

    def parse(self) -> list[Program]:
        """Return the parsed template, or one for each variant; add mistakes to :attr:`findings`."""
        out = []
        for one in self._templates():
            made = one.program()
            if made is not None:
                out.append(made)
            self.findings += [f for f in one.c.findings if f not in self.findings]
        return out

    def _templates(self) -> Iterator[_Template]:
        """Yield the file's templates, with shared blocks inserted; skip any that lack a key."""
        for one in self._variants():
            if not one.c.findings:
                one.data = self.shared.expand(one.data, one.c)
            if one.c.findings:
                self.findings += one.c.findings
            else:
                yield one

    def _variants(self) -> Iterator[_Template]:
        """Yield the template of the file, or one for each variant, with the variant's values."""
        c = ParseContext(self.path, self.text, YamlText({}, {}))
        data = self._read(c)
        c.name = str(data.get("id", self.path))
        for name, values in variants_of(data, c).items() if "variants" in data else ():
            one = ParseContext(self.path, self.text, c.source, f"{c.name}.{name}")
            fields, unused = filled(data, values, one)
            yield _Template(one, {**fields, "id": one.name}, name, unused)
        if "variants" not in data or c.findings:
            yield _Template(c, data, None, ())

    def _read(self, c: ParseContext) -> dict[str, Any]:
        """Return the file's fields; if the file cannot be read, record a mistake and return {}."""
        try:
            c.source = self.source = read_yaml(self.text, self.path)
        except UserError as error:
            place = [int(n) for n in str(error.where).split(":")[1:3]] or [1, 1]
            c.add("T101", (), f"{error.found}", place=(place[0], place[-1]))
            return {}
        if not isinstance(c.source.data, dict):
            c.add("T101", (), "the file is not a mapping of fields")
            return {}
        if not self.with_examples:
            c.source.data.pop("examples", None)
        return c.source.data


def _examples(c: ParseContext, *what: Any) -> tuple[Example, ...]:
    from surgqa.transforms.language.examples import examples  # imports pydantic

    return examples(c, *what)


@dataclass
class _Template:
    """One template of a file, with the values of its variant inserted."""

    c: ParseContext
    data: dict[str, Any]
    variant: str | None
    unused: tuple[str, ...]

    def program(self) -> Program | None:
        c, data = self.c, self.data
        self.head()
        let_data = data.get("let", {})
        if not isinstance(let_data, dict):
            c.add("T102", ("let",), "'let' is a mapping of names to steps", "write 'name: {…}'")
            return None
        kind = kind_of(c, data.get("unit"))
        let, scope, unit = self.let(kind, let_data)
        where = conditions(c, data["where"], ("where",), scope) if "where" in data else ()
        asked = self.questions(scope, unit)
        if not asked:
            return None
        answer = asked[0].answer[0][1].type if len(asked[0].answer) == 1 else None
        draw = draw_of(c, data.get("draw", {}), scope, answer)
        show = value(c, data["show"], ("show",), scope) if "show" in data else None
        rounds = rounds_of(c, data["rounds"], scope) if "rounds" in data else None
        shown = (
            _examples(c, data["examples"], scope, asked, self.variant) if "examples" in data else ()
        )
        cost = cost_of(let, unit)
        if cost > MOST:
            c.add("T119", ("let",), f"{cost} fillings for a unit, at most {MOST} can be tried",
                  "draw fewer names with 'each'", key=True)  # fmt: skip
        if blocking(c.findings):
            return None
        mode, checks = mode_and_checks(c, unit, let, asked, show)
        made = Program(
            id=str(data["id"]), version=data["version"], title=str(data["title"]),
            benchmark=data["benchmark"], task=data["task"],
            profiles=tuple(data.get("profiles", PROFILES)), status=data.get("status", "active"),
            unit=unit, let=let, where=where, draw=draw, stages=asked, show=show, rounds=rounds,
            kinds=tuple(sorted(c.kinds)), mode=mode, by_filling=checks, cost=cost, path=c.path,
            digest=_digest(data), variant=self.variant, unused_keys=self.unused,
            reading=data.get("reading", READINGS[0]), scorer=str(data.get("scorer", "")),
            scorer_at=c.place(("scorer",)) if "scorer" in data else NOWHERE,
            changes=dict(data.get("changes", {})),
        )  # fmt: skip
        lint(c, made, data)
        return None if blocking(c.findings) else replace(made, examples=shown)

    # -- the head -------------------------------------------------------------------------

    def head(self) -> None:
        """T102: check the keys that every template has, such as id, version and title."""
        c, data = self.c, self.data
        known_keys(c, data, (), FILE_KEYS)
        for key in (*HEAD, "unit"):
            if key not in data:
                c.add("T102", (), f"{key!r} is missing", f"add '{key}: …'")
        for key, (sound, expected, fix) in HEAD_VALUES.items():
            if key in data and not sound(data[key]):
                c.add("T102", (key,), expected.format(found=data[key]), fix)
        group, dot, _ = str(data.get("id")).partition(".")
        if dot and data.get("benchmark", group) != group:
            c.add("T102", ("benchmark",), f"{data['benchmark']!r} is not the first part of the id",
                  f"write 'benchmark: {group}', or change the id and the folder")  # fmt: skip
        profiles = data.get("profiles")
        for i, one in enumerate(profiles if isinstance(profiles, list) else ()):
            if one not in PROFILES:
                c.unknown("T102", ("profiles", i), f"no profile {one!r}", one, PROFILES)

    # -- let ------------------------------------------------------------------------------

    def let(self, kind: str, data: Mapping[Any, Any]) -> tuple[tuple[Step, ...], Scope, Unit]:
        """Return the steps of ``let``, the names after them, and what the question is about."""
        c = self.c
        scope = scope_of(kind)
        first = before_now(self.data.get("unit"), data)
        early = dict.fromkeys(("now", "window", "round"), "the query time depends on it")
        let: list[Step] = []
        for key, one in data.items():
            names = split_names(key)
            self.names(names, key, scope)
            inner = scope
            if set(names) & first:
                inner = replace(scope, forbidden=early, default="video")
            node = self.step_node(one, key, inner)
            if len(names) > 1:
                node = self.pair(node, names, key)
            let.append(Step(names, node, isinstance(node, Call) and node.op == "each"))
            scope = scope.adding(dict.fromkeys(names, node.type))
            self.clash(names, node, key)
        timed = replace(scope, forbidden=early) if kind in ("now", "stream") else scope
        drawn = {name: step.draws for step in let for name in step.names}
        unit = unit_of(c, self.data.get("unit"), kind, timed, drawn, first)
        return tuple(let), scope, unit

    def step_node(self, data: Any, key: Any, scope: Scope) -> Node:
        node = value(self.c, data, ("let", key), scope)
        if isinstance(node, Call) and node.get("unless") is not None:
            self.c.add("T117", ("let", key), "'unless' can only be used in pools of wrong options",
                       "write 'where'")  # fmt: skip
        return node

    def pair(self, node: Node, names: tuple[str, ...], key: Any) -> Node:
        """Return the expression of a step with two names: a pair that ``each`` draws."""
        if isinstance(node, Call) and node.op == "each" and len(names) == 2:
            return Call(node.type, node.op, (*node.args, ("pair", True)), node.place)
        if not is_broken(node):
            self.c.add("T102", ("let", key), "two names need a pair that 'each' draws",
                       "write 'one, other: {each: …}'", key=True)  # fmt: skip
        return BROKEN

    def names(self, names: tuple[str, ...], key: Any, scope: Scope) -> None:
        """T120: report names that are reserved, already used, or differ only in case."""
        known = {name.lower(): name for name in scope.names}
        for name in names:
            at = ("let", key)
            if not name.isidentifier():
                message = f"{name!r} cannot be a name"
                self.c.add("T102", at, message, "letters, digits and '_'", key=True)
            elif name in RESERVED:
                self.c.add("T120", at, f"{name!r} is a reserved word", "rename it", key=True)
            elif name.lower() in known or [n.lower() for n in names].count(name.lower()) > 1:
                other = known.get(name.lower(), name)
                message = f"{name!r} is declared twice" if other == name else (
                    f"{name!r} and {other!r} differ in case only")  # fmt: skip
                self.c.add("T120", at, message, "rename one", key=True)

    def clash(self, names: tuple[str, ...], node: Node, key: Any) -> None:
        """T120: report a label in ``let`` whose name is the id of a concept."""
        for name in names:
            if node.type.name == "label" and not is_broken(node) and name in every_concept():
                message = f"{name!r} is also the id of a concept"
                self.c.add("T120", ("let", key), message, "rename it", key=True)

    # -- questions ------------------------------------------------------------------------

    def questions(self, scope: Scope, unit: Unit) -> tuple[Stage, ...]:
        """Return the single question, or the stages of a chain."""
        c, data = self.c, self.data
        if "stages" in data:
            for name in QUESTION_KEYS:
                if name in data:
                    c.add("T102", (name,), f"{name!r} and 'stages' exclude one another", key=True)
            if unit.kind != "chain":
                fix = "write 'unit: {chain: …}'"
                c.add("T102", ("stages",), "only a chain has stages", fix, key=True)
            return stages(c, data["stages"], scope)
        if unit.kind == "chain":
            c.add("T102", ("unit",), "a chain has 'stages'", "add 'stages:'")
            return ()
        made = question(c, data, (), scope, ahead=unit.kind == "now")
        return (made,) if made.answer else ()


def _digest(data: Mapping[str, Any]) -> str:
    meaning = {key: value for key, value in data.items() if key != "examples"}
    return bytes_digest(
        orjson.dumps(meaning, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    )
