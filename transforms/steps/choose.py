"""Choosing from the complete set: what balancing and the mix of modes leave out."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from transforms.places import place
from transforms.steps.balance import over_share
from transforms.steps.files import json_lines, put, write_arrow
from transforms.steps.mix import Mix, over_mix
from transforms.steps.write import CHOSEN, DROPPED


@dataclass(frozen=True, slots=True)
class Chooser:
    """How a run chooses.

    Attributes:
        modal_cap: largest share of one answer per dataset and template, or None.
        mix: shares of temporal modes, or None.
    """

    modal_cap: float | None = None
    mix: Mix | None = None

    def choose(self, work: str) -> int:
        """Write down what is left out, and why; returns the number of items.

        An item that both leave out is told once.
        """
        entries = over_share(work, self.modal_cap) if self.modal_cap is not None else []
        known = {entry["key"] for entry in entries}
        if self.mix is not None:
            entries += [entry for entry in over_mix(work, self.mix) if entry["key"] not in known]
        if entries or self.modal_cap is not None:
            ids = pa.array(sorted(entry["key"] for entry in entries), pa.string())
            write_arrow(pa.table({"item_id": ids}), place(work) / DROPPED)
            put(place(work) / CHOSEN, json_lines(entries))
        return len(entries)
