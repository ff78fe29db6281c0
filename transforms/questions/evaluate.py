"""Evaluating ``where``: which fillings pass, what was measured, and which leaf said no."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from ontology.records import Check
from transforms.language.template import Call, Condition
from transforms.questions.candidates import Candidates
from transforms.questions.facts import Facts
from transforms.questions.gates import TESTS
from transforms.questions.lazy import LAZY
from transforms.questions.measures import MEASURES
from transforms.questions.slots import SLOTS

_SIGNS = (("at_least", ">="), ("at_most", "<="), ("above", ">"), ("below", "<"))


@dataclass(frozen=True, eq=False)
class Verdict:
    """Outcome of one leaf over all fillings."""

    name: str
    passed: np.ndarray
    measured: np.ndarray | Callable[[np.ndarray], np.ndarray]
    limit: str

    def checks(self, rows: np.ndarray) -> list[Check]:
        """The gate as it is stored with the items of the rows."""
        found = self.measured(rows) if callable(self.measured) else self.measured[rows]
        return [Check(self.name, value, self.limit) for value in found.tolist()]


class Evaluator:
    """Tables and verdicts of one view, each computed once and shared by its templates."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._tables: dict[bytes, Candidates] = {}
        self._verdicts: dict[tuple[bytes, bytes], Verdict] = {}

    def table(self, needs: dict[str, Call]) -> tuple[Candidates, str | None]:
        """All fillings of the slots, and the first slot that left none at all."""
        table = Candidates.empty(self.facts.view)
        calls: dict[str, Call] = {}
        for slot, call in needs.items():
            calls[slot] = call
            key = _key(calls)
            if key not in self._tables:
                parent, value, code = SLOTS[call.op](table, self.facts, dict(call.args))
                self._tables[key] = table.extended(slot, call, parent, value, code)
            table = self._tables[key]
        return table, _key(calls)

    def windows_left(self, needs: dict[str, Call]) -> Iterator[tuple[str, np.ndarray]]:
        """Per slot in order: bool (W,), the windows that still have a filling."""
        calls: dict[str, Call] = {}
        for slot, call in needs.items():
            calls[slot] = call
            yield slot, alive(self._tables[_key(calls)])

    def verdict(self, table: Candidates, key: bytes, call: Call) -> Verdict:
        """One leaf over a table."""
        mine = (key, _key({"": call}))
        if mine not in self._verdicts:
            self._verdicts[mine] = _leaf(table, self.facts, call)
        return self._verdicts[mine]

    def mask(self, table: Candidates, key: bytes, node: Condition) -> np.ndarray:
        """bool (R,) of a whole tree; lazy leaves are looked at filling by filling."""
        if node.kind == "leaf":
            assert node.leaf is not None
            if node.leaf.op in LAZY:
                rows = range(len(table))
                return np.array([lazy_leaf(table, self.facts, node.leaf, r)[0] for r in rows], bool)
            return self.verdict(table, key, node.leaf).passed
        parts = [self.mask(table, key, child) for child in node.children]
        if node.kind == "not":
            return ~parts[0]
        return np.logical_and.reduce(parts) if node.kind == "all" else np.logical_or.reduce(parts)


def _key(calls: dict[str, Call]) -> bytes:
    return orjson.dumps([[slot, call.op, dict(call.args)] for slot, call in calls.items()])


def _leaf(table: Candidates, facts: Facts, call: Call) -> Verdict:
    args = dict(call.args)
    if call.op in MEASURES:
        value = MEASURES[call.op](table, facts, args)
        passed = np.ones(len(table), dtype=bool)
        limits = []
        for name, sign in _SIGNS:
            bound = args[name]
            if bound is not None:
                passed &= _compare(sign, value, float(bound))
                limits.append(f"{sign} {bound}")
        return Verdict(call.op, passed, value, " and ".join(limits))
    test = TESTS[call.op](table, facts, args)
    return Verdict(call.op, test.passed, test.measured, test.limit)


def _compare(sign: str, value: np.ndarray, bound: float) -> np.ndarray:
    if sign == ">=":
        return value >= bound
    if sign == "<=":
        return value <= bound
    return value > bound if sign == ">" else value < bound


def lazy_leaf(table: Candidates, facts: Facts, call: Call, row: int) -> tuple[bool, float, str]:
    """(passed, measured, limit) of a lazy test on one filling."""
    return LAZY[call.op](table, facts, dict(call.args), row)


def alive(table: Candidates, passed: np.ndarray | None = None) -> np.ndarray:
    """bool (W,), the windows that have a filling (that passed)."""
    out = np.zeros(len(table.view.windows), dtype=bool)
    out[table.window if passed is None else table.window[passed]] = True
    return out


def top_level(where: Condition | None) -> tuple[Condition, ...]:
    """The conditions that must all hold, one by one."""
    if where is None:
        return ()
    return where.children if where.kind == "all" else (where,)


def is_lazy(node: Condition) -> bool:
    """A leaf that is looked at filling by filling."""
    return node.kind == "leaf" and node.leaf is not None and node.leaf.op in LAZY


def describe(node: Condition) -> str:
    """Short name of a condition in reasons: the operator, or the tree's place."""
    if node.leaf is not None:
        return node.leaf.op
    return node.path


def as_dict(call: Call) -> dict[str, Any]:
    """An operator call as plain data."""
    return {"op": call.op, **dict(call.args)}
