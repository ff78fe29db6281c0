"""Pseudo-random choice of one of many candidates, each given by a 64-bit code of its content.

A SHA-256 hash for each of thousands of candidates would take more time than everything else
together.  Instead, one key is hashed (``h64`` of :mod:`ontology.keys`) and mixed with the array of
all codes by splitmix64 (Steele, Lea and Flood 2014).  The candidate with the smallest result wins.
"""

from __future__ import annotations

import numpy as np

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MUL1 = np.uint64(0xBF58476D1CE4E5B9)
_MUL2 = np.uint64(0x94D049BB133111EB)
_SHIFT1, _SHIFT2, _SHIFT3 = np.uint64(30), np.uint64(27), np.uint64(31)


def mix64(values: np.ndarray) -> np.ndarray:
    """Apply splitmix64's finaliser, a bijection, to each element of a uint64 array."""
    z = values + _GAMMA
    for shift, factor in ((_SHIFT1, _MUL1), (_SHIFT2, _MUL2)):
        z ^= z >> shift
        z *= factor
    z ^= z >> _SHIFT3
    return z


def combine(codes: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Mix another column of uint64 codes into the codes of candidates; the order matters.

    XOR alone would give 0 for two equal codes, for example those of equal corners of a box.
    """
    return mix64(mix64(codes) ^ more)
