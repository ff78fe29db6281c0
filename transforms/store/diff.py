"""Compare two finished datasets: removed, new and changed items, by template."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
import pyarrow.parquet as pq

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.places import Place
from surgqa.transforms.store.folder import OutputFolder, readable

KEPT = 1000
"""Maximum number of listed differences; all are counted."""
_BATCH = 256

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One item that differs between the two datasets.

    Attributes:
        kind: ``only_a`` or ``only_b`` (the item is in one dataset only), or ``changed``.
        fields: for ``changed``: the fields that differ.
    """

    template_id: str
    kind: str
    item_id: str
    fields: tuple[str, ...] = ()


@dataclass(slots=True)
class Differences:
    """All differences between two datasets A and B.

    Attributes:
        templates: template id -> numbers of ``same``, ``only_a``, ``only_b``, ``changed`` items.
        fields: field -> number of items in which it changed.
        listed: the first thousand differences, sorted by item id.
    """

    templates: dict[str, Counter[str]] = field(default_factory=dict)
    fields: Counter[str] = field(default_factory=Counter)
    listed: list[Difference] = field(default_factory=list)

    def total(self, kind: str) -> int:
        """Return the number of items with this ``kind`` of difference, over all templates."""
        return sum(counts[kind] for counts in self.templates.values())

    @property
    def count(self) -> int:
        """Number of items that differ; 0 if both contain the same items."""
        return sum(self.total(kind) for kind in ("only_a", "only_b", "changed"))

    def to_dict(self) -> dict[str, Any]:
        """Return the differences as plain data for JSON."""
        kinds = ("same", "only_a", "only_b", "changed")
        return {
            "different": self.count,
            "total": {kind: self.total(kind) for kind in kinds},
            "templates": {
                name: {kind: counts[kind] for kind in kinds}
                for name, counts in sorted(self.templates.items())
            },
            "fields": dict(sorted(self.fields.items())),
            "listed": [
                {
                    "template_id": one.template_id,
                    "kind": one.kind,
                    "item_id": one.item_id,
                    "fields": list(one.fields),
                }
                for one in self.listed
            ],
        }

    def note(self, kind: str, row: Row, fields: tuple[str, ...] = ()) -> None:
        """Count one item, and list its difference if there is room."""
        self.templates.setdefault(row["template_id"], Counter())[kind] += 1
        if kind == "same":
            return
        self.fields.update(fields)
        if len(self.listed) < KEPT:
            self.listed.append(Difference(row["template_id"], kind, row["item_id"], fields))


def compare(a: OutputFolder, b: OutputFolder) -> Differences:
    """Compare all items of two datasets by id.

    Shards are sorted by id, so both datasets are read as streams, side by side. Memory does not
    grow with the number of items, and the numbers of shards may differ.

    Raises:
        OutputBroken: a shard is not sorted by id.
    """
    found = Differences()
    for benchmark in sorted({*a.benchmarks(), *b.benchmarks()}):
        for kind, row, fields in _merged(_sorted_rows(a, benchmark), _sorted_rows(b, benchmark)):
            found.note(kind, row, fields)
    return found


def changed_fields(a: Row, b: Row) -> tuple[str, ...]:
    """Return the names of fields that differ, sorted; a missing field equals null, at any depth."""
    found = []
    for name in sorted({*a, *b}):
        one, other = a.get(name), b.get(name)
        # As JSON, NaN equals NaN.
        if one != other and orjson.dumps(_known(one)) != orjson.dumps(_known(other)):
            found.append(name)
    return tuple(found)


def _merged(left: Iterator[Row], right: Iterator[Row]) -> Iterator[tuple[str, Row, tuple]]:
    a, b = next(left, None), next(right, None)
    while a is not None or b is not None:
        if b is None or (a is not None and a["item_id"] < b["item_id"]):
            yield "only_a", a, ()  # type: ignore[misc]
            a = next(left, None)
        elif a is None or b["item_id"] < a["item_id"]:
            yield "only_b", b, ()
            b = next(right, None)
        else:
            fields = changed_fields(a, b)
            yield ("changed" if fields else "same"), b, fields
            a, b = next(left, None), next(right, None)


def _known(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _known(one) for name, one in sorted(value.items()) if one is not None}
    return [_known(one) for one in value] if isinstance(value, list) else value


def _sorted_rows(folder: OutputFolder, benchmark: str) -> Iterator[Row]:
    streams = [_ascending(shard) for shard in folder.shards(benchmark)]
    return heapq.merge(*streams, key=lambda row: row["item_id"])


def _ascending(shard: Place) -> Iterator[Row]:
    before = ""
    for row in _rows(shard):
        if row["item_id"] < before:
            raise OutputBroken(
                "a shard is not in the order of its item ids",
                expected=f"an id after {before}",
                found=row["item_id"],
                where=str(shard),
                fix="build the dataset again, or see 'surgqa check'",
            )
        before = row["item_id"]
        yield row


def _rows(shard: Place) -> Iterator[Row]:
    if shard.suffix == ".parquet":
        for batch in pq.ParquetFile(readable(shard)).iter_batches(batch_size=_BATCH):
            yield from batch.to_pylist()
        return
    with shard.open("rb") as lines:
        for line in lines:
            yield orjson.loads(line)
