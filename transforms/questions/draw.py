"""Put the possible questions of each unit (such as a clip) in random order, by hash keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.ontology.mixing import mix64
from surgqa.transforms.algebra.columns import values as v
from surgqa.transforms.algebra.columns.codes import value_codes
from surgqa.transforms.algebra.columns.evaluate import evaluate, holds
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Truth
from surgqa.transforms.algebra.tree import Name, Node
from surgqa.transforms.algebra.walk import names_in
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.fill import Filled, among, unit_of

ANSWER = "answer"

SPARE = 8
"""How many fillings (possible questions) of a unit are sorted, besides twice the wanted number."""
_LARGEST = float(2**64 - 2**11)


def ranked(program: Program, seed: str, found: Filled, best: bool = False) -> np.ndarray:
    """Return possible questions (fillings) in the order in which they are tried: int64 (k,).

    They are sorted by unit (such as a clip), and within the unit by the sort keys.

    Args:
        best: return only those that have the drawn side (such as Yes) in every sort key that is
            known only after evaluation.
    """
    late, early = _keys(program, seed, found)
    some = np.arange(found.rows.n)
    if best:
        for key in late:
            some = some[~key(some)]
        late = []
    return _sorted([*late, *early], found, some)


def leading(
    program: Program, seed: str, found: Filled, count: int, units: np.ndarray
) -> np.ndarray:
    """Return the first ``count`` possible questions (fillings) of some units: int64 (k,),
    ascending.

    Args:
        units: bool (units,), True for the units to select from.
    """
    own = np.arange(found.rows.n) if units.all() else np.flatnonzero(units[found.unit])
    if np.bincount(found.unit[own]).max(initial=0) <= count:
        return own
    _, keys = _keys(program, seed, found)
    order = _sorted(keys, found, _foremost(keys, found.unit, own, count))
    return np.sort(order[among(found.unit[order]) < count])


def in_order(program: Program, seed: str, found: Filled, some: np.ndarray) -> np.ndarray:
    """Return some possible questions in the order of :func:`leading`, unit after unit."""
    return _sorted(_keys(program, seed, found)[1], found, some)


Key = Callable[[np.ndarray], np.ndarray]
"""Function: indices of fillings, int64 (k,) -> their values of one sort key, (k,)."""


def _sorted(keys: Sequence[Key], found: Filled, some: np.ndarray) -> np.ndarray:
    """Return fillings sorted by unit, then by the sort keys, the most significant first."""
    return some[np.lexsort([*(key(some) for key in keys[::-1]), found.unit[some]])]


def _foremost(keys: Sequence[Key], unit: np.ndarray, some: np.ndarray, count: int) -> np.ndarray:
    """Drop fillings that cannot be among the first ``count`` of their unit; return int64 (k,).

    If enough fillings of a unit share the least value of the first key, the unit's other fillings
    are dropped; then the next keys are used in this way. The last key is a hash, of which large
    values are dropped.

    Args:
        keys: sort keys, the most significant first.
        some: the fillings to choose from, ascending.
    """
    tied = np.ones(int(unit.max(initial=-1)) + 1, bool)
    for make in keys:
        own, key = unit[some], make(some)
        size = np.bincount(own, minlength=len(tied))
        if make is keys[-1]:
            share = np.minimum((2.0 * count + SPARE) / np.maximum(size, 1), 1.0)
            low = key <= (share * _LARGEST).astype(np.uint64)[own]
        else:
            begin = np.flatnonzero(np.diff(own, prepend=-1))  # ``own`` is ascending
            low = key == np.repeat(np.minimum.reduceat(key, begin), size[own[begin]])
        tied &= np.bincount(own[low], minlength=len(tied)) >= np.minimum(size, count)
        some = some[low | ~tied[own]]
    return some


def _keys(program: Program, seed: str, found: Filled) -> tuple[list[Key], list[Key]]:
    """Return the sort keys of possible questions (fillings) of a unit, such as a clip, in two
    lists.

    Both start with the most significant key. The first list ends with the last key that is known
    only after evaluation; the second list holds the others.

    First come the values of ``draw.even``, one name after the other, so that each value is equally
    likely. For a yes/no value and for ``draw.shares``, each unit draws the side (yes or no) that it
    asks for; a unit without fillings of that side is asked about the other side, and a later step
    removes the excess over the whole dataset. Then come the conditions of ``draw.prefer`` and a
    hash.
    """
    rows, unit, ids = found.rows, found.unit, found.units.ids
    salt = _hashes(ids, seed, program.id, "draw")

    def side(node: Node, shares: Mapping[str, float], index: np.ndarray) -> np.ndarray:
        truth = evaluate(node, rows)
        assert isinstance(truth, Truth)
        return (truth.yes != _sides(node, shares, seed, program, ids)[unit])[index]

    def even(node: Node, index: np.ndarray) -> np.ndarray:
        if not isinstance(node, Name):
            codes = value_codes(evaluate(node, rows), rows)[index]
            return mix64(mix64(codes ^ salt[unit[index]]))
        # Most names have values in fewer, outer rows, such as one row for each window.
        around, at = rows.around(node.name)
        codes = around.of_name(node.name, value_codes)
        return mix64(mix64(codes ^ salt[unit_of(around)]))[at[index]]

    def preferred(node: Node, index: np.ndarray) -> np.ndarray:
        return ~holds(node, rows)[index]

    def drawn(index: np.ndarray) -> np.ndarray:
        everything = np.zeros(len(index), np.uint64)
        for name in program.drawn:
            everything = mix64(everything ^ _codes(rows, name, index))
        return mix64(everything ^ salt[unit[index]])

    wanted = [partial(side, node, shares) if node.type.name == "truth" else partial(even, node)
              for node, shares in _wanted(program)]  # fmt: skip
    keys = [*wanted, *(partial(preferred, node) for node in program.draw.prefer), drawn]
    late = sum(not is_early for is_early, _ in _drawn_early(program))
    return keys[:late], keys[late:]


def _codes(rows: Rows, name: str, index: np.ndarray) -> np.ndarray:
    """Return hashes of a name's values in some rows: uint64 (k,).

    If outer rows hold the values (such as the instruments of a window, shared by many rows), each
    value is hashed once. Otherwise only the values of the given rows are hashed.
    """
    around, at = rows.around(name)
    if around is rows and len(index) < rows.n:
        return value_codes(v.gathered(rows.name(name), index), rows.inside(index))
    return around.of_name(name, value_codes)[at[index]]


@lru_cache(maxsize=8)
def _hashes(ids: tuple[str, ...], seed: str, program: str, *what: str) -> np.ndarray:
    """Return a hash of each unit (such as a clip): uint64 (units,)."""
    return np.array([h64(seed, program, one, *what) for one in ids], np.uint64)


def is_ranked_early(program: Program) -> bool:
    """True if a unit's possible questions can be put in order before all values are computed.

    If so, a few questions are evaluated at a time. A sort key that depends on computed values is
    allowed if it has two sides (such as yes and no) and precedes all other keys.
    """
    keys = _drawn_early(program)
    first = [is_early for is_early, _ in keys]
    return first == sorted(first) and all(is_early or is_side for is_early, is_side in keys)


def needs_sides(program: Program) -> bool:
    """True if some sort keys depend on more values than those drawn by ``each``."""
    return not all(is_early for is_early, _ in _drawn_early(program))


def _drawn_early(program: Program) -> list[tuple[bool, bool]]:
    """Return, for each sort key but the hash, two flags.

    The first is True if the key depends only on values drawn by ``each``; the second is True if it
    has two sides, such as yes and no.
    """
    known = {*program.drawn, "window", "video", "now"}
    keys = [(node, node.type.name == "truth") for node, _ in _wanted(program)]
    keys += [(node, True) for node in program.draw.prefer]
    return [(names_in(node) <= known, is_side) for node, is_side in keys]


def _wanted(program: Program) -> list[tuple[Node, Mapping[str, float]]]:
    """Return the values of ``draw`` to balance, each with the wanted shares of yes and no.

    The name ``answer`` stands for the only field of the answer.
    """
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
    """Return bool (units,), whether a clip asks for a yes, drawn by the wanted share."""
    what = node.name if isinstance(node, Name) else ANSWER
    return _hashes(unit_ids, seed, program.id, what, "side") < np.uint64(
        int(shares["yes"] * (2**64 - 1))
    )
