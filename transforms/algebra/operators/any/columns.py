"""Conditions joined by OR."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Truth
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Truth:
    """True if one condition certainly holds; false if all certainly fail. Each must be defined."""
    parts = [evaluate(node, rows) for node in call.get("of")]
    yes, no, ok = (np.stack([getattr(p, name) for p in parts]) for name in ("yes", "no", "ok"))
    return Truth(np.any(yes, axis=0), np.all(no, axis=0), np.all(ok, axis=0))
