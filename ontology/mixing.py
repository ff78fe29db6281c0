"""Keyed choice for many candidates: their codes are mixed with a key of :mod:`ontology.keys`.

If thousands of candidates are ranked to take one, a SHA-256 hash for each would cost more than
everything else together.  Therefore the codes are mixed with the key by splitmix64 (Steele, Lea and
Flood 2014), all at once; the key itself is an ``h64``.
"""

from __future__ import annotations

import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MUL1 = np.uint64(0xBF58476D1CE4E5B9)
_MUL2 = np.uint64(0x94D049BB133111EB)
_SHIFT1, _SHIFT2, _SHIFT3 = np.uint64(30), np.uint64(27), np.uint64(31)


def mix64(values: np.ndarray) -> np.ndarray:
    """splitmix64's finaliser, elementwise on a uint64 array; a bijection."""
    z = values + _GAMMA
    for shift, factor in ((_SHIFT1, _MUL1), (_SHIFT2, _MUL2)):
        z ^= z >> shift
        z *= factor
    z ^= z >> _SHIFT3
    return z


def combine(codes: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Mix another column of uint64 codes into the codes of candidates; the order matters.

    Equal codes do not cancel out as with XOR. For example, a point is a box with equal corners.
    """
    return mix64(mix64(codes) ^ more)
