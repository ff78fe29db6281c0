"""All labels that a kind, a domain or a scale can have."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.domains import labels_of
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.scales import rating_steps
from surgqa.transforms.algebra.columns.values import Group, Label, Value
from surgqa.transforms.algebra.tree import Call, Const


def columns(call: Call, rows: Rows) -> Group:
    """The labels that the annotations of this video could contain, sorted by id."""
    if not isinstance(call.get("of"), Const):
        return _of_scales(evaluate(call.get("of"), rows), rows)
    filling: list[np.ndarray] = []
    code: list[np.ndarray] = []
    for video in np.unique(rows.video).tolist():
        found = labels_of(call.get("of"), video, rows.relation)
        mine = np.flatnonzero(rows.video == video)
        filling.append(np.repeat(mine, len(found)))
        code.append(np.tile(found, len(mine)))
    if not filling:
        return Group(np.zeros(0, np.int64), np.zeros(0, np.int64), np.ones(rows.n, bool))
    who, what = np.concatenate(filling), np.concatenate(code)
    order = np.argsort(who, kind="stable")
    return Group(who[order], what[order], np.ones(rows.n, bool))


def _of_scales(label: Value, rows: Rows) -> Group:
    """Return the words of each rating's own scale, from the lowest to the highest."""
    assert isinstance(label, Label)
    codes = rows.relation.codes
    words = {one: [codes.code(word) for word, _ in rating_steps(codes.name(one))]
             for one in np.unique(label.code[label.ok & ~label.none]).tolist()}  # fmt: skip
    found = [words.get(one, []) for one in label.code.tolist()]
    filling = np.repeat(np.arange(rows.n), [len(one) for one in found])
    code = np.array([word for one in found for word in one], np.int64)
    return Group(filling, code, label.ok & ~label.none)
