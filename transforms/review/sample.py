"""Draw the sample of a finished output that people review, and write its sheets and its record.

A unit is a chain or a single item. A stratum consists of all units of one task of a benchmark in
one specialty. Units are ranked by the digests of their ids, so the draw from one stratum depends
neither on other strata nor on the order of rows. The record, ``review.json``, states from which
output and how the sample was drawn, and lists its units.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import orjson
from typing_extensions import TypedDict

from surgqa.ontology.errors import NothingSelected, SourceBroken, ValueInvalid
from surgqa.ontology.files import read_bytes
from surgqa.ontology.guarded import ErrorOf, read_as
from surgqa.ontology.keys import Key, digest
from surgqa.ontology.times import round_half_up
from surgqa.transforms.places.fresh import new_folder
from surgqa.transforms.review.questions import question_of, rows_of, staged
from surgqa.transforms.review.sheets import SUFFIXES, WRITERS, write_config
from surgqa.transforms.review.terms import RECORD, SAMPLE_SCHEMA
from surgqa.transforms.store import OutputFolder

Stratum = tuple[str, str, str]
"""Benchmark, task, specialty."""

_COLUMNS = ["item_id", "chain_id", "benchmark", "task", "specialty"]


@dataclass(frozen=True, slots=True, order=True)
class ReviewUnit:
    """A chain, or an item without a chain; it is reviewed as a whole.

    Attributes:
        task: task of the item; for a chain, the common beginning of its items' tasks.
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
        """The unit's benchmark, task and specialty."""
        return self.benchmark, self.task, self.specialty


def share_of(text: str) -> Fraction:
    """Return a share that the user typed, such as "0.1", as an exact fraction.

    Raises:
        UserError: the share is not above 0 and at most 1.
    """
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1:
        raise ValueInvalid(
            "not a share", expected="a number above 0 and at most 1, such as 0.1", found=text,
            where="--share",
        )  # fmt: skip
    return share


def units_of(out: OutputFolder) -> list[ReviewUnit]:
    """Return all chains and single items of an output, sorted."""
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
        ReviewUnit(facts[unit][0], _shared(tasks[unit]), facts[unit][1], unit, tuple(sorted(ids)))
        for unit, ids in items.items()
    )


def _shared(tasks: Iterable[str]) -> str:
    """Return the common beginning (up to a ``/``) of the tasks of one unit's items."""
    parts = [task.split("/") for task in sorted(tasks)]
    same: list[str] = []
    for words in zip(*parts, strict=False):
        if len(set(words)) > 1:
            break
        same.append(words[0])
    return "/".join(same) or "/".join(parts[0])


def by_stratum(units: Iterable[ReviewUnit]) -> dict[Stratum, list[ReviewUnit]]:
    """Return the units of each stratum, sorted."""
    found: dict[Stratum, list[ReviewUnit]] = defaultdict(list)
    for unit in sorted(units):
        found[unit.stratum].append(unit)
    return dict(sorted(found.items()))


def drawn(units: Iterable[ReviewUnit], share: Fraction, seed: str) -> list[ReviewUnit]:
    """Return a random sample: a share of the units of each stratum, at least one.

    Args:
        share: above 0, at most 1; the number of units is rounded half up.
        seed: key of the draw.
    """
    key = Key(SAMPLE_SCHEMA, seed)
    chosen: list[ReviewUnit] = []
    for members in by_stratum(units).values():
        count = max(1, round_half_up(share * len(members)))
        ranked = sorted(members, key=lambda unit: (key.h64(unit.unit_id), unit.unit_id))
        chosen += ranked[:count]
    return sorted(chosen)


def in_order(units: Sequence[ReviewUnit], seed: str, rater: str) -> list[ReviewUnit]:
    """Return the units in a random order of the rater, because raters tire towards the end."""
    by_id = {unit.unit_id: unit for unit in units}
    return [by_id[name] for name in Key(SAMPLE_SCHEMA, seed, "order", rater).ordered(by_id)]


ID_CHARS = 12
NO_SAMPLE = ErrorOf(
    f"{RECORD} is not a record of a sample",
    SAMPLE_SCHEMA,
    "use the file as 'surgqa review sample' wrote it",
    SourceBroken,
)


class _Stratum(TypedDict):
    benchmark: str
    task: str
    specialty: str
    units: int
    drawn: int


class _Record(TypedDict):
    schema: str
    sample: str
    output: str
    share: str
    seed: str
    raters: list[str]
    units: list[ReviewUnit]
    strata: list[_Stratum]


