"""Read which next action surgeons chose for each item.

A sheet is a CSV file with the columns ``item_id``, ``surgeon`` and ``action``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from surgqa.ontology.errors import Mismatched, RowInvalid, RowTwice, ValueInvalid
from surgqa.ontology.next_actions import action_named, next_actions
from surgqa.ontology.spreadsheets import sheet_rows

COLUMNS = ("item_id", "surgeon", "action")

Choices = Mapping[str, Mapping[str, str]]
"""Surgeon -> item id -> chosen action."""


def surgeons_of(given: Sequence[str] | None) -> Choices:
    """Return the choices of each surgeon, from arguments of the form ``NAME=FILE``.

    Raises:
        UserError: an argument has another form, a surgeon is named twice, or a sheet has no row of
            the named surgeon (unless all of its rows belong to one surgeon).
    """
    out: dict[str, dict[str, str]] = {}
    for text in given or ():
        name, sign, file = text.partition("=")
        if not (name and sign and file) or name in out:
            raise ValueInvalid(
                "a surgeon is named twice" if name in out else "not a surgeon's sheet",
                expected="NAME=FILE, such as A=a.csv", found=text, where="--surgeon",
            )  # fmt: skip
        held = load_choices(Path(file))
        if name not in held and len(held) != 1:
            raise Mismatched(
                f"{file} does not say what {name} chose", expected=f"rows of {name}",
                found=", ".join(sorted(held)) or "no rows", where="--surgeon",
                fix="use the name of the surgeon in the sheet",
            )  # fmt: skip
        out[name] = held[name] if name in held else next(iter(held.values()))
    return out


def load_choices(path: Path | str) -> dict[str, dict[str, str]]:
    """Return the chosen actions in a sheet, by surgeon and item id.

    Raises:
        SourceMissing: the file does not exist.
        SourceBroken: the file is not in UTF-8, or a column is missing.
        UserError: a row names no known action, or a surgeon has two rows for an item.
    """
    path = Path(path)
    rows = sheet_rows(path, COLUMNS, f"{path.name} is not a sheet of surgeons' choices",
                      f"name the columns {', '.join(COLUMNS)}")  # fmt: skip
    out: dict[str, dict[str, str]] = {}
    for where, cells in rows:
        item, surgeon, action = (cells[name] for name in COLUMNS)
        _take(out.setdefault(surgeon, {}), item, surgeon, action, where)
    return out


def _take(mine: dict[str, str], item: str, surgeon: str, said: str, where: str) -> None:
    if not item or not surgeon:
        raise RowInvalid(
            "a row has no item id or no surgeon", expected="an item_id and a surgeon", where=where,
            fix="complete the row, or delete it",
        )  # fmt: skip
    action = action_named(said)
    if action is None:
        raise RowInvalid(
            f"surgeon {surgeon} chose an action that is not known",
            expected=", ".join(one.display for one in next_actions()), found=said or "nothing",
            where=where, fix="correct the action, or delete the row",
        )  # fmt: skip
    if item in mine:
        raise RowTwice(
            f"surgeon {surgeon} answers item {item} twice", expected="one row per item",
            found=f"{mine[item]}, then {action}", where=where, fix="keep one of the two rows",
        )  # fmt: skip
    mine[item] = action
