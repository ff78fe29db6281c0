"""Guess the answers of a finished dataset from its files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa

from surgqa.transforms.blind.items import COLUMNS
from surgqa.transforms.blind.report import Blind, guesses
from surgqa.transforms.blind.shelves import SCHEMA, Shelves
from surgqa.transforms.store import OutputFolder

ROWS = 4096


def guesses_of(folder: OutputFolder) -> tuple[Blind, ...]:
    """Return the results of blind guessing for every template of a finished dataset."""
    with tempfile.TemporaryDirectory(prefix="surgqa-blind-") as scratch:
        shelves = Shelves(Path(scratch))
        for rows in some(folder.rows(None, list(COLUMNS)), ROWS):
            shelves.add(pa.RecordBatch.from_pylist(rows, schema=SCHEMA))
        return tuple(guesses(shelves))


def some(rows: Iterable[dict], size: int) -> Iterator[list[dict]]:
    """Yield the rows in lists of at most ``size``."""
    left = iter(rows)
    while found := list(islice(left, size)):
        yield found


def replies_of(found: Iterable[Blind]) -> dict[tuple[str, int | None], str]:
    """Return the best rule's answers by item id and round, like predictions of a model.

    Stages of chains are answered without further texts (setting ``BL``).
    """
    out: dict[tuple[str, int | None], str] = {}
    for one in found:
        if one.setting in ("", "BL"):
            out |= one.guess.answers
    return out