@dataclass(frozen=True, slots=True)
class Sampled:
    """The units that were drawn from an output for a review.

    Attributes:
        output: digest of the whole output.
        share: share of each stratum, as typed by the user.
        raters: names of the sheets, in the given order.
        units: sorted.
        strata: stratum -> numbers of existing and drawn units.
    """

    output: str
    share: str
    seed: str
    raters: tuple[str, ...]
    units: tuple[ReviewUnit, ...]
    strata: Mapping[Stratum, tuple[int, int]]

    @property
    def name(self) -> str:
        """The mark of this sample, which is written into every row of its sheets.

        The mark starts with a word, because a spreadsheet changes values that look like numbers.
        """
        ids = [unit.unit_id for unit in self.units]
        mark = digest(SAMPLE_SCHEMA, self.output, self.share, self.seed, *ids)
        return f"review-{mark[:ID_CHARS]}"

    def sheet(self, rater: str) -> str:
        """Return the name of one rater's sheet, which is written into every row of the sheet."""
        return f"{self.name}-{rater}"

    @property
    def items(self) -> tuple[str, ...]:
        """The ids of all items of the sample, unit by unit."""
        return tuple(item for unit in self.units for item in unit.items)


def write_record(sampled: Sampled, folder: Path) -> None:
    """Write the record of a sample, ``review.json``, next to its sheets."""
    record = {
        "schema": SAMPLE_SCHEMA,
        "sample": sampled.name,
        "output": sampled.output,
        "share": sampled.share,
        "seed": sampled.seed,
        "raters": sampled.raters,
        "strata": [
            {"benchmark": b, "task": t, "specialty": s, "units": there, "drawn": taken}
            for (b, t, s), (there, taken) in sorted(sampled.strata.items())
        ],
        "units": [asdict(unit) for unit in sampled.units],
    }
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    (folder / RECORD).write_bytes(orjson.dumps(record, option=options))


def read_record(path: Path) -> Sampled:
    """Read a record that :func:`write_record` wrote.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file is not a record, or was changed.
    """
    try:
        data = dict(read_as(_Record, read_bytes(path, str(path)), str(path), NO_SAMPLE))
        if data["schema"] != SAMPLE_SCHEMA:
            raise ValueError(data["schema"])
        sampled = _sampled(data)
        if sampled.name != data["sample"]:
            raise ValueError("the digest in the record is not that of its content")
    except ValueError as error:
        raise NO_SAMPLE.wrong(str(error), str(path)) from None
    return sampled


def _sampled(data: Mapping[str, Any]) -> Sampled:
    return Sampled(
        data["output"],
        data["share"],
        data["seed"],
        tuple(data["raters"]),
        tuple(data["units"]),
        {
            (one["benchmark"], one["task"], one["specialty"]): (one["units"], one["drawn"])
            for one in data["strata"]
        },
    )


FORMATS = tuple(WRITERS)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")


def sample_of(out: OutputFolder, share: str, seed: str, raters: Sequence[str]) -> Sampled:
    """Draw the sample of an output.

    Raises:
        UserError: the share or a rater's name is invalid, or there is nothing to draw.
    """
    _check_raters(raters)
    part = share_of(share)
    units = units_of(out)
    if not units:
        raise NothingSelected(
            "the output has no items",
            expected="an output with questions",
            where=str(out.path),
            fix="choose other templates or videos, and build again",
        )
    chosen = drawn(units, part, seed)
    taken = by_stratum(chosen)
    strata = {name: (len(mine), len(taken[name])) for name, mine in by_stratum(units).items()}
    return Sampled(out.manifest["digest"], share, seed, tuple(raters), tuple(chosen), strata)


def _check_raters(raters: Sequence[str]) -> None:
    wrong = [name for name in raters if not _NAME.fullmatch(name)]
    doubled = sorted({name for name in raters if raters.count(name) > 1})
    if wrong or doubled or not raters:
        raise ValueInvalid(
            "the raters' names cannot be used",
            expected="different names, separated by commas, of letters, digits, points and _",
            found=", ".join([*wrong, *(f"{name} twice" for name in doubled)]) or "none",
            where="--raters",
        )


def write_sheets(out: OutputFolder, sampled: Sampled, folder: Path, formats: Sequence[str]) -> None:
    """Write the sheets of all raters and the record to a folder.

    Raises:
        UserError: the folder is not empty, or cannot be created.
    """
    rows = rows_of(out, sampled.items)
    with new_folder(folder) as partial:
        for rater in sampled.raters:
            units = [[question_of(row) for row in staged(rows[item] for item in unit.items)]
                     for unit in in_order(sampled.units, sampled.seed, rater)]  # fmt: skip
            for name in formats:
                WRITERS[name](sampled.sheet(rater), units, partial / f"{rater}{SUFFIXES[name]}")
        if "label-studio" in formats:
            write_config(partial)
        write_record(sampled, partial)
