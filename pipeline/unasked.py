"""Find the templates that have no items in a finished output, and the main reason of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from surgqa.ontology.records import Code
from surgqa.transforms.language import Program
from surgqa.transforms.language.units import no_unit

if TYPE_CHECKING:
    from surgqa.transforms.store import OutputFolder

Reason = tuple[str, str]
"""Code and sentence of a rejection."""


def unasked(folder: OutputFolder, templates: Iterable[Program]) -> dict[str, str]:
    """Return, for the id of each template without items, the most frequent reason."""
    items, ledger = folder.manifest["items"].values(), folder.manifest["ledger"]
    asked = {name for one in items for name, count in one["by_template"].items() if count}
    programs = {one.id: one for one in templates if one.id not in asked}
    lost = {name: Counter[str]() for name in programs}
    for row in folder.rejected("choose"):
        if row["where"] in lost:
            lost[row["where"]][row["code"]] += row["count"]
    for name, program in programs.items():
        # If items were made, why they were dropped counts, and not why there are no more.
        lost[name] = lost[name] or Counter(ledger.get(name, {}).get("declined", {}))
        if not lost[name]:
            (code, why), _ = without_units(folder, program).most_common(1)[0]
            lost[name][f"{code}: {why}"] = 0
    return {name: counts.most_common(1)[0][0] for name, counts in lost.items()}


def without_units(folder: OutputFolder, program: Program) -> Counter[Reason]:
    """Return why no unit (such as a clip) exists that a template could be asked about."""
    rows = folder.rejected("cut") if program.unit.kind == "clip" else ()
    cut = Counter((row["code"], row["reason"]) for row in rows)
    return cut or Counter({(str(Code.NO_UNIT), no_unit(program.unit)): 0})
