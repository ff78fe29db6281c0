"""Every word, number, time and box of a row changed in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import orjson

from tests.transforms.checks.proof.made import text_of
from transforms.checks.proof.prove import problems
from transforms.checks.proof.rows import Asked, read_row
from transforms.language.program import Program

TEXTS = ("question", "answer", "knowledge", "clue", "context")
JSON = ("slots", "answer_value", "rule_args")
NUMBERS = ("start_us", "end_us", "query_us")


@dataclass(frozen=True)
class Forged(Asked):
    """A changed row that findings are told of by what was changed."""

    tag: str = ""

    @property
    def id(self) -> str:
        return self.tag


def noticed(
    con: duckdb.DuckDBPyConnection, program: Program, row: dict[str, Any]
) -> tuple[set[str], set[str]]:
    """(all changes of a row, those that something is found of); of no chain."""
    every, found, read = set(), set(), []
    for tag, other in changes(row):
        every.add(tag)
        one = read_row(program, other)
        if isinstance(one, Asked):
            read.append(Forged(**vars(one), tag=tag))
        else:
            found.add(tag)
    return every, found | {tag for tag, _, _ in problems(con, program, read)}


def changes(row: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(what is changed, the row with it)."""
    for name in TEXTS:
        for k, text in _words(row[name] or ""):
            yield f"{name}.{k}", {**row, name: text}
    for k, line in enumerate(row["reasoning"] or ()):
        for j, text in _words(line):
            lines = [*row["reasoning"][:k], text, *row["reasoning"][k + 1 :]]
            yield f"reasoning.{k}.{j}", {**row, "reasoning": lines}
    for name in NUMBERS:
        if row[name] is not None:
            yield name, {**row, name: row[name] + 1_000_000}
    for name in JSON:
        for path, value in _leaves(orjson.loads(row[name])):
            yield f"{name}.{path}", {**row, name: text_of(value)}
    for k, check in enumerate(row["checks"] or ()):
        for field, value in check.items():
            checks = [*row["checks"][:k], {**check, field: _other(value)}, *row["checks"][k + 1 :]]
            yield f"checks.{k}.{field}", {**row, "checks": checks}
    yield from _of_options(row)


def _of_options(row: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    options: Sequence[dict[str, Any]] = row["options"] or ()
    for k, option in enumerate(options):
        texts = [("text", text) for _, text in _words(option["text"])]
        values = [("value", text_of(v)) for _, v in _leaves(orjson.loads(option["value"]))]
        for j, (field, value) in enumerate([*texts, *values, ("kind", "forged")]):
            others = [*options[:k], {**option, field: value}, *options[k + 1 :]]
            yield f"options.{k}.{j}.{field}", {**row, "options": others}


def _words(text: str) -> Iterator[tuple[int, str]]:
    """The text with one word in the place of each in turn."""
    words = text.split(" ")
    for k, word in enumerate(words):
        if word:
            other = "forged" if not word[:1].isdigit() else "7" + word
            yield k, " ".join([*words[:k], other, *words[k + 1 :]])


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """The value with one of its parts changed, for each in turn."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from ((f"{key}.{p}", {**value, key: v}) for p, v in _leaves(one))
    elif isinstance(value, list):
        for k, one in enumerate(value):
            yield from ((f"{k}.{p}", [*value[:k], v, *value[k + 1 :]]) for p, v in _leaves(one))
    else:
        yield "", _other(value)


def _other(value: Any) -> Any:
    if value is None:
        return "hook"
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return value + 0.01 if isinstance(value, float) else f"{value}_forged"
