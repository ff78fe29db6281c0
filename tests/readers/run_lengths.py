"""Run lengths of a mask, counted by hand."""

from __future__ import annotations

import numpy as np


def run_lengths(mask: np.ndarray) -> str:
    """COCO's compressed run lengths of a bool (height, width) mask, '' for an empty one."""
    if not mask.any():
        return ""
    down = mask.T.ravel()
    changes = [0, *(np.flatnonzero(down[1:] != down[:-1]) + 1).tolist(), down.size]
    runs = [b - a for a, b in zip(changes, changes[1:], strict=False)]
    if down[0]:
        runs.insert(0, 0)
    text = ""
    for place, run in enumerate(runs):
        value = run - runs[place - 2] if place > 2 else run
        while True:
            five, value = value & 31, value >> 5
            done = value == (-1 if five & 16 else 0)
            text += chr(48 + (five if done else five | 32))
            if done:
                break
    return f"{mask.shape[0]}x{mask.shape[1]}:{text}"
