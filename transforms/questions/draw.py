"""Draw one filling (one assignment of values to the names) for each unit, by hash keys alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.ontology.mixing import mix64
from surgqa.transforms.algebra.columns.codes import value_codes
from surgqa.transforms.algebra.columns.evaluate import evaluate, holds
from surgqa.transforms.algebra.columns.values import Truth
from surgqa.transforms.algebra.tree import Name, Node
from surgqa.transforms.algebra.walk import names_in
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.fill import Filled, among

ANSWER = "answer"

SPARE = 8
"""Number of fillings to sort in a unit, in addition to twice the number that is wanted."""
_LARGEST = float(2**64 - 2**11)


def ranked(program: Program, seed: str, found: Filled) -> np.ndarray:
    """int64 (k,): fillings in the order in which they are tried, unit after unit."""
    if found.keys is None:
        keys = _keys(program, seed, found)
    else:
        index = found.rows.index_in(found.keys[0])
        keys = [key[index] for key in found.keys[1]]
    return np.lexsort([*keys[::-1], found.unit])


def leading(program: Program, seed: str, found: Filled, count: int) -> np.ndarray:
    """int64 (k,), ascending: the first ``count`` fillings of each unit in the :func:`ranked` order.

    Of a unit with hundreds of fillings, most are left out before the others are sorted.
    """
    keys, unit = _keys(program, seed, found), found.unit
    found.keys = found.rows, keys
    some = _foremost(keys, unit, count)
    order = some[np.lexsort([*(key[some] for key in keys[::-1]), unit[some]])]
    return np.sort(order[among(unit[order]) < count])


def _foremost(keys: Sequence[np.ndarray], unit: np.ndarray, count: int) -> np.ndarray:
    """int64 (k,), ascending: some fillings of each unit, with its first ``count`` among them.

    If enough fillings of a unit have the least first key, the others are left out, and so on. The
    last key is a hash, so a unit with many fillings has enough with small ones.
    """
    some, tied = np.arange(len(unit)), np.ones(int(unit.max(initial=-1)) + 1, bool)
    for key in keys:
        own = unit[some]
        size = np.bincount(own, minlength=len(tied))
        if key is keys[-1]:
            share = np.minimum((2.0 * count + SPARE) / np.maximum(size, 1), 1.0)
            low = key[some] <= (share * _LARGEST).astype(np.uint64)[own]
        else:
            least = np.full(len(tied), -1).astype(key.dtype)  # the largest value
            np.minimum.at(least, own, key[some])
            low = key[some] == least[own]
        tied &= np.bincount(own[low], minlength=len(tied)) >= np.minimum(size, count)
        some = some[low | ~tied[own]]
    return some


def _keys(program: Program, seed: str, found: Filled) -> list[np.ndarray]:
    """Sort keys of the fillings of a unit, (n,) each, the most significant first.

    First, the values of ``draw.even``, one name after the other; each value that can be asked is
    equally likely.  For a truth and for ``draw.shares``, a side is drawn by its share; a unit
    without fillings of that side is asked about the other.  Any excess over a whole dataset is
    removed later, by balancing.  Then the preferences of ``draw.prefer``, then the smallest hash.
    """
    rows, unit, ids = found.rows, found.unit, found.units.ids
    salt = _hashes(ids, seed, program.id, "draw")[unit]
    keys: list[np.ndarray] = []
    for node, shares in _wanted(program):
        truth = evaluate(node, rows) if node.type.name == "truth" else None
        if isinstance(truth, Truth):
            keys.append(truth.yes != _sides(node, shares, seed, program, ids)[unit])
        else:
            codes = (rows.of_name(node.name, value_codes) if isinstance(node, Name)
                     else value_codes(evaluate(node, rows), rows))  # fmt: skip
            keys.append(mix64(mix64(codes ^ salt)))
    for node in program.draw.prefer:
        keys.append(~holds(node, rows))
    everything = np.zeros(len(unit), np.uint64)
    for name in program.drawn:
        everything = mix64(everything ^ rows.of_name(name, value_codes))
    keys.append(mix64(everything ^ salt))
    return keys


@lru_cache(maxsize=8)
def _hashes(ids: tuple[str, ...], seed: str, program: str, *what: str) -> np.ndarray:
    """uint64 (units,): a hash of each unit."""
    return np.array([h64(seed, program, one, *what) for one in ids], np.uint64)


def is_ranked_early(program: Program) -> bool:
    """True if the drawn values alone order a unit's fillings, without evaluating other steps."""
    nodes = [*program.draw.even, *program.draw.prefer]
    named = {name for name, _ in program.draw.shares}.union(*map(names_in, nodes))
    return named <= {*program.drawn, "window", "video", "now"}


def _wanted(program: Program) -> list[tuple[Node, Mapping[str, float]]]:
    """The nodes to balance, with shares; ``answer`` stands for the only field of the answer."""
    answer = program.stages[0].answer
    out: list[tuple[Node, Mapping[str, float]]] = []
    for node in program.draw.even:
        is_answer = isinstance(node, Name) and node.name == ANSWER
        out.append((answer[0][1] if is_answer else node, {"yes": 0.5, "no": 0.5}))
    for name, shares in program.draw.shares:
        step = program.step(name)
        assert step is not None
        out.append((Name(step.node.type, name), dict(shares)))
    return out


def _sides(
    node: Node, shares: Mapping[str, float], seed: str, program: Program, unit_ids: tuple[str, ...]
) -> np.ndarray:
    """bool (units,): the side that each unit asks for, drawn by its share."""
    what = node.name if isinstance(node, Name) else ANSWER
    return _hashes(unit_ids, seed, program.id, what, "side") < np.uint64(
        int(shares["yes"] * (2**64 - 1))
    )
