"""The rows of a benchmark, chain by chain."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ontology.errors import OutputBroken
from transforms.inference.stages import BENCHMARK, STAGES
from transforms.store import OutputFolder

KEYS = ("item_id", "benchmark", "task", "chain_id", "stage")
"""What is read of every row."""

Row = Mapping[str, Any]
Chain = tuple[Row, ...]
"""The rows of one chain, in the order of :data:`STAGES`."""

_Places = dict[str, list[tuple[int, int, int]]]
"""Chain id -> (stage, offset, length) of its rows in the spool."""


def chains_of(
    folder: OutputFolder, columns: Sequence[str], near: Path, limit: int | None = None
) -> Iterator[Chain]:
    """All chains of a finished dataset, by their ids.

    Of each row some hundred bytes are held; the rows themselves wait in a temporary file.

    Args:
        columns: of the rows, beside :data:`KEYS`.
        near: folder of the temporary file.
        limit: the first chains by id that have so many items together, one at least.

    Raises:
        OutputBroken: a row is no stage of a chain, or a chain lacks one or has one twice.
    """
    names = list(dict.fromkeys((*KEYS, *columns)))
    with tempfile.TemporaryFile(dir=near) as spool:
        places = _spooled(folder.rows(BENCHMARK, names), spool)
        yield from _chains(places, _wanted(places, limit), spool)


def _spooled(rows: Iterable[Row], spool: BinaryIO) -> _Places:
    places: _Places = {}
    offset = 0
    for row in rows:
        check_stage(row)
        line = orjson.dumps(row)
        spool.write(line)
        places.setdefault(row["chain_id"], []).append((row["stage"], offset, len(line)))
        offset += len(line)
    return places


def _wanted(places: _Places, limit: int | None) -> list[str]:
    if limit is None:
        return sorted(places)
    return heapq.nsmallest(max(1, limit // len(STAGES)), places)


def _chains(places: _Places, wanted: Iterable[str], spool: BinaryIO) -> Iterator[Chain]:
    for chain_id in wanted:
        mine = sorted(places[chain_id])
        stages = [stage for stage, _, _ in mine]
        if stages != list(range(len(STAGES))):
            raise OutputBroken(
                f"chain {chain_id} is not whole",
                expected=f"one item each of {', '.join(STAGES)}",
                found=", ".join(STAGES[stage] for stage in stages),
                where=f"data/{BENCHMARK}",
                fix="build the dataset again, or see 'surgqa check'",
            )
        rows = []
        for _, offset, length in mine:
            spool.seek(offset)
            rows.append(orjson.loads(spool.read(length)))
        yield tuple(rows)


def check_stage(row: Row) -> None:
    """Look whether a row is a stage of a chain.

    Raises:
        OutputBroken: it is not.
    """
    stage = row["stage"]
    named = row["chain_id"] and type(stage) is int and 0 <= stage < len(STAGES)
    if not named or row["task"].rpartition("/")[2] != STAGES[stage]:
        raise OutputBroken(
            f"item {row['item_id']} is no stage of a chain",
            expected=f"a chain_id, a stage from 0 to {len(STAGES) - 1} and a task that ends in it",
            found=f"chain_id {row['chain_id']}, stage {stage}, task {row['task']}",
            where=f"data/{BENCHMARK}",
            fix="build the dataset again, or see 'surgqa check'",
        )
