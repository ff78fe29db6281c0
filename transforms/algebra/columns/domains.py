"""The labels that annotators could have used in one video, such as all phases of its dataset."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from surgqa.ontology.kinds import kind as described
from surgqa.ontology.kinds import kind_names, lists_of, terms_of
from surgqa.ontology.records import IDLE
from surgqa.transforms.algebra.columns.scales import NINTHS, steps_of
from surgqa.transforms.algebra.tree import Const
from surgqa.transforms.timeline.relation import Relation

FIELD_OF = {"verb": ("interaction", "verb"), "target": ("interaction", "target")}
"""Domain -> (kind of fact, field); the annotations of that field state the possible labels."""


def labels_of(what: object, video: int, relation: Relation) -> np.ndarray:
    """Return int64 (K,), the codes of the labels that are possible in a video, sorted by id.

    Labels for doing nothing (idle) are left out.

    Args:
        what: a constant that names a kind (``phase``), a domain (``verb``) or a scale of words.
    """
    assert isinstance(what, Const), "the labels of a value's own scale are known to its question"
    name = str(what.value)
    if what.type.name == "word":
        return _codes(
            relation, NINTHS if name == "ninths" else [word for word, _ in steps_of(name)]
        )
    kind, field = (name, "label") if name in kind_names() else FIELD_OF.get(name, (name, "label"))
    sought = relation.looked_for.get((video, kind), {}).get(field)
    if sought is None:
        facts, codes = relation.facts, relation.codes
        mine = np.isin(facts.kind, relation.kind_codes([kind]))
        mine |= (facts.kind == codes.known("whole_label")) & (facts.subject == codes.known(kind))
        seen = np.unique(getattr(facts, field)[mine & (facts.video == video)])
        names = [codes.name(code) for code in seen.tolist() if code >= 0]
        sought = frozenset(names).union(*(_beside(name, one) for one in names))
    if not sought and name not in kind_names():
        sought = frozenset(terms_of(name))
    return _codes(relation, sorted(sought - {*IDLE}))


@cache
def _beside(kind: str, label: str) -> tuple[str, ...]:
    """All labels of the vocabulary list that contains this label: its possible alternatives."""
    domain = described(kind).fields.get("label", kind)
    return next((ids for ids in lists_of(domain) if label in ids), ())


def _codes(relation: Relation, names: Iterable[str]) -> np.ndarray:
    return np.array([relation.codes.code(name) for name in names], np.int64)
