"""Draw one filling (one assignment of values to the names) for each unit, by hash keys alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ontology.keys import h64
from ontology.mixing import mix64
from transforms.algebra.columns.codes import value_codes
from transforms.algebra.columns.evaluate import evaluate, holds
from transforms.algebra.columns.values import Truth
from transforms.algebra.tree import Name, Node
from transforms.algebra.walk import names_in
from transforms.language.program import Program
from transforms.questions.fill import Filled, among

ANSWER = "answer"

SPARE = 24
"""Number of fillings to sort in a unit, in addition to twice the number that is wanted."""
_LARGEST = float(2**64 - 2**11)


def ranked(program: Program, seed: str, found: Filled) -> np.ndarray:
    """int64 (k,): fillings in the order in which they are tried, unit after unit."""
    return np.lexsort([*_keys(program, seed, found)[::-1], found.unit])


def leading(program: Program, seed: str, found: Filled, count: int) -> np.ndarray:
    """int64 (k,), ascending: the first ``count`` fillings of each unit in the :func:`ranked` order.

    If one hash key alone orders the fillings, only those with small keys are sorted.  In a unit
    with hundreds of fillings this skips most of them.
    """
    keys, unit = _keys(program, seed, found), found.unit
    some = np.arange(found.rows.n)
    if len(keys) == 1:
        size = np.bincount(unit)
        share = np.minimum((2.0 * count + SPARE) / np.maximum(size, 1), 1.0)
        below = (share * _LARGEST).astype(np.uint64)
        few = np.flatnonzero(keys[0] <= below[unit])
        enough = np.bincount(unit[few], minlength=len(size)) >= np.minimum(size, count)
        some = few if enough.all() else some
    order = some[np.lexsort([*(key[some] for key in keys[::-1]), unit[some]])]
    return np.sort(order[among(unit[order]) < count])


def _keys(program: Program, seed: str, found: Filled) -> list[np.ndarray]:
    """Sort keys of the fillings of a unit, (n,) each, the most significant first.

    First, the values of ``draw.even``, one name after the other; each value that can be asked is
    equally likely.  For a truth and for ``draw.shares``, a side is drawn by its share; a unit
    without fillings of that side is asked about the other.  Any excess over a whole dataset is
    removed later, by balancing.  Then the preferences of ``draw.prefer``, then the smallest hash.
    """
    rows, unit, ids = found.rows, found.unit, found.units.ids
    salt = np.array([h64(seed, program.id, one, "draw") for one in ids], np.uint64)
    keys: list[np.ndarray] = []
    for node, shares in _wanted(program):
        value = evaluate(node, rows)
        if isinstance(value, Truth):
            keys.append(value.yes != _sides(node, shares, seed, program, ids)[unit])
        else:
            keys.append(mix64(mix64(value_codes(value, rows) ^ salt[unit])))
    for node in program.draw.prefer:
        keys.append(~holds(node, rows))
    everything = np.zeros(len(unit), np.uint64)
    for name in program.drawn:
        everything = mix64(everything ^ rows.of_name(name, value_codes))
    keys.append(mix64(everything ^ salt[unit]))
    return keys


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
    node: Node, shares: Mapping[str, float], seed: str, program: Program, unit_ids: Sequence[str]
) -> np.ndarray:
    """bool (units,): the side that each unit asks for, drawn by its share."""
    what = node.name if isinstance(node, Name) else ANSWER
    drawn = np.array([h64(seed, program.id, one, what, "side") for one in unit_ids], np.uint64)
    return drawn < np.uint64(int(shares["yes"] * (2**64 - 1)))
