"""Mutants of a source file: one comparison, limit or boundary another, in Python or in its SQL."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

TURNED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
IN_SQL = {"<=": "<", ">=": ">", "<": "<=", ">": ">=", "<>": "=", "=": "<>"}
SQL = re.compile(r"\b(select|where|join|case when|having|order by)\b")
SIGNS = re.compile(r"<=|>=|<>|->>|->|<|>|=")
WORDS_IN_SQL = {" and ": " or ", " or ": " and ", "min(": "max(", "max(": "min("}


@dataclass(frozen=True)
class Mutant:
    """One change of a file.

    Attributes:
        number: of the place among all places of the file.
        line: of the file, from 1; ``text``: as it stands there.
        what: what stands there, and what instead.
    """

    path: str
    number: int
    line: int
    what: str
    text: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.what}"


def mutants(path: str, source: str) -> list[Mutant]:
    """All mutants of a file."""
    lines = source.splitlines()
    return [Mutant(path, k, line, what, lines[line - 1].strip()) for k, (line, what, _) in
            enumerate(_places(ast.parse(source)))]  # fmt: skip


def mutated(source: str, mutant: Mutant) -> ast.Module:
    """The file's tree with one mutant in it."""
    tree = ast.parse(source)
    for number, (_, _, change) in enumerate(_places(tree)):
        if number == mutant.number:
            change()
            return ast.fix_missing_locations(tree)
    raise ValueError(f"{mutant} is no place of the file")


def _places(tree: ast.Module) -> Iterator[tuple[int, str, Callable[[], None]]]:
    """(line, what is changed, what changes it) of every place, in the file's order.

    What changes a place is called before the next one is asked for, or not at all.
    """
    skipped = {id(one) for one in _unread(tree)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        match node:
            case ast.Compare(ops=ops):
                for k, op in enumerate(ops):
                    if type(op) in TURNED:
                        yield node.lineno, _named(op), _in_list(ops, k, TURNED[type(op)]())
            case ast.BoolOp(op=op) | ast.BinOp(op=op) if type(op) in TURNED and not _texts(node):
                yield node.lineno, _named(op), _attribute(node, "op", TURNED[type(op)]())
            case ast.Call(func=ast.Name(id=name) as func) if name in NAMES:
                yield node.lineno, f"{name} -> {NAMES[name]}", _attribute(func, "id", NAMES[name])
            case ast.If(test=test) | ast.IfExp(test=test) if isinstance(test, ast.Name | ast.Call):
                yield node.lineno, "not", _attribute(node, "test", ast.UnaryOp(ast.Not(), test))
            case ast.Constant(value=value):
                for what, other in _constants(value):
                    yield node.lineno, what, _attribute(node, "value", other)


def _unread(tree: ast.Module) -> Iterator[ast.AST]:
    """What no verdict depends on: annotations, texts that stand alone, what messages show, and
    whether rows of one table are asserted to be equally long."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        for name in ("annotation", "returns", "type_comment"):
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                yield from ast.walk(part)
        if isinstance(node, ast.FormattedValue):
            yield from ast.walk(node)
        if isinstance(node, ast.keyword) and node.arg == "strict":
            yield node.value


def _texts(node: ast.AST) -> bool:
    """Whether texts are joined, which have no less and no more."""
    sides = [getattr(node, side, None) for side in ("left", "right")]
    return any(isinstance(one, ast.JoinedStr) or isinstance(one, ast.Constant)
               and isinstance(one.value, str) for one in sides)  # fmt: skip


def _constants(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, bool):
        yield f"{value} -> {not value}", not value
    elif isinstance(value, int):
        yield f"{value} -> {value + 1}", value + 1
    elif isinstance(value, float):
        other = value * 1.25 if value else 0.25
        yield f"{value} -> {other}", other
    elif isinstance(value, str) and SQL.search(value):
        for found in SIGNS.finditer(value):
            sign = found[0]
            if sign in IN_SQL:
                text = value[: found.start()] + IN_SQL[sign] + value[found.end() :]
                yield f"SQL {_around(value, found.start())} -> {IN_SQL[sign]}", text
        for word, other in WORDS_IN_SQL.items():
            for found in re.finditer(re.escape(word), value):
                text = value[: found.start()] + other + value[found.end() :]
                yield f"SQL {_around(value, found.start())} -> {other.strip()}", text


def _around(text: str, at: int) -> str:
    return repr(" ".join(text[max(at - 12, 0) : at + 14].split()))


def _named(op: ast.AST) -> str:
    return f"{type(op).__name__} -> {TURNED[type(op)].__name__}"


def _attribute(node: ast.AST, name: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, name, value)


def _in_list(many: list, k: int, value: object) -> Callable[[], None]:
    return lambda: many.__setitem__(k, value)
