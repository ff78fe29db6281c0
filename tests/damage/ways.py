"""Ways to damage a file: its bytes, its lines, or one value in what it holds."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from ruamel.yaml import YAML

from tests.readers.test_damage import RAW, TEXT
from tests.readers.test_mutations import VALUES

Way = Callable[[Random, bytes], bytes]

ODD: tuple[Any, ...] = (
    *VALUES.values(), [], {}, "", "x" * 5000, "\0", "\ud800", 2**63, -(2**63) - 1, 2**64, 10**4000,
    1e999, [[[[[1]]]]], {"a": {"b": None}}, [None, None], "1e999", "nan", "../../x", "/", "=1+1",
)  # fmt: skip
DEEP, WIDE = 3000, 100_000


def cut(draw: Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def flip(draw: Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8)) if data else 0):
        out[draw.randrange(len(out))] = draw.randrange(256)
    return bytes(out)


def lose(draw: Random, data: bytes) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + data[at + draw.choice((1, 2, 50, 4096)) :]


def insert(draw: Random, data: bytes) -> bytes:
    at = draw.randrange(len(data) + 1)
    signs = (b"\0", b"\xff", b"\n", b'"', b",", b"]", b"{", b"9" * 30)
    return data[:at] + draw.choice(signs) + data[at:]


def encoded(draw: Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(draw.choice(("utf-16", "utf-32", "utf-8-sig", "utf-7")))


def known(draw: Random, data: bytes) -> bytes:
    return RAW[draw.choice(list(RAW))](data)


BYTES: tuple[Way, ...] = (cut, flip, lose, insert, known)


def by_lines(draw: Random, data: bytes) -> bytes:
    lines = data.splitlines()
    if len(lines) < 4:
        return data + data
    return b"\n".join(TEXT[draw.choice(list(TEXT))](lines)) + b"\n"


def by_columns(draw: Random, data: bytes) -> bytes:
    """Two columns change places, or one goes, or one cell is something else."""
    lines = data.decode("utf-8", "replace").splitlines()
    if not lines:
        return b"\n"
    between = max(",;\t |", key=lines[0].count)
    rows = [line.split(between) for line in lines]
    a, b = (draw.randrange(max(map(len, rows))) for _ in range(2))
    how = draw.randrange(3)
    for row in rows if how < 2 else [draw.choice(rows)]:
        if how == 0 and max(a, b) < len(row):
            row[a], row[b] = row[b], row[a]
        elif how == 1:
            del row[a : a + 1]
        elif a < len(row):
            row[a] = str(draw.choice(ODD)) if draw.random() < 0.7 else f"{row[a]}{row[a]}"
    return "\n".join(map(between.join, rows)).encode("utf-8", "replace")


TEXTS: tuple[Way, ...] = (*BYTES, encoded, by_lines, by_columns)


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """(parent, key or index) of every value."""
    inside = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in inside:
        yield tree, key
        if isinstance(value, dict | list):
            yield from places(value)


def change(draw: Random, tree: Any) -> tuple[Any, str | None]:
    """One value of a tree put in another's place; a text to stand for it, if it is too odd."""
    every = list(places(tree)) if isinstance(tree, dict | list) else []
    if not every:
        return draw.choice(ODD), None
    parent, key = draw.choice(every)
    how = draw.randrange(10)
    if how == 0:
        del parent[key]
    elif how == 1:
        other = draw.choice(every)
        parent[key] = deepcopy(other[0][other[1]]) if other[1] in _keys(other[0]) else None
    elif how == 2:
        parent[key] = [parent[key]] * draw.choice((1, 2, 40))
    elif how == 3 and isinstance(parent, dict):
        parent[draw.choice(("", "x", "0", f" {key}"))] = parent.pop(key)
    elif how == 4:
        parent[key] = "@@"
        return tree, draw.choice((
            "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, "[" + "[]," * WIDE + "1]",
            '["' + '","'.join(map(str, range(20_000))) + '"]', "9" * 5000, "-1e999", "[" * DEEP,
        ))  # fmt: skip
    else:
        parent[key] = draw.choice(ODD)
    return tree, None


def _keys(tree: Any) -> Any:
    return tree if isinstance(tree, dict) else range(len(tree))


def _written(tree: Any, instead: str | None) -> str:
    text = json.dumps(tree)
    return text.replace('"@@"', instead) if instead else text


def by_value(draw: Random, data: bytes) -> bytes:
    """A value of a JSON file, or of one of its lines."""
    lines = [line for line in data.splitlines() if line.strip()]
    try:
        if lines and len(lines) > 1 and lines[0].strip()[-1:] == b"}":
            k = draw.randrange(len(lines))
            lines[k] = _written(*change(draw, json.loads(lines[k]))).encode("utf-8", "replace")
            return b"\n".join(lines) + b"\n"
        return _written(*change(draw, json.loads(data))).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return flip(draw, data)


def by_setting(draw: Random, data: bytes) -> bytes:
    """A value of a YAML file, which is written as JSON again: that is YAML, too."""
    tree, instead = change(draw, YAML(typ="safe", pure=True).load(data.decode()))
    if draw.random() < 0.3:
        return _written(tree, instead).encode("utf-8", "replace")
    sink = io.StringIO()
    YAML(typ="safe", pure=True).dump(_plain(tree), sink)
    return sink.getvalue().replace("'@@'", instead or "").encode("utf-8", "replace")


def _plain(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _plain(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_plain(value) for value in tree]
    return tree.encode("utf-8", "replace").decode() if isinstance(tree, str) else tree


def by_table(draw: Random, data: bytes) -> bytes:
    """A column of a Parquet file."""
    table = pq.read_table(io.BytesIO(data))
    k = draw.randrange(table.num_columns)
    name, column = table.column_names[k], table.column(k)
    how = draw.randrange(7)
    if how == 0:
        table = table.remove_column(k)
    elif how == 1:
        table = table.rename_columns([f"{n}_" if n == name else n for n in table.column_names])
    elif how == 2:
        table = table.set_column(k, name, pa.nulls(len(table), column.type))
    elif how == 3:
        odd = draw.choice((pa.array(["x"] * len(table)), pa.array([2**62] * len(table)),
                           pa.array([float("nan")] * len(table)), pa.array([[1]] * len(table)),
                           pa.nulls(len(table))))  # fmt: skip
        table = table.set_column(k, name, odd)
    elif how == 4:
        table = pa.concat_tables([table, table.slice(0, 1)])
    elif how == 5:
        table = table.slice(0, draw.randrange(len(table) + 1))
    elif pa.types.is_string(column.type):
        texts = [t if t is None or draw.random() < 0.5
                 else by_value(draw, t.encode()).decode(errors="replace")
                 for t in column.to_pylist()]  # fmt: skip
        table = table.set_column(k, name, pa.array(texts, column.type))
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


STRUCTURED: dict[str, Way] = {".json": by_value, ".jsonl": by_value, ".journal": by_value,
                              ".yaml": by_setting, ".parquet": by_table}  # fmt: skip


def damaged(draw: Random, suffix: str, data: bytes) -> tuple[str, bytes]:
    """The name of the way that was drawn, and the damaged bytes."""
    ways: tuple[Way, ...] = BYTES if b"\0" in data[:4096] else TEXTS
    special = STRUCTURED.get(suffix)
    way = special if special and draw.random() < 0.6 else draw.choice(ways)
    return way.__name__, way(draw, data)
