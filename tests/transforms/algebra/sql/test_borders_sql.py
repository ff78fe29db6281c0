"""Every border that is easy to get wrong, in SQL: the examples of the form over columns again."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.timeline.relation import Relation
from tests.transforms.algebra import test_borders as borders
from tests.transforms.algebra.sql.alike import cases_at, claim_of_sql
from tests.transforms.algebra.sql.tables import connection, evaluated, put

EXAMPLES = [name for name, one in inspect.getmembers(borders, inspect.isfunction)
            if name.startswith("test_")]  # fmt: skip


KNOWN: dict[str, Any] = {}
"""The relation that was asked last, and its database: most tests ask one several times."""


def ask(relation: Relation, node: Node, now: int = 0):
    """What is certain of a program at a time, by its query."""
    at = np.array([int(now * borders.S)], np.int64)
    if KNOWN.get("relation") is not relation:
        KNOWN.update(relation=relation, db=connection(relation))
    db = KNOWN["db"]
    put(db, "cases", cases_at(relation, np.zeros(1, np.int64), at, at, at + 1))
    return claim_of_sql(evaluated(db, [node])[0][0], relation)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_border_is_as_in_columns(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(borders, "ask", ask)
    getattr(borders, name)()


def test_no_border_is_left_out():
    assert len(EXAMPLES) >= 35
