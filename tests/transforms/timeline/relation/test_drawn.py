"""Drawn recordings have the facts of this version, in memory and as tables of ``evidence/``."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from surgqa.ontology.keys import digest
from surgqa.transforms.exports.evidence import evidence_tables, fact_tables
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation.gather import relation_of
from surgqa.transforms.timeline.relation.table import Codes
from tests.transforms.checks.facts.drawn import drawn


def plain(value: Any) -> Any:
    """A relation as lists: columns, names of codes, sets in order."""
    if isinstance(value, Codes):
        return value.names
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value):
        return [plain(getattr(value, one.name)) for one in fields(value) if one.name[0] != "_"]
    if isinstance(value, dict):
        return [(key, plain(one)) for key, one in value.items()]
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value))
    return list(map(plain, value)) if isinstance(value, list | tuple) else value


def test_drawn_recordings_have_the_facts_of_this_version():
    told = []
    for seed in range(0, 120, 2):
        found = [(one, build_timeline(one)) for one in map(drawn, (seed, seed + 1))]
        told.append(plain(relation_of(found)))
        for one, timeline in found:
            facts = fact_tables(relation_of([(one, timeline)]), one.video)
            told += [table.to_pylist() for _, table in sorted(
                (evidence_tables(one, timeline, ()) | facts).items())]  # fmt: skip
    assert digest(str(told))[:12] == "063ce5286d70", "facts change: say so in CHANGELOG"
