"""Reject items that simple rules answer without the images, until the rules are at chance level."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.keys import Key
from surgqa.ontology.records import Code
from surgqa.ontology.units import STREAM
from surgqa.transforms.blind import COLUMNS, Guess, Shelves, guesses
from surgqa.transforms.steps.write import Parts, not_chosen, sorted_by_item

ORDER = Key("choose", "blind")
PLAIN = ("", "BL")
"""Settings of guessing in which a rule sees only the question and its options."""


@dataclass(slots=True)
class RowFacts:
    """What the rejection needs to know of the items besides the results of guessing.

    Attributes:
        dataset: item id -> its dataset.
        chains: id of a chain's main item -> the ids of all items of the chain.
        stages: ids of items that are other stages of chains.
        answers: template -> the correct answers that occur.
    """

    dataset: dict[str, str] = field(default_factory=dict)
    chains: dict[str, list[str]] = field(default_factory=dict)
    stages: set[str] = field(default_factory=set)
    answers: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def look(self, table: pa.Table, dataset: str) -> None:
        """Add the items of one video."""
        columns = ["item_id", "template_id", "chain_id", "stage", "answer"]
        chains: dict[str, list[str]] = defaultdict(list)
        mains: dict[str, str] = {}
        for row in table.select(columns).to_pylist():
            self.dataset[row["item_id"]] = dataset
            self.answers[row["template_id"]].add(row["answer"])
            if row["chain_id"]:
                chains[row["chain_id"]].append(row["item_id"])
                if row["stage"]:
                    self.stages.add(row["item_id"])
                else:
                    mains[row["chain_id"]] = row["item_id"]
        self.chains |= {main: sorted(chains[chain]) for chain, main in mains.items()}


def over_blind(parts: Parts, gone: Collection[str] = frozenset()) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` for items that a rule answers too often.

    Streaming questions are kept, because most of the time silence is their right answer. If the
    main question of a chain is rejected, the whole chain is rejected.

    Args:
        gone: ids of items that are already rejected.
    """
    known, out = RowFacts(), pa.array(sorted(gone), pa.string())
    with tempfile.TemporaryDirectory(prefix="surgqa-blind-") as scratch:
        shelves = Shelves(Path(scratch))
        for info in parts.infos:
            table = parts.items(info, {*COLUMNS, "item_id", "unit"})
            streams = pc.equal(table.column("unit"), STREAM)
            no_more = pc.or_(streams, pc.is_in(table.column("item_id"), out))
            table = table.filter(pc.invert(no_more)).select(list(COLUMNS))
            known.look(table, info["dataset"])
            for batch in table.combine_chunks().to_batches():
                shelves.add(batch)
        found = [(one.template, one.guess) for one in guesses(shelves) if one.setting in PLAIN]
    return sorted_by_item(
        entry for template, guess in found for entry in _entries(template, guess, known)
    )


def _entries(template: str, guess: Guess, known: RowFacts) -> Iterator[dict[str, Any]]:
    items = {item for item, _ in guess.answers} - known.stages
    chance = guess.chance
    if chance is None:
        chance = 1 / max(1, len(known.answers[template]))
    marks = {item: rules for item, rules in guess.marks.items() if item in items}
    for item, rule in left_out([name for name, _ in guess.rules], marks, len(items), chance):
        for one in known.chains.get(item, [item]):
            row = {"dataset": known.dataset[one], "template_id": template, "item_id": one}
            why = f"the rule {rule!r} answers it without looking, and too many like it"
            yield not_chosen(row, Code.NOT_BLIND, why)


def left_out(
    rules: list[str], marks: Mapping[str, tuple[str, ...]], items: int, chance: float
) -> list[tuple[str, str]]:
    """Return (item, rule) for the items to reject.

    The rules are applied one after the other. The items that a rule answers right are rejected in
    descending order of :data:`ORDER`, until the rule's accuracy is that of chance.

    Args:
        rules: names of rules, best first.
        marks: item id -> the rules that answer the item right.
        items: number of items.
        chance: accuracy of a random choice.
    """
    out: dict[str, str] = {}
    for rule in rules:
        hit = ORDER.ordered(
            item for item, names in marks.items() if rule in names and item not in out
        )
        left = items - len(out)
        too_many = len(hit) - chance * left
        if too_many > 0 and chance < 1:
            number = min(len(hit), ceil(round(too_many / (1 - chance), 9)))
            out |= dict.fromkeys(hit[len(hit) - number :], rule)
    return list(out.items())
