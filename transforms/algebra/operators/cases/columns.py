"""The statement whose condition is true."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Label, Truth
from surgqa.transforms.algebra.tree import Call


def columns(call: Call, rows: Rows) -> Label:
    """The index of the statement that is certainly true while all others are certainly false."""
    truths = [evaluate(condition, rows) for _, condition in call.get("of")]
    assert all(isinstance(truth, Truth) for truth in truths)
    yes, no, ok = (np.stack([getattr(t, name) for t in truths]) for name in ("yes", "no", "ok"))
    known = ok.all(0) & (yes.sum(0) == 1) & ((yes | no).all(0))
    return Label(yes.argmax(0), known, np.zeros(rows.n, bool))
