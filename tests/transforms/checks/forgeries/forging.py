"""Every forgery of a sealed output, one field each, and which of them ``check`` notices."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from surgqa.ontology.errors import UserError
from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.transforms.checks import CheckReport, check_output
from surgqa.transforms.language.program import Program
from tests.transforms.checks.forgeries import places
from tests.transforms.checks.forgeries.sealing import NAMES_AN_ITEM, Row, Sealed, renamed

Check = Callable[[Path], CheckReport]


def check_all(root: Path, roots: Mapping[str, Path] = MappingProxyType({})) -> CheckReport:
    """Check an output; where the first row shows that something is wrong, no others are read.

    Args:
        roots: dataset -> its folder: all pointers are followed into its files.
    """
    first = check_output(root, limit=1, roots=roots, every=True)
    return first if first.differences else check_output(root)


@dataclass(frozen=True)
class ForgedRow:
    """A row with another value in one place, named by the ids that follow from it."""

    place: str
    before: Row
    after: Row


@dataclass(frozen=True)
class Forgery:
    """An output with another value in one place: ``write`` puts it into a folder."""

    place: str
    write: Callable[[Path], None]


def forged_rows(sealed: Sealed, programs: Mapping[str, Program]) -> Iterator[ForgedRow]:
    """Each column of a row changed; columns of JSON in every leaf, of each template."""
    uses: Counter[str] = Counter()
    first = {row["template_id"]: row for row in reversed(sealed.rows)}
    for column in places.columns(ITEM):
        if column.split(".")[-1] in places.TEXTS_OF_JSON:
            for template, row in sorted(first.items()):
                for path in places.paths(row, column)[:1]:
                    yield from _json(programs[template], row, column, path)
            continue
        row = _row_with(sealed.rows, column, uses)
        if row is not None:
            uses[row["item_id"]] += 1
            path = places.paths(row, column)[0]
            value = places.other(places.at(row, path), places.kind_of(ITEM, column))
            yield _forged(programs[row["template_id"]], row, column, path, value)


def _json(program: Program, row: Row, column: str, path: places.Path) -> Iterator[ForgedRow]:
    text = places.at(row, path)
    for place, other in places.forged_json(text) if text else ():
        name = f"{column}:{program.id}:{place}"
        yield _forged(program, row, name, path, other)


def _forged(program: Program, row: Row, place: str, path: places.Path, value: Any) -> ForgedRow:
    after = places.put(row, path, value)
    named = str(path[0]) in NAMES_AN_ITEM and str(path[0]) != "template_id"
    return ForgedRow(f"row {place}", row, renamed(program, after) if named else after)


def _row_with(rows: list[Row], column: str, uses: Counter[str]) -> Row | None:
    """A row that has a value there, one that is changed nowhere else if there is any."""
    there = [row for row in rows if places.paths(row, column)]
    full = [row for row in there if places.at(row, places.paths(row, column)[0]) is not None]
    return min(full or there, key=lambda row: (uses[row["item_id"]], row["item_id"]), default=None)


def unnoticed_rows(
    sealed: Sealed, forged: list[ForgedRow], scratch: Path, check: Check = check_output
) -> list[str]:
    """Places of rows whose forgery nothing is found of.

    Forgeries of different rows lie in one output; what none of its findings names is checked again
    alone, as it may be found of another item or of the whole.
    """
    left = list(forged)
    missed: list[ForgedRow] = []
    while left:
        batch = {one.before["item_id"]: one for one in reversed(left)}
        left = [one for one in left if batch[one.before["item_id"]] is not one]
        to = scratch / "rows"
        sealed.with_rows(to, {name: one.after for name, one in batch.items()})
        found = {one.item_id for one in check(to).findings if one.severity == "error"}
        shutil.rmtree(to)
        missed += [one for one in batch.values() if one.after["item_id"] not in found]
    alone = [Forgery(one.place, lambda to, one=one: sealed.with_rows(
        to, {one.before["item_id"]: one.after})) for one in missed]  # fmt: skip
    return unnoticed(alone, scratch, check)


def unnoticed(forged: list[Forgery], scratch: Path, check: Check = check_all) -> list[str]:
    """Places whose forgery nothing is found of, each checked alone."""
    out = []
    for one in forged:
        to = scratch / "forged"
        one.write(to)
        try:
            fine = check(to).differences == 0
        except UserError:
            fine = False
        out += [one.place] if fine else []
        shutil.rmtree(to)
    return out


def forged_tables(sealed: Sealed) -> Iterator[Forgery]:
    """Each column of each table of ``evidence/``, in a row that has a value there.

    It is one of the video that has the most items, of those that have a value.
    """
    items = Counter((row["dataset"], row["video_id"]) for row in sealed.rows)
    for name, schema in EVIDENCE_TABLES.items():
        rows = sealed.tables[name]
        for column in places.columns(schema):
            there = [row for row in rows if places.paths(row, column)]
            full = [r for r in there if places.at(r, places.paths(r, column)[0]) is not None]
            if there:
                most = max(items[row["dataset"], row["video_id"]] for row in full or there)
                asked = [row for row in full or there
                         if items[row["dataset"], row["video_id"]] == most]  # fmt: skip
                row = asked[len(asked) // 2]
                other = _changed(row, column, schema)
                new = [other if one is row else one for one in rows]
                yield Forgery(f"{name}.{column}", lambda to, name=name, new=new:
                              sealed.with_table(to, name, new))  # fmt: skip


def _changed(row: Row, column: str, schema: pa.Schema) -> Row:
    path = places.paths(row, column)[0]
    value = places.other(places.at(row, path), places.kind_of(schema, column))
    return places.put(row, path, value)


def forged_manifests(sealed: Sealed) -> Iterator[Forgery]:
    """Each entry of the manifest; of names of templates and files one of each kind."""
    seen = set()
    for path in places.leaves_of(sealed.manifest):
        place = places.shape(path)
        if place not in seen:
            seen.add(place)
            leaf = places.at(sealed.manifest, path)
            value = ["forged"] if leaf in ([], {}) else places.other(leaf)
            yield Forgery(f"manifest {place}", lambda to, path=path, value=value:
                          sealed.with_manifest(to, path, value))  # fmt: skip


CODE = b'"code":"'


def forged_files(sealed: Sealed) -> Iterator[Forgery]:
    """A figure or letter of each other file: in its middle, in no comment; a reject's code."""
    for path in sealed.files:
        data = bytearray((sealed.root / path).read_bytes())
        code = data.find(CODE) + len(CODE) if path.endswith(".jsonl") else len(data) // 2
        k = next(i for i in range(code, len(data)) if chr(data[i]).isalnum()
                 and not data[data.rfind(b"\n", 0, i) + 1 :].startswith(b"#"))  # fmt: skip
        data[k] = ord("7") if data[k] != ord("7") else ord("3")
        yield Forgery(f"file {path}", lambda to, path=path, data=bytes(data):
                      sealed.with_file(to, path, data))  # fmt: skip
