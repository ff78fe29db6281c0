"""Choosing from the complete set: what reviewers, balancing and the mix of modes leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from transforms.places import place
from transforms.review import Review
from transforms.steps.balance import over_share
from transforms.steps.blocks import broken_blocks
from transforms.steps.files import json_lines, put, write_arrow
from transforms.steps.mix import Mix, over_mix
from transforms.steps.review import left_out
from transforms.steps.write import CHOSEN, DROPPED


@dataclass(frozen=True, slots=True)
class Chooser:
    """How a run chooses.

    Attributes:
        modal_cap: largest share of one answer per dataset and template, or None.
        mix: shares of temporal modes, or None.
        review: decisions of reviewers, or None.
    """

    modal_cap: float | None = None
    mix: Mix | None = None
    review: Review | None = None

    def choose(self, work: str) -> int:
        """Write down what is left out, and why; returns the number of items.

        An item that several leave out is told once; what offers its answer goes with it.  Balance
        and mix count what reviewers leave out as if it were there: nothing else changes when a
        review is applied.
        """
        entries = left_out(work, self.review) if self.review is not None else []
        if self.modal_cap is not None:
            entries = _with(entries, over_share(work, self.modal_cap))
        if self.mix is not None:
            entries = _with(entries, over_mix(work, self.mix))
        entries = _with(entries, broken_blocks(work, {entry["key"] for entry in entries}))
        if entries or self.modal_cap is not None:
            ids = pa.array(sorted(entry["key"] for entry in entries), pa.string())
            write_arrow(pa.table({"item_id": ids}), place(work) / DROPPED)
            put(place(work) / CHOSEN, json_lines(entries))
        return len(entries)


def _with(entries: list[dict[str, Any]], more: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries and those of the others that are about other items."""
    known = {entry["key"] for entry in entries}
    return [*entries, *(entry for entry in more if entry["key"] not in known)]
