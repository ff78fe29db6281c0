"""``review.json``: the output of a sample, how it was drawn, and its units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
from typing_extensions import TypedDict

from ontology.errors import UserError
from ontology.files import read_bytes
from ontology.guarded import Telling, read_as
from ontology.keys import digest
from transforms.review.sample import Stratum, Unit
from transforms.review.terms import RECORD, SAMPLE_SCHEMA

ID_CHARS = 12
NO_SAMPLE = Telling(
    f"{RECORD} is no record of a sample",
    SAMPLE_SCHEMA,
    "use the file as 'surgqa review sample' wrote it",
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
    units: list[Unit]
    strata: list[_Stratum]


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sample.

    Attributes:
        output: digest of the whole output.
        share: as typed by the user.
        raters: names of the sheets, in the given order.
        units: sorted.
        strata: stratum -> numbers of existing and drawn units.
    """

    output: str
    share: str
    seed: str
    raters: tuple[str, ...]
    units: tuple[Unit, ...]
    strata: Mapping[Stratum, tuple[int, int]]

    @property
    def name(self) -> str:
        """The mark of every row of its sheets.

        It starts with a word, because a spreadsheet would change a value that looks like a number.
        """
        ids = [unit.unit_id for unit in self.units]
        mark = digest(SAMPLE_SCHEMA, self.output, self.share, self.seed, *ids)
        return f"review-{mark[:ID_CHARS]}"

    def sheet(self, rater: str) -> str:
        """Name of one rater's sheet, as it is written into every row of the sheet."""
        return f"{self.name}-{rater}"

    @property
    def items(self) -> tuple[str, ...]:
        """Ids of all items, unit by unit."""
        return tuple(item for unit in self.units for item in unit.items)


def write_record(sampled: Sampled, folder: Path) -> None:
    """Write the record next to the sheets."""
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
    """Read a record of :func:`write_record`.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: it differs from the written form.
    """
    try:
        data = dict(read_as(_Record, read_bytes(path, str(path)), str(path), NO_SAMPLE))
        if data["schema"] != SAMPLE_SCHEMA:
            raise ValueError(data["schema"])
        sampled = _sampled(data)
        if sampled.name != data["sample"]:
            raise ValueError("its own digest differs")
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


def same_output(sampled: Sampled, output: str, where: Path) -> None:
    """Refuse a sample that was drawn from another output.

    Args:
        output: digest in the manifest of the given output.

    Raises:
        UserError: the digests differ.
    """
    if sampled.output != output:
        raise UserError(
            "the sample was drawn from another output", expected=sampled.output, found=output,
            where=str(where),
            fix="name the output that the sample was drawn from, as it was then",
        )  # fmt: skip
