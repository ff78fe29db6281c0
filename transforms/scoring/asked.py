"""Which items and rounds were asked: only these are scored, and their share is reported.

The items come from a jobs file, or from the record that ``surgqa infer`` writes next to its
predictions.  If one of them has no response, it counts as wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from ontology.errors import SourceMissing, UserError
from transforms.inference.predictions import asked_path
from transforms.scoring.predictions import PredictionKey

ITEMS, ASKED, PARTLY = "items", "asked", "partly"
WHOLE: frozenset[int | None] = frozenset({None})
"""The rounds of an item that has no rounds."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The items and rounds that were asked.

    Attributes:
        source: path of the file that lists them.
        keys: (item id, round index or None) of each.
    """

    source: str
    keys: frozenset[PredictionKey]


@dataclass(slots=True)
class AskedBooks:
    """Counts how much of a dataset was asked.

    Attributes:
        asked: None if everything was asked.
        counts: for each benchmark, the number of items, of fully asked items and of items with
            only some rounds asked; items without a scorer are not counted.
        left: ids of the items that were not fully asked.
        known: ids of all items.
    """

    asked: Asked | None = None
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)

    def take(self, benchmark: str, item_id: str, rounds: frozenset[int | None]) -> bool:
        """Count an item; return whether it is scored, which needs all its rounds to be asked."""
        mine = self.counts.setdefault(benchmark, Counter())
        mine[ITEMS] += 1
        self.known.add(item_id)
        keys = {(item_id, one) for one in rounds}
        there = len(keys) if self.asked is None else len(keys & self.asked.keys)
        if there == len(keys):
            mine[ASKED] += 1
            return True
        mine[PARTLY] += bool(there)
        self.left.add(item_id)
        return False

    def report(self, predicted: set[str]) -> AskedReport | None:
        """Return the report; None if no file lists what was asked, so that everything was.

        Args:
            predicted: ids of the items that have a response.
        """
        if self.asked is None:
            return None
        strange = {item_id for item_id, _ in self.asked.keys} - self.known
        counts = {name: {key: mine[key] for key in (ITEMS, ASKED, PARTLY)}
                  for name, mine in sorted(self.counts.items())}  # fmt: skip
        return AskedReport(self.asked.source, counts, len(predicted & self.left), len(strange))


@dataclass(frozen=True, slots=True)
class AskedReport:
    """How much of the dataset was asked.

    Attributes:
        source: path of the file that lists what was asked.
        counts: for each benchmark, the number of items, of items that were asked and are scored,
            and of items with only some rounds asked, which are not scored.
        answered: number of items that have a response but were asked only in part, or not at all;
            they are not scored.
        strange: number of asked items that are not in the dataset, or have no scorer.
    """

    source: str
    counts: dict[str, dict[str, int]]
    answered: int
    strange: int

    @property
    def total(self) -> dict[str, int]:
        """The counts, summed over all benchmarks."""
        return {key: sum(one[key] for one in self.counts.values())
                for key in (ITEMS, ASKED, PARTLY)}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a dictionary for JSON."""
        return {
            "source": Path(self.source).name, "benchmarks": self.counts, **self.total,
            "answered_and_not_asked": self.answered, "not_in_the_dataset": self.strange,
        }  # fmt: skip

    def table(self) -> list[list[object]]:
        """Return the table to print, header first."""
        rows: list[list[object]] = [["benchmark", "asked", "of items", "percent", "rounds missing"]]
        return rows + [
            [name, one[ASKED], one[ITEMS], f"{100 * one[ASKED] / one[ITEMS]:.2f}",
             one[PARTLY]]
            for name, one in self.counts.items()
        ]  # fmt: skip


def rounds_of(row: Mapping[str, Any]) -> frozenset[int | None]:
    """Return the numbers of a row's rounds, or only None if it has no rounds."""
    return frozenset(one["round_index"] for one in row.get("rounds") or ()) or WHOLE


def asked_of(predictions: Path, jobs: Path | None) -> Asked | None:
    """Return the items and rounds that were asked; None if no file lists them.

    Args:
        predictions: file of predictions; the record next to it is used if ``jobs`` is None.
        jobs: a jobs file, or any JSON Lines with an ``item_id`` and a ``round_index``.

    Raises:
        SourceMissing: the jobs file does not exist.
        UserError: a line does not name an item.
    """
    record = asked_path(predictions)
    if jobs is None and not record.is_file():
        return None
    path = jobs or record
    if not path.is_file():
        raise SourceMissing(f"{path} is missing", expected="a file that 'surgqa jobs' wrote",
                            where="--jobs", fix="surgqa jobs OUT --to JOBS")  # fmt: skip
    with path.open("rb") as lines:
        keys = frozenset(
            _key(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()
        )
    return Asked(str(path), keys)


def _key(line: bytes, where: str) -> PredictionKey:
    found = "no JSON object"
    try:
        entry = orjson.loads(line)
        item_id, index = entry["item_id"], entry.get("round_index")
        if isinstance(item_id, str) and (index is None or type(index) is int):
            return item_id, index
        found = f"item_id {item_id!r}, round_index {index!r}"
    except KeyError:
        found = "no item_id"
    except (orjson.JSONDecodeError, TypeError, AttributeError):
        pass
    raise UserError(
        "a line does not name an item", found=found, where=where,
        expected='"item_id" and "round_index", as in a line that \'surgqa jobs\' wrote',
        fix="name the file that 'surgqa jobs' wrote",
    )  # fmt: skip
