"""Change a relation to one with exact label times, or to one without gaps in the annotation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surgqa.ontology.kinds import kind_names
from surgqa.transforms.timeline.relation.table import FactTable, Relation


def crisp(relation: Relation) -> Relation:
    """Return the relation as if the labels' times were exact; gaps are unchanged."""
    return relation.once(crisp, lambda: _crisp(relation))


def _crisp(relation: Relation) -> Relation:
    facts = relation.facts
    exact = _bounded(facts, facts.s, facts.s, facts.e, facts.e)
    out = replace(relation, facts=exact.by_start(relation.codes))
    return out.once(crisp, lambda: out)


def looked_everywhere(relation: Relation) -> Relation:
    """Return the relation without gaps, and with borders at most one label period wide."""
    return relation.once(looked_everywhere, lambda: _looked_everywhere(relation))


def _looked_everywhere(relation: Relation) -> Relation:
    facts = relation.facts
    period = np.array([max(one.period_us, 1) for one in relation.recordings], np.int64)
    slack = period[facts.video]
    low, high = np.maximum(facts.s0, facts.s - slack), np.minimum(facts.e1, facts.e + slack)
    codes = relation.codes
    named = {*kind_names(), *map(codes.name, np.unique(facts.kind).tolist())}
    return replace(
        relation, facts=_bounded(facts, low, facts.s1, facts.e0, high).by_start(codes),
        holes=relation.holes.take(np.zeros(0, np.int64)), looked_for={},
        looked=frozenset((v, name) for v in range(len(relation.recordings)) for name in named),
    )  # fmt: skip


def _bounded(
    facts: FactTable, s0: np.ndarray, s1: np.ndarray, e0: np.ndarray, e1: np.ndarray
) -> FactTable:
    """Return facts with these bounds, each in a group of its own; timeless facts keep theirs."""
    timeless = facts.s1 < facts.s
    moved = {"s0": s0, "s1": s1, "e0": e0, "e1": e1, "x0": s0, "x1": e1}
    kept = {name: np.where(timeless, getattr(facts, name), column)
            for name, column in moved.items()}  # fmt: skip
    return replace(facts, **kept, grp=np.arange(len(facts), dtype=np.int32))
