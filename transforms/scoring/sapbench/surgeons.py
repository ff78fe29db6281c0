"""What surgeons would do next, and scores against it.

A sheet is a CSV with the columns ``item_id``, ``surgeon`` and ``action``.  The references
are the video's own course, each surgeon, and any of them; all are scored on the items that
every surgeon answered, so that they can be compared.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ontology.errors import SourceBroken, UserError
from ontology.files import read_bytes, read_text
from ontology.next_actions import action_named, next_actions
from transforms.scoring.sapbench.items import Item
from transforms.scoring.sapbench.marks import RANKS
from transforms.scoring.sapbench.tables import Share

COLUMNS = ("item_id", "surgeon", "action")
VIDEO = "video"

Choices = Mapping[str, Mapping[str, str]]
"""Surgeon -> item id -> action."""


@dataclass(frozen=True, slots=True)
class Against:
    """Top-k shares of someone's rankings against one reference.

    Attributes:
        who: ``model``, or the surgeon whose choice is scored like one.
        reference: ``video``, a surgeon, or several joined by ``or``.
    """

    who: str
    reference: str
    shares: tuple[Share, ...]


def load_choices(path: Path | str) -> dict[str, dict[str, str]]:
    """The surgeons' choices.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: it is not UTF-8, or no such sheet.
        UserError: a row names no action that is known, or answers an item again.
    """
    path = Path(path)
    text = read_text(read_bytes(path, str(path)), str(path)).replace("\r", "\n")
    between = max(",;\t", key=text.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between)
    header = [cell.strip().lower() for cell in next(reader, [])]
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise SourceBroken(
            f"{path.name} is no sheet of surgeons' choices", expected=f"a column {missing[0]!r}",
            found=", ".join(header) or "an empty file", where=f"{path}:1",
            fix=f"name the columns {', '.join(COLUMNS)}",
        )  # fmt: skip
    place = [header.index(name) for name in COLUMNS]
    out: dict[str, dict[str, str]] = {}
    for row in reader:
        if not any(cell.strip() for cell in row):
            continue
        where = f"{path}:{reader.line_num}"
        item, surgeon, action = (row[k].strip() if k < len(row) else "" for k in place)
        _take(out.setdefault(surgeon, {}), item, surgeon, action, where)
    return out


def _take(mine: dict[str, str], item: str, surgeon: str, said: str, where: str) -> None:
    if not item or not surgeon:
        raise UserError(
            "a row names no item or no surgeon", expected="an item_id and a surgeon", where=where,
            fix="complete the row, or delete it",
        )  # fmt: skip
    action = action_named(said)
    if action is None:
        raise UserError(
            f"surgeon {surgeon} chose what is none of the actions",
            expected=", ".join(one.display for one in next_actions()), found=said or "nothing",
            where=where, fix="correct the action, or delete the row",
        )  # fmt: skip
    if item in mine:
        raise UserError(
            f"surgeon {surgeon} answers item {item} twice", expected="one row per item",
            found=f"{mine[item]}, then {action}", where=where, fix="keep one of the two rows",
        )  # fmt: skip
    mine[item] = action


def against(
    items: Sequence[Item], rankings: Mapping[str, Sequence[str | None]], choices: Choices
) -> tuple[tuple[Against, ...], int]:
    """Scores against every reference, the model's first.

    Args:
        rankings: of the model, by item id; an item without one is wrong.

    Returns:
        The scores, and how many items some surgeon did not answer.
    """
    surgeons = sorted(choices)
    asked = [item for item in items if all(item.item_id in choices[name] for name in surgeons)]
    right: dict[str, dict[str, set[str]]] = {VIDEO: {one.item_id: {one.action} for one in asked}}
    for name in surgeons:
        right[name] = {one.item_id: {choices[name][one.item_id]} for one in asked}
    if len(surgeons) > 1:
        right[" or ".join(surgeons)] = {
            one.item_id: {choices[name][one.item_id] for name in surgeons} for one in asked
        }
    out = [Against("model", name, _shares(asked, rankings, truth)) for name, truth in right.items()]
    for who in surgeons:
        own = {item: (action,) for item, action in choices[who].items()}
        out += [
            Against(who, name, _shares(asked, own, right[name])[:1])
            for name in (VIDEO, *surgeons)
            if name != who
        ]
    return tuple(out), len(items) - len(asked)


def _shares(
    items: Sequence[Item],
    rankings: Mapping[str, Sequence[str | None]],
    right: Mapping[str, set[str]],
) -> tuple[Share, ...]:
    out = []
    for k in RANKS:
        hits = sum(
            not right[item.item_id].isdisjoint(rankings.get(item.item_id, ())[:k]) for item in items
        )
        out.append(Share("sample_s", k, Fraction(hits), len(items)))
    return tuple(out)
