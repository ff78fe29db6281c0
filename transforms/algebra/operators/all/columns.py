"""Conditions joined by AND."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Truth
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Truth:
    """True if all conditions certainly hold; false if one certainly fails. Each must be defined."""
    parts = [evaluate(node, rows) for node in call.get("of")]
    yes, no, ok = (np.stack([getattr(p, name) for p in parts]) for name in ("yes", "no", "ok"))
    return Truth(np.all(yes, axis=0), np.any(no, axis=0), np.all(ok, axis=0))
