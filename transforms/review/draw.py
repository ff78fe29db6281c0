"""Draw a sample and write its sheets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ontology.errors import UserError
from transforms.places.fresh import new_folder
from transforms.review import label_studio, spreadsheet
from transforms.review.questions import Question, Row, question_of, rows_of, staged
from transforms.review.record import Sampled, write_record
from transforms.review.sample import Unit, by_stratum, drawn, in_order, share_of, units_of
from transforms.store import OutputFolder

FORMATS = ("csv", "label-studio")
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
        raise UserError("the output holds no questions", where=str(out.path))
    chosen = drawn(units, part, seed)
    taken = by_stratum(chosen)
    strata = {name: (len(mine), len(taken[name])) for name, mine in by_stratum(units).items()}
    return Sampled(out.manifest["digest"], share, seed, tuple(raters), tuple(chosen), strata)


def _check_raters(raters: Sequence[str]) -> None:
    wrong = [name for name in raters if not _NAME.fullmatch(name)]
    doubled = sorted({name for name in raters if raters.count(name) > 1})
    if wrong or doubled or not raters:
        raise UserError(
            "the raters' names cannot be used",
            expected="different names of letters, digits, points and _, with commas between",
            found=", ".join([*wrong, *(f"{name} twice" for name in doubled)]) or "none",
            where="--raters",
        )


def write_sheets(out: OutputFolder, sampled: Sampled, folder: Path, formats: Sequence[str]) -> None:
    """Write the sheets of all raters, and the record next to them.

    Raises:
        UserError: the folder is not empty, or cannot be created.
    """
    rows = rows_of(out, sampled.items)
    with new_folder(folder) as partial:
        _write_sheets(sampled, rows, partial, formats)


def _write_sheets(
    sampled: Sampled, rows: dict[str, Row], folder: Path, formats: Sequence[str]
) -> None:
    for rater in sampled.raters:
        ordered = in_order(sampled.units, sampled.seed, rater)
        units = [_questions(unit, rows) for unit in ordered]
        if "csv" in formats:
            spreadsheet.write(sampled.sheet(rater), units, folder / f"{rater}{spreadsheet.SUFFIX}")
        if "label-studio" in formats:
            target = folder / f"{rater}{label_studio.SUFFIX}"
            label_studio.write(sampled.sheet(rater), units, target)
    if "label-studio" in formats:
        label_studio.write_config(folder)
    write_record(sampled, folder)


def _questions(unit: Unit, rows: dict[str, Row]) -> list[Question]:
    return [question_of(row) for row in staged(rows[item] for item in unit.items)]
