"""All labels that a kind can have here."""

from __future__ import annotations

import numpy as np

from transforms.algebra.columns.domains import labels_of
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Group
from transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Group:
    """Those that the recording's labels can say and that were looked for, by id."""
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
