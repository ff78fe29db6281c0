"""Which part of a finished output people look at: drawn by digest, stratum by stratum.

A stratum is a benchmark's task in one specialty.  Its units are ranked by the digests of
their ids, so what is drawn from one stratum depends on no other, nor on any order.
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
    """What is reviewed as a whole: a chain, or an item that belongs to none.

    Attributes:
        task: of a chain what its items' tasks begin with.
        specialty: '' where the dataset does not tell it.
        unit_id: the chain's id, or the item's.
        items: ids of its items, sorted.
    """

    benchmark: str
    task: str
    specialty: str
    unit_id: str
    items: tuple[str, ...]

    @property
    def stratum(self) -> Stratum:
        """What it is drawn among."""
        return self.benchmark, self.task, self.specialty


def share_of(text: str) -> Fraction:
    """The exact share that was typed.

    Raises:
        UserError: no number above 0 and at most 1.
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
    """What the tasks of one unit begin with: the whole of a single one."""
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
    """The sample: of each stratum the share, rounded half up, and at least one unit.

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
    """The units in a rater's own order, so that no two raters tire at the same questions."""
    by_id = {unit.unit_id: unit for unit in units}
    return [by_id[name] for name in Key(SAMPLE_SCHEMA, seed, "order", rater).ordered(by_id)]
