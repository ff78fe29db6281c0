"""Find the rows of ``evidence/`` and of the source files from which an item was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow.compute as pc
import pyarrow.parquet as pq

from surgqa.ontology.errors import OutputBroken, UnknownName, ValueInvalid
from surgqa.transforms.places import Place
from surgqa.transforms.store.folder import OutputFolder, decoded, readable

Row = Mapping[str, Any]

MIN_PREFIX = 6
"""Least number of characters of an item id that a user must give."""


@dataclass(frozen=True, slots=True)
class ItemTrace:
    """One item and its evidence.

    Attributes:
        item: the row of ``data/`` with ``answer_value`` and ``slots`` parsed.
        events: rows of ``evidence/events`` that the item refers to, and those whose box is in the
            answer, in time order, each once. An annotated instant without instruments is a row
            without a label.
        segments: rows of ``evidence/segments`` that the item refers to.
        others: rows of other tables, as for ``events``, by table.
        chain: if the item is one question of a chain: all questions of the chain, in order.
    """

    item: Row
    events: tuple[Row, ...]
    segments: tuple[Row, ...]
    others: tuple[Row, ...] = ()
    chain: tuple[Row, ...] = ()


SIDES = ("x1", "y1", "x2", "y2")
DIGITS = 6
"""Decimals of a box in an answer."""
IDS = {"segments": "segment_id", "regions": "region_id", "labels": "label_id",
       "moments": "moment_id"}  # fmt: skip
"""Other tables that items refer to -> the column with the row's id."""


def trace(folder: OutputFolder, item_id: str) -> ItemTrace:
    """Return an item with the rows of evidence that it refers to.

    Args:
        folder: a finished dataset.
        item_id: the id, or a unique beginning of it.

    Raises:
        UserError: no item or more than one item has such an id.
        OutputBroken: the item refers to a missing row.
    """
    item = find_item(folder, item_id)
    video = (item["dataset"], item["video_id"])
    pointers = item["evidence"] or []
    kinds = {pointer["kind"] for pointer in pointers}
    rows = folder.evidence_of("events", *video) if kinds - IDS.keys() else []
    tables = {name: folder.evidence_of(name, *video) for name in IDS if name in kinds}
    events: dict[str, Row] = {}
    named: dict[str, dict[str, Row]] = {name: {} for name in IDS}
    for pointer in pointers:
        kind = pointer["kind"]
        if kind in IDS:
            key = IDS[kind]
            found: list[Row] = [row for row in tables[kind] if row[key] == pointer["id"]]
            named[kind] |= {row[key]: row for row in found}
        else:
            found = list(_events(pointer, rows))
            events |= {row["event_id"]: row for row in found}
        # A track or window may have no rows in the interval, but a row's id must exist.
        if not found and kind in ("events", *IDS):
            raise _dangling(item, pointer)
    shown = decoded(item)
    events |= {row["event_id"]: row for row in _answering(shown, rows)}
    if "regions" in tables:
        named["regions"] |= {row["region_id"]: row for row in _answering(shown, tables["regions"])}
    ordered = sorted(events.values(), key=lambda row: (row["time_us"], row["event_id"]))
    segments = tuple(named.pop("segments").values())
    others = tuple(row for table in named.values() for row in table.values())
    return ItemTrace(shown, tuple(ordered), segments, others, _chain(folder, item))


def _chain(folder: OutputFolder, item: Row) -> tuple[Row, ...]:
    if not item["chain_id"]:
        return ()
    columns = ["chain_id", "stage", "item_id", "form", "start_us", "end_us", "question", "answer"]
    rows = (row for row in folder.rows(item["benchmark"], columns)
            if row["chain_id"] == item["chain_id"])  # fmt: skip
    return tuple(sorted(rows, key=lambda row: row["stage"]))


def find_item(folder: OutputFolder, item_id: str) -> dict[str, Any]:
    """Return the one row of ``data/`` whose id starts with ``item_id``; JSON columns are text.

    Raises:
        UserError: none or several, or fewer than :data:`MIN_PREFIX` characters given.
    """
    if len(item_id) < MIN_PREFIX:
        raise ValueInvalid(
            f"an item id needs at least {MIN_PREFIX} characters",
            expected="32 hexadecimal characters, or the first of them",
            found=item_id,
        )
    found: list[dict[str, Any]] = []
    for benchmark in folder.benchmarks():
        for shard in folder.shards(benchmark):
            found += _matching(shard, item_id)
    if len(found) == 1:
        return found[0]
    ids = sorted(row["item_id"] for row in found)
    if not found:
        raise UnknownName(
            f"no item is called {item_id}",
            where=str(folder.path),
            fix="take an item_id from data/, or from 'surgqa check' or 'surgqa diff'",
        )
    raise ValueInvalid(
        f"{len(ids)} items begin with {item_id}",
        found=", ".join(ids[:3]) + (", …" if len(ids) > 3 else ""),
        where=str(folder.path),
        fix="give more characters of the id",
    )


def _matching(shard: Place, item_id: str) -> list[dict[str, Any]]:
    if shard.suffix == ".parquet":
        low, high = item_id, item_id + "\x7f"
        condition = (pc.field("item_id") >= low) & (pc.field("item_id") <= high)
        return pq.read_table(readable(shard), filters=condition).to_pylist()
    with shard.open("rb") as lines:
        rows = (orjson.loads(line) for line in lines)
        return [row for row in rows if row["item_id"].startswith(item_id)]


def _events(pointer: Row, rows: Iterable[Row]) -> Iterable[Row]:
    """Yield the event rows that a reference (``ontology.records.Pointer``) names."""
    kind, name = pointer["kind"], pointer["id"]
    for row in rows:
        if kind == "events":
            wanted = row["event_id"] == name
        else:
            inside = pointer["start_us"] <= row["time_us"] <= pointer["end_us"]
            wanted = inside and (kind == "window" or row["track_id"] == name)
        if wanted:
            yield row


def _answering(item: Row, rows: Iterable[Row]) -> list[Row]:
    """Return the rows whose box is in the answer; of equal boxes, those at a time in the slots."""
    boxes = [one for one in _parts(item["answer_value"]) if isinstance(one, list) and len(one) == 4]
    times = {one for one in _parts(item["slots"]) if isinstance(one, int)}
    found = [row for row in rows if item["start_us"] <= row["time_us"] < item["end_us"]
             and [round(row[side] or 0, DIGITS) for side in SIDES] in boxes]  # fmt: skip
    return [row for row in found if row["time_us"] in times] or found


def _parts(value: object) -> Iterator[object]:
    """Yield a JSON value and all values in it."""
    yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inside:
        yield from _parts(one)


def _dangling(item: Row, pointer: Row) -> OutputBroken:
    return OutputBroken(
        f"item {item['item_id']} refers to evidence that is missing",
        expected=f"a row {pointer['id']} of evidence/{pointer['kind']}.parquet",
        found="no such row",
        fix="run 'surgqa check' on the folder; build it again if it was changed by hand",
    )
