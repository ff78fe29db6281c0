"""The rows of chains, grouped by chain."""

from __future__ import annotations

import heapq
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ontology.errors import OutputBroken
from ontology.units import CHAIN, stage_name
from ontology.units import COLUMNS as UNIT
from transforms.store import OutputFolder

KEYS = ("item_id", "benchmark", "task", "template_id", *UNIT)
"""Columns that are read from every row."""

Row = Mapping[str, Any]
Chain = tuple[Row, ...]
"""The rows of one chain by stage, the main question first."""

_Places = dict[str, list[tuple[int, int, int]]]
"""Chain id -> (stage, offset, length) of its rows in the temporary file."""


def chains_of(
    folder: OutputFolder,
    columns: Sequence[str],
    near: Path,
    limit: int | None = None,
    benchmark: str | None = None,
) -> Iterator[Chain]:
    """All chains of a finished dataset, sorted by id.

    Only some hundred bytes of each row are kept in memory; the rows are in a temporary file.

    Args:
        columns: columns of the rows, in addition to :data:`KEYS`.
        near: folder of the temporary file.
        limit: return the first chains by id with at most this many items in total, at least one
            chain.
        benchmark: only chains of this benchmark.

    Raises:
        OutputBroken: a row is not a stage of a chain, or a chain lacks a stage or has one twice.
    """
    names = list(dict.fromkeys((*KEYS, *columns)))
    with tempfile.TemporaryFile(dir=near) as spool:
        rows = (row for row in folder.rows(benchmark, names) if row["unit"] == CHAIN)
        places, stages = _spooled(rows, spool)
        for chain_id in _wanted(places, limit):
            yield _chain(chain_id, places[chain_id], stages, spool)


def asked_order(chain: Sequence[object]) -> tuple[int, ...]:
    """Stages in the order in which a chain is answered, the main question last."""
    return (*range(1, len(chain)), 0)


def _spooled(rows: Iterable[Row], spool: BinaryIO) -> tuple[_Places, Mapping[str, int]]:
    """The positions of the rows, and the number of stages of each template."""
    places: _Places = {}
    stages = Counter[str]()
    offset = 0
    for row in rows:
        check_stage(row)
        line = orjson.dumps(row)
        spool.write(line)
        places.setdefault(row["chain_id"], []).append((row["stage"], offset, len(line)))
        stages[row["template_id"]] = max(stages[row["template_id"]], row["stage"] + 1)
        offset += len(line)
    return places, stages


def _wanted(places: _Places, limit: int | None) -> Iterator[str]:
    if limit is None:
        yield from sorted(places)
        return
    taken = 0
    for chain_id in heapq.nsmallest(limit, places):
        taken += len(places[chain_id])
        if taken > max(limit, len(places[chain_id])):
            return
        yield chain_id


def _chain(
    chain_id: str,
    places: Iterable[tuple[int, int, int]],
    stages: Mapping[str, int],
    spool: BinaryIO,
) -> Chain:
    rows = []
    for _, offset, length in sorted(places):
        spool.seek(offset)
        rows.append(orjson.loads(spool.read(length)))
    found, count = [row["stage"] for row in rows], stages[rows[0]["template_id"]]
    if found != list(range(count)):
        raise OutputBroken(
            f"chain {chain_id} does not have every stage once",
            expected=f"one item each of {', '.join(map(stage_name, range(count)))}",
            found=", ".join(map(stage_name, found)),
            where=f"data/{rows[0]['benchmark']}",
            fix="build the dataset again, or see 'surgqa check'",
        )
    return tuple(rows)


def check_stage(row: Row) -> None:
    """Check that a row is a stage of a chain.

    Raises:
        OutputBroken: it is not.
    """
    stage = row["stage"]
    if not row["chain_id"] or type(stage) is not int or stage < 0:
        raise OutputBroken(
            f"item {row['item_id']} is not a stage of a chain",
            expected="a chain_id and a stage; 0 is the main question",
            found=f"chain_id {row['chain_id']}, stage {stage}",
            where=f"data/{row['benchmark']}",
            fix="build the dataset again, or see 'surgqa check'",
        )
