"""Choosing from the complete set: what reviewers, balance and the mix of modes leave out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow as pa

from transforms.language.program import Program
from transforms.places import place
from transforms.review import Review
from transforms.steps.alone import alone
from transforms.steps.balance import over_share
from transforms.steps.blind import over_blind
from transforms.steps.blocks import broken_blocks
from transforms.steps.files import json_lines, put, write_arrow
from transforms.steps.mix import Mix, over_mix
from transforms.steps.pairs import over_pairs
from transforms.steps.review import left_out
from transforms.steps.shares import PROMISED, over_shares, promise_of
from transforms.steps.write import CHOSEN, DROPPED, Parts


@dataclass(frozen=True, slots=True)
class Chooser:
    """How a run chooses.

    Attributes:
        balance: ``shares`` thins out what templates promise, ``pairs`` leaves only pairs of items,
            ``none`` leaves all.
        allow_constant: templates with one answer in a dataset are asked all the same, and so is
            what recordings with one answer give away.
        not_blind: what rules answer too often that see no picture is left out.
        modal_cap: largest share of one answer per dataset and template, or None.
        mix: shares of temporal modes, or None.
        review: decisions of reviewers, or None.
    """

    balance: str = "none"
    allow_constant: bool = False
    not_blind: bool = False
    modal_cap: float | None = None
    mix: Mix | None = None
    review: Review | None = None

    def choose(self, work: str, templates: Sequence[Program] = ()) -> int:
        """Write down what is left out, and why; returns the number of items.

        An item that several leave out is told once; what offers its answer goes with it.  Each step
        counts what those before it leave; what reviewers leave out counts as if it were there:
        nothing else changes when a review is applied.
        """
        reviewed = left_out(work, self.review) if self.review is not None else []
        entries = self._balanced(work, templates)
        if self.modal_cap is not None:
            entries += over_share(work, self.modal_cap, _keys(entries))
        if self.mix is not None:
            entries += over_mix(work, self.mix, _keys(entries))
        entries = _with(reviewed, entries)
        entries = _with(entries, broken_blocks(work, _keys(entries)))
        if entries or self.modal_cap is not None:
            ids = pa.array(sorted(_keys(entries)), pa.string())
            write_arrow(pa.table({"item_id": ids}), place(work) / DROPPED)
            put(place(work) / CHOSEN, json_lines(entries))
        return len(entries)

    def _balanced(self, work: str, templates: Sequence[Program]) -> list[dict[str, Any]]:
        """What guessing without looking and the balance of answers leave out."""
        if not self.not_blind and self.balance == "none":
            return []
        parts = Parts(place(work))
        entries = over_blind(parts) if self.not_blind else []
        if self.balance == "pairs":
            entries = _paired(work, parts, entries)
        if self.balance == "shares":
            if not self.allow_constant:
                entries += alone(parts, templates, _keys(entries))
            found = {t.id: promise for t in templates if (promise := promise_of(t)) is not None}
            over, told = over_shares(parts, found, self.allow_constant, _keys(entries))
            put(place(work) / PROMISED, orjson.dumps(told))
            entries += over
        return entries


def _paired(work: str, parts: Parts, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pairs stay whole and blocks stay whole: what goes for the one may take some of the other."""
    before = -1
    while len(entries) != before:
        before = len(entries)
        entries = _with(entries, over_pairs(parts, _keys(entries)))
        entries = _with(entries, broken_blocks(work, _keys(entries)))
    return entries


def _keys(entries: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(entry["key"] for entry in entries)


def _with(entries: list[dict[str, Any]], more: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries and those of the others that are about other items."""
    known = _keys(entries)
    return [*entries, *(entry for entry in more if entry["key"] not in known)]
