"""Reject questions whose options are no answers of other questions and give the answer away.

Usually, the options of a question are the answers of other questions about the video (a block). If
no other question has an answer that is wrong here, the options are other labels of the same kind.
If most videos have the same single answer, this list of options reveals the answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Any

import pyarrow.compute as pc

from surgqa.ontology.records import Code
from surgqa.transforms.blind import COLUMNS, MARGIN, asks_of, guess
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.pools import exchanged
from surgqa.transforms.steps.write import Parts, not_chosen

Place = tuple[str, str]
"""(dataset, template)."""


def alone(
    parts: Parts, templates: Sequence[Program], gone: Collection[str] = frozenset()
) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` for items whose options give the answer away.

    Only items that do not share their options with other questions (that are in no block) can be
    rejected. Those of one template in a dataset are rejected together, if a rule that sees no
    images answers so many of them that their share of all its items exceeds the tolerance.

    Args:
        gone: ids of items that are already rejected.
    """
    names = {one.id for one in templates if len(one.stages) == 1 and exchanged(one.stages[0])}
    found, items = _found(parts, names, gone)
    return sorted((
        not_chosen(dataset, template, row["item_id"], Code.UNPAIRED, why, video=row["video_id"])
        for (dataset, template), rows in sorted(found.items())
        if (why := _reason(rows, items[dataset, template])) for row in rows
    ), key=lambda entry: entry["key"])  # fmt: skip


def _found(
    parts: Parts, names: Collection[str], gone: Collection[str]
) -> tuple[dict[Place, list[dict[str, Any]]], Counter[Place]]:
    """Return the items with options of their own, and the number of all items, by template."""
    found: dict[Place, list[dict[str, Any]]] = defaultdict(list)
    items = Counter[Place]()
    for info in parts.infos:
        here = sorted(names & info["templates"].keys())
        if not here:
            continue
        table = parts.items(info, COLUMNS)
        for name in here:
            mine = table.filter(pc.equal(table.column("template_id"), name))
            at = info["dataset"], name
            left = [row for row in mine.to_pylist() if row["item_id"] not in gone]
            items[at] += len(left)
            found[at] += [row for row in left if row["block"] is None]
    return {at: rows for at, rows in found.items() if rows}, items


def _reason(rows: Sequence[dict[str, Any]], items: int) -> str:
    """Return the reason why the items are rejected; "" if they are kept.

    They are kept if no rule answers them without the images, or if they are few.
    """
    one = guess(asks_of([{**row, "rounds": None} for row in rows]))  # only its first question
    if (one.excess or 0) * len(rows) <= MARGIN * items:
        return ""
    return (
        f"the recording has a single answer, and the options of {len(rows)} such items reveal it: "
        f"{one.structural_rule}"
    )
