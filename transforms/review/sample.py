"""Draw the part of a finished output that people review, by digest, stratum by stratum.

A stratum is a task of a benchmark in one specialty.  Its units are ranked by the digests of their
ids, so the draw from one stratum depends neither on other strata nor on any order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ontology.errors import UserError
from ontology.keys import Key
from ontology.times import round_half_up
from transforms.review.terms import SAMPLE_SCHEMA
from transforms.store import OutputFolder

Stratum = tuple[str, str, str]
"""Benchmark, task, specialty."""

_COLUMNS = ["item_id", "chain_id", "benchmark", "task", "specialty"]


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """A chain, or an item without a chain; it is reviewed as a whole.

    Attributes:
        task: for a chain, the common beginning of its items' tasks.
        specialty: '' if the dataset does not state it.
        unit_id: id of the chain or the item.
        items: ids of its items, sorted.
    """

    benchmark: str
    task: str
    specialty: str
    unit_id: str
    items: tuple[str, ...]

    @property
    def stratum(self) -> Stratum:
        """Its stratum."""
        return self.benchmark, self.task, self.specialty


def share_of(text: str) -> Fraction:
    """The exact share that the user typed.

    Raises:
        UserError: not a number above 0 and at most 1.
    """
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1:
        raise UserError(
            "not a share", expected="a number above 0 and at most 1, such as 0.1", found=text,
            where="--share",
        )  # fmt: skip
    return share


def units_of(out: OutputFolder) -> list[Unit]:
    """All units of an output, sorted."""
    items: dict[str, list[str]] = defaultdict(list)
    facts: dict[str, tuple[str, str]] = {}
    tasks: dict[str, set[str]] = defaultdict(set)
    for table in out.tables(_COLUMNS):
        columns = (table.column(name).to_pylist() for name in _COLUMNS)
        for item_id, chain_id, benchmark, task, specialty in zip(*columns, strict=True):
            unit = chain_id or item_id
            items[unit].append(item_id)
            facts[unit] = benchmark, specialty or ""
            tasks[unit].add(task)
    return sorted(
        Unit(facts[unit][0], _shared(tasks[unit]), facts[unit][1], unit, tuple(sorted(ids)))
        for unit, ids in items.items()
    )


def _shared(tasks: Iterable[str]) -> str:
    """The common beginning of the tasks of one unit; the whole task of a single item."""
    parts = [task.split("/") for task in sorted(tasks)]
    same: list[str] = []
    for words in zip(*parts, strict=False):
        if len(set(words)) > 1:
            break
        same.append(words[0])
    return "/".join(same) or "/".join(parts[0])


def by_stratum(units: Iterable[Unit]) -> dict[Stratum, list[Unit]]:
    """Units of each stratum, sorted."""
    found: dict[Stratum, list[Unit]] = defaultdict(list)
    for unit in sorted(units):
        found[unit.stratum].append(unit)
    return dict(sorted(found.items()))


def drawn(units: Iterable[Unit], share: Fraction, seed: str) -> list[Unit]:
    """The sample: the share of each stratum, rounded half up, at least one unit.

    Args:
        share: above 0, at most 1.
        seed: key of the draw.
    """
    key = Key(SAMPLE_SCHEMA, seed)
    chosen: list[Unit] = []
    for members in by_stratum(units).values():
        count = max(1, round_half_up(share * len(members)))
        ranked = sorted(members, key=lambda unit: (key.h64(unit.unit_id), unit.unit_id))
        chosen += ranked[:count]
    return sorted(chosen)


def in_order(units: Sequence[Unit], seed: str, rater: str) -> list[Unit]:
    """The units in a different order for each rater, so that not all tire at the same ones."""
    by_id = {unit.unit_id: unit for unit in units}
    return [by_id[name] for name in Key(SAMPLE_SCHEMA, seed, "order", rater).ordered(by_id)]
