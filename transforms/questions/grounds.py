"""Find the rows of the evidence that an answer is based on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surgqa.ontology.items import Pointer
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Listed, Many, One, Value, spread
from surgqa.transforms.algebra.tree import Call, Node, Pattern
from surgqa.transforms.algebra.walk import children, names_in
from surgqa.transforms.language.program import Program

MOST = 32
"""Greatest number of facts that an item lists; with more, it refers only to its window."""

ONE = ("argmax", "argmin", "first", "last", "only")
"""Operators that return one of their facts; only this fact is listed."""


def pointers(program: Program, rows: Rows) -> list[tuple[Pointer, ...]]:
    """Return, for each row, references to the evidence rows of the facts that its values use.

    A row gets no references if there are too many, or if its answer depends on absent facts.
    """
    proofs: list[set[int]] = [set() for _ in range(rows.n)]
    for value, index in _values(program, rows):
        for i, proof in _proofs(value, index):
            proofs[i].add(proof)
    facts = rows.relation.proofs
    known = rows.relation.once("pointers", lambda: [
        [Pointer(table, row, t, t) for t, row in marks] for table, marks in facts])  # fmt: skip
    out = [{one for proof in found for one in known[proof]} if len(found) <= MOST else ()
           for found in proofs]  # fmt: skip
    return [tuple(sorted(one, key=lambda p: (p.kind, p.start_us, p.id))) for one in out]


def _values(program: Program, rows: Rows) -> Iterator[tuple[Value, np.ndarray]]:
    """Yield the values of names and patterns, each with the index of each row in the value."""
    yield from (rows.origin(name) for step in program.let for name in step.names)
    nodes = [step.node for step in program.let if not step.draws]
    nodes += [node for stage in program.stages for _, node in stage.answer]
    named = {step.node for step in program.let}
    for pattern in dict.fromkeys(one for node in nodes for one in _collected(node)):
        if pattern not in named and all(map(rows.has, names_in(pattern))):
            yield evaluate(pattern, rows), np.arange(rows.n)


def _collected(node: object) -> Iterator[Node]:
    """Yield the patterns whose facts the answer is based on.

    Patterns inside another pattern are left out, because they only state conditions.
    """
    if isinstance(node, Pattern):
        yield node
    elif not (isinstance(node, Call) and node.op in ONE):
        for child in children(node):
            yield from _collected(child)


def _proofs(value: Value, index: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield (row, number of the fact) for every fact that certainly belongs to a value."""
    value = value.facts if isinstance(value, Listed) else value
    if isinstance(value, Many):
        # Only facts become evidence: the unannotated gaps of the value are not listed.
        filling, member = spread(value.filling, value.n, index)
        proof, sure = value.columns["proof"][member], value.sure[member]
    elif isinstance(value, One):
        filling, proof, sure = np.arange(len(index)), value.columns["proof"][index], value.ok[index]
    else:
        return
    sure = sure & (proof >= 0)
    yield from zip(filling[sure].tolist(), proof[sure].tolist(), strict=True)
